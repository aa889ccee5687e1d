// Measures the rounding errors of sums, every output against an exact one, beside the same sums in
// other orders and the bound that the library's order promises. Exit codes: 0, 1 (an error beyond
// the bound, a failure), 2 (bad usage).
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "bench/command_line.hpp"
#include "bench/errors/errors.hpp"
#include "bench/measure/environment.hpp"
#include "bench/measure/progress.hpp"
#include "bench/report/output.hpp"

namespace bench {
namespace {

/// Decides where to scan, and says so.
scan_place choose_place(error_settings& chosen, error_run& run, std::ostream& table) {
  const gpu_description gpu = find_gpu(chosen.device);
  run.gpu = gpu.name;
  if (chosen.sizes.empty()) {
    chosen.sizes = {1 << 10, 1 << 20, std::int64_t{1} << (gpu.present ? 28 : 24)};
  }
  if (!chosen.markdown) print_place(table, chosen.device, gpu.present, chosen.num_threads);
  return {gpu.present, chosen.num_threads};
}

/// Cases to measure at a time: what threads and half of the memory are good for.
int num_at_once(std::int64_t num_items, int num_threads, std::size_t num_cases) {
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const std::int64_t case_bytes = num_items * static_cast<std::int64_t>(2 * sizeof(float));
  const std::int64_t most = std::min<std::int64_t>(num_threads, static_cast<int>(num_cases));
  return static_cast<int>(std::clamp<std::int64_t>(memory / 2 / case_bytes, 1, most));
}

/// All cases of a size, several at a time: judging is serial and takes longer than scanning.
std::vector<error_report> measure_size(std::int64_t num_items, const error_settings& chosen,
                                       const scan_place& place, progress& shown) {
  const std::vector<error_case> cases = all_cases(num_items);
  std::vector<error_report> reports(cases.size());
  std::atomic<std::size_t> next = 0;
  std::mutex showing;
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++) {
      reports[i] = measure_errors(cases[i], chosen.seed, place);
      const std::lock_guard<std::mutex> lock(showing);
      shown.step();
    }
  };
  std::vector<std::future<void>> workers;
  for (int i = num_at_once(num_items, chosen.num_threads, cases.size()); i > 0; --i) {
    workers.push_back(std::async(std::launch::async, work));
  }
  for (std::future<void>& worker : workers) worker.get();
  return reports;
}

int run(error_settings chosen) {
  json_output json(chosen.json);
  std::ostream& table = json.table();
  for (const std::int64_t n : chosen.sizes) require_host_memory(n, sizeof(float));

  error_run results{{}, chosen.seed, {}};
  const scan_place place = choose_place(chosen, results, table);
  progress shown(chosen.sizes.size());
  if (!chosen.markdown) print_error_heading(table);
  for (const std::int64_t n : chosen.sizes) {
    const std::vector<error_report> reports = measure_size(n, chosen, place, shown);
    results.reports.insert(results.reports.end(), reports.begin(), reports.end());
    shown.clear();
    if (!chosen.markdown) print_errors(table, reports);
    shown.finish_size();
  }
  if (chosen.markdown) print_markdown(table, results);
  json.keep(results);
  return complain(results) ? 1 : 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::exit_code("scan_errors", [&] {
    const auto chosen = bench::parse_error_command_line(argc, argv);
    return chosen ? bench::run(*chosen) : 0;
  });
}
