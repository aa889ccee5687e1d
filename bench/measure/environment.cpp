#include "bench/measure/environment.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>

#include "bench/build_info.hpp"
#include "bench/commit.hpp"
#include "bench/data/host_data.hpp"
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
int most_mhz(cudaDeviceAttr clock) {
  int device = 0, khz = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&khz, clock, device) == cudaSuccess;
  return known ? khz / 1000 : 0;
}

/// The first line that nvidia-smi answers about the GPU; empty where it does not.
std::string ask_nvidia_smi(const char* query) {
  int device = 0;
  char bus_id[32] = {};
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), device) != cudaSuccess) {
    return {};
  }
  const std::string command = std::string("nvidia-smi --id=") + bus_id + " --query-gpu=" + query +
                              " --format=csv,noheader,nounits 2>/dev/null";
  struct close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, close> answer(popen(command.c_str(), "r"));
  std::array<char, 256> line{};
  if (!answer || !std::fgets(line.data(), line.size(), answer.get())) return {};
  return std::string(line.data(), std::strcspn(line.data(), "\n"));
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

}  // namespace

facts here_and_now() {
  return {{"date", utc_now()},
          {"cpu", cpu_model()},
          {"cuda_driver", version_text(cudaDriverGetVersion)},
          {"cuda_runtime", version_text(cudaRuntimeGetVersion)},
          {"library_version", BENCH_LIBRARY_VERSION},
          {"git_commit", BENCH_GIT_COMMIT}};
}

facts clocks_now() {
  std::istringstream answer(ask_nvidia_smi("driver_version,clocks.sm,clocks.mem"));
  std::string driver, sm, memory;
  std::getline(std::getline(std::getline(answer, driver, ','), sm, ','), memory);
  return {{"driver", driver},
          {"most_sm_mhz", most_mhz(cudaDevAttrClockRate)},
          {"most_memory_mhz", most_mhz(cudaDevAttrMemoryClockRate)},
          {"sm_mhz", std::atoi(sm.c_str())},
          {"memory_mhz", std::atoi(memory.c_str())}};
}

gpu_description find_gpu(device_choice wanted) {
  if (wanted == device_choice::cpu) return {};
  gpu_description gpu = describe_gpu();
  if (wanted == device_choice::gpu && !gpu.present) {
    throw usage_error("--device gpu: " + gpu.why_not);
  }
  return gpu;
}

void print_place(std::ostream& to, device_choice wanted, bool on_gpu, int num_threads) {
  to << (on_gpu || wanted == device_choice::cpu ? "Scanning on " : "No GPU: scanning on ");
  if (on_gpu) {
    to << "the GPU\n";
  } else {
    to << num_threads << (num_threads == 1 ? " CPU thread\n" : " CPU threads\n");
  }
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
