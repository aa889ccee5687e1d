#include "bench/measure/environment.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "bench/build_info.hpp"
#include "bench/commit.hpp"
#include "bench/measure/gpu_pool.hpp"

namespace bench {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char line[32];
  std::strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return line;
}

/// "13.0" for CUDA's 13000; empty where there is none.
std::string version_text(cudaError_t (*ask)(int*)) {
  int version = 0;
  if (ask(&version) != cudaSuccess || version == 0) return {};
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// In MHz; CUDA counts in kHz.
int most_mhz(cudaDeviceAttr clock, int device) {
  int khz = 0;
  return cudaDeviceGetAttribute(&khz, clock, device) == cudaSuccess ? khz / 1000 : 0;
}

/// The first line that nvidia-smi answers about the GPU; empty where it does not.
std::string ask_nvidia_smi(const char* query, int device) {
  char bus_id[32] = {};
  if (cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), device) != cudaSuccess) return {};
  const std::string command = std::string("nvidia-smi --id=") + bus_id + " --query-gpu=" + query +
                              " --format=csv,noheader,nounits 2>/dev/null";
  struct close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, close> answer(popen(command.c_str(), "r"));
  std::array<char, 256> line{};
  if (!answer || !std::fgets(line.data(), line.size(), answer.get())) return {};
  const std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

}  // namespace

environment here_and_now() {
  return {utc_now(),
          cpu_model(),
          version_text(cudaDriverGetVersion),
          version_text(cudaRuntimeGetVersion),
          BENCH_LIBRARY_VERSION,
          BENCH_GIT_COMMIT};
}

gpu_clocks clocks_now() {
  gpu_clocks clocks;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return clocks;
  clocks.most_sm_mhz = most_mhz(cudaDevAttrClockRate, device);
  clocks.most_memory_mhz = most_mhz(cudaDevAttrMemoryClockRate, device);
  std::istringstream answer(ask_nvidia_smi("driver_version,clocks.sm,clocks.mem", device));
  std::string driver, sm, memory;
  if (std::getline(answer, driver, ',') && std::getline(answer, sm, ',') &&
      std::getline(answer, memory)) {
    clocks.driver = driver;
    clocks.sm_mhz = std::atoi(sm.c_str());
    clocks.memory_mhz = std::atoi(memory.c_str());
  }
  return clocks;
}

gpu_description describe_gpu() {
  int num_devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&num_devices);
  if (code != cudaSuccess) return {false, cudaGetErrorString(code), {}};
  if (num_devices == 0) return {false, "no CUDA device", {}};
  cudaDeviceProp properties = {};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
  return {true, {}, properties.name};
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace bench
