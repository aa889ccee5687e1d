#include "bench/environment.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "bench/build_info.hpp"
#include "bench/commit.hpp"
#include "bench/report.hpp"

namespace bench {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char line[32];
  std::strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return line;
}

/// "13.0" for CUDA's 13000; null where there is none.
nlohmann::json version_text(cudaError_t asked, int version) {
  if (asked != cudaSuccess || version == 0) return nullptr;
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// In MHz; CUDA counts in kHz.
nlohmann::json most_mhz(cudaDeviceAttr clock, int device) {
  int khz = 0;
  if (cudaDeviceGetAttribute(&khz, clock, device) != cudaSuccess || khz == 0) return nullptr;
  return khz / 1000;
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

nlohmann::json number_or_null(const std::string& word) {
  const auto number = nlohmann::json::parse(word, nullptr, false);
  return number.is_number() ? number : nlohmann::json(nullptr);
}

}  // namespace

nlohmann::json environment() {
  int driver = 0, runtime = 0;
  const cudaError_t driver_asked = cudaDriverGetVersion(&driver);
  const cudaError_t runtime_asked = cudaRuntimeGetVersion(&runtime);
  const std::string commit = BENCH_GIT_COMMIT;
  nlohmann::json json = {{"date", utc_now()},
                         {"cpu", cpu_model()},
                         {"cuda_driver", version_text(driver_asked, driver)},
                         {"cuda_runtime", version_text(runtime_asked, runtime)},
                         {"library_version", BENCH_LIBRARY_VERSION},
                         {"git_commit", nullptr}};
  if (!commit.empty()) json["git_commit"] = commit;
  return json;
}

nlohmann::json gpu_environment() {
  nlohmann::json json = {{"driver", nullptr},
                         {"most_sm_mhz", nullptr},
                         {"most_memory_mhz", nullptr},
                         {"sm_mhz", nullptr},
                         {"memory_mhz", nullptr}};
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return json;
  json["most_sm_mhz"] = most_mhz(cudaDevAttrClockRate, device);
  json["most_memory_mhz"] = most_mhz(cudaDevAttrMemoryClockRate, device);
  std::istringstream answer(ask_nvidia_smi("driver_version,clocks.sm,clocks.mem", device));
  std::string driver, sm, memory;
  if (std::getline(answer, driver, ',') && std::getline(answer, sm, ',') &&
      std::getline(answer, memory)) {
    json["driver"] = driver;
    json["sm_mhz"] = number_or_null(sm);
    json["memory_mhz"] = number_or_null(memory);
  }
  return json;
}

}  // namespace bench
