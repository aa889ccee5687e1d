// Times prefix scans against a copy and other libraries. Nothing is timed before its whole output
// has been compared with a serial scan. Exit codes: 0, 1 (a wrong result, a failure), 2 (bad
// usage).
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/command_line.hpp"
#include "bench/cpu_contenders.hpp"
#include "bench/data.hpp"
#include "bench/gpu_contenders.hpp"
#include "bench/progress.hpp"
#include "bench/report.hpp"
#include "bench/suite.hpp"

namespace bench {
namespace {

/// Decides where to scan, and says so.
run_report start(const settings& chosen, std::ostream& table) {
  run_report run{chosen.what, {}, chosen.num_threads, chosen.num_rounds, {}};
  const gpu_description gpu =
      chosen.device == device_choice::cpu ? gpu_description{} : describe_gpu();
  if (chosen.device == device_choice::gpu && !gpu.present) {
    throw usage_error("--device gpu: " + gpu.why_not);
  }
  if (gpu.present) {
    run.gpu = gpu.name;
    table << "Scanning on the GPU\n";
  } else {
    table << (chosen.device == device_choice::cpu ? "Scanning on " : "No GPU: scanning on ")
          << chosen.num_threads << (chosen.num_threads == 1 ? " CPU thread\n" : " CPU threads\n");
  }
  return run;
}

std::vector<std::int64_t> default_sizes(bool on_gpu) {
  std::vector<std::int64_t> sizes;
  for (const int exponent : {10, 14, 18, 20, 22, 24, 26}) {
    sizes.push_back(std::int64_t{1} << exponent);
  }
  if (on_gpu) sizes.push_back(std::int64_t{1} << 28);
  return sizes;
}

void measure_size(run_report& run, const dataset& data, progress& shown, std::ostream& table) {
  const std::vector<contender> contenders = run.on_gpu()
                                                ? gpu_contenders(run.what, data)
                                                : cpu_contenders(run.what, data, run.num_threads);
  size_report size{
      data.file.empty() ? "synthetic" : data.file, data.num_items, data.elements.num_bytes(), {}};
  size.measurements = measure(contenders, run.num_rounds, [&] { shown.step(); });
  shown.clear();
  print_size(table, size);
  shown.finish_size();
  run.sizes.push_back(std::move(size));
}

/// The file to scan, if any; and that the sizes fit, which is checked before anything is measured.
std::optional<dataset> prepare_input(const settings& chosen) {
  for (const std::int64_t n : chosen.sizes) require_host_memory(n, chosen.what.type);
  if (chosen.input.empty()) return std::nullopt;
  dataset data = file_data(chosen.input, chosen.what.type);
  if (data.num_bytes_left_out > 0) {
    std::fprintf(stderr, "%s: bytes at the end that fill no element, left out: %d\n",
                 chosen.input.c_str(), static_cast<int>(data.num_bytes_left_out));
  }
  return data;
}

void measure_all(run_report& run, settings chosen, std::optional<dataset> file,
                 std::ostream& table) {
  if (chosen.sizes.empty()) chosen.sizes = default_sizes(run.on_gpu());
  progress shown(chosen.sizes.size() + (file ? 1 : 0));
  print_heading(table, run);
  if (file) measure_size(run, *file, shown, table);
  file.reset();
  for (const std::int64_t n : chosen.sizes) {
    measure_size(run, synthetic_data(chosen.what.type, n), shown, table);
  }
}

/// Where the results go as JSON, opened now, not after an hour of measuring.
class json_output {
 public:
  explicit json_output(const std::string& path) : path_(path) {
    if (path.empty() || to_stdout()) return;
    file_.open(path);
    if (!file_) throw usage_error(path + ": cannot be written");
  }
  bool to_stdout() const { return path_ == "-"; }
  /// The table keeps out of its way.
  std::ostream& table() const { return to_stdout() ? std::cerr : std::cout; }

  /// `write(stream)` writes the results, if they are wanted.
  void keep(const auto& write) {
    if (path_.empty()) return;
    std::ostream& json = to_stdout() ? std::cout : file_;
    write(json);
    if (!json.flush()) throw usage_error(path_ + ": cannot be written");
  }

 private:
  std::string path_;
  std::ofstream file_;
};

int run(const settings& chosen) {
  std::optional<dataset> file;
  if (chosen.suite.empty()) file = prepare_input(chosen);
  json_output json(chosen.json);
  if (!chosen.suite.empty()) {
    const suite_report results = run_suite(chosen, json.table());
    json.keep([&](std::ostream& to) { write_suite_json(to, results); });
    return results.all_right() ? 0 : 1;
  }
  run_report results = start(chosen, json.table());
  measure_all(results, chosen, std::move(file), json.table());
  json.keep([&](std::ostream& to) { write_json(to, results); });
  return results.all_verified() ? 0 : 1;
}

int fail(int exit_code, const char* message) {
  std::fprintf(stderr, "scan_bench: %s\n", message);
  return exit_code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    const auto chosen = bench::parse_command_line(argc, argv);
    return chosen ? bench::run(*chosen) : 0;
  } catch (const bench::usage_error& error) {
    return bench::fail(2, error.what());
  } catch (const std::bad_alloc&) {
    return bench::fail(1, "out of memory");
  } catch (const std::exception& error) {
    return bench::fail(1, error.what());
  }
}
