#include <cuda_runtime_api.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <ostream>

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

nlohmann::json row(const size_report& size, const measurement& m) {
  nlohmann::json row = {{"input", size.input},      {"n", size.num_items},
                        {"bytes", size.num_bytes},  {"algorithm", m.name},
                        {"verified", m.verified()}, {"median_us", nullptr},
                        {"q1_us", nullptr},         {"q3_us", nullptr},
                        {"gb_per_s", nullptr},      {"share_of_copy", nullptr}};
  if (!m.verified()) {
    row["first_wrong"] = m.first_wrong;
    return row;
  }
  row["median_us"] = m.median_us;
  row["q1_us"] = m.q1_us;
  row["q3_us"] = m.q3_us;
  row["gb_per_s"] = gb_per_second(size, m);
  if (const double share = share_of_copy(size, m); share > 0) row["share_of_copy"] = share;
  return row;
}

}  // namespace

void write_json(std::ostream& to, const run_report& run) {
  int driver = 0, runtime = 0;
  const cudaError_t driver_asked = cudaDriverGetVersion(&driver);
  const cudaError_t runtime_asked = cudaRuntimeGetVersion(&runtime);
  const std::string commit = BENCH_GIT_COMMIT;
  nlohmann::json json = {{"date", utc_now()},
                         {"type", run.what.type_name()},
                         {"operator", run.what.operator_name()},
                         {"kind", run.what.kind_name()},
                         {"device", run.on_gpu() ? "gpu" : "cpu"},
                         {"gpu", nullptr},
                         {"cpu", cpu_model()},
                         {"cuda_driver", version_text(driver_asked, driver)},
                         {"cuda_runtime", version_text(runtime_asked, runtime)},
                         {"threads", run.num_threads},
                         {"library_version", BENCH_LIBRARY_VERSION},
                         {"git_commit", nullptr},
                         {"rounds", run.num_rounds},
                         {"rows", nlohmann::json::array()}};
  if (run.on_gpu()) json["gpu"] = run.gpu;
  if (!commit.empty()) json["git_commit"] = commit;
  for (const size_report& size : run.sizes) {
    for (const measurement& m : size.measurements) json["rows"].push_back(row(size, m));
  }
  to << json.dump(2) << '\n';
}

}  // namespace bench
