// Measures the rounding errors of sums, every output against an exact one, beside the same sums in
// other orders and the bound that the library's order promises. Exit codes: 0, 1 (an error beyond
// the bound, a failure), 2 (bad usage).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/command_line.hpp"
#include "bench/data.hpp"
#include "bench/device_buffer.hpp"
#include "bench/error_cases.hpp"
#include "bench/error_report.hpp"
#include "bench/progress.hpp"

namespace bench {
namespace {

struct error_settings {
  std::vector<std::int64_t> sizes;
  std::string device = "auto";
  std::uint64_t seed = 2016;
  int num_threads = 1;
  bool markdown = false;
  std::string json;  // a file to write, "-": stdout, empty: none
};

constexpr const char* description =
    "Measures rounding errors of inclusive sums against exact ones (integers of 128 bits), and\n"
    "exits with 1 if one is beyond the bound.\n\n"
    "Inputs, rounded to the element type: uniform in [0, 1); alternating: the same with signs\n"
    "+ - + -; wide: m * 2^e with m uniform in [1, 2) and e in [-20, 20], for half in [-10, 0].\n"
    "Inputs of half are scaled by a power of two so that no sum passes 65504, half's largest.\n\n"
    "Errors, the largest over all prefixes: |output - exact| / sum |x|, which is the relative\n"
    "error where signs agree; and for alternating signs, where prefixes pass through zero, also\n"
    "|output - exact| / max |exact| over the prefix sums so far.\n\n"
    "Sums: scan (this library), serial (one after another in float), serial in the 16-bit type,\n"
    "tree (up-sweep and down-sweep over a binary tree in float). All are rounded to the output's\n"
    "type once. d: additions on the longest way from an input to an output of this library;\n"
    "bound: d u / (1 - d u) with u = 2^-24, and for 16-bit outputs the rounding of these.";

/// Nothing after `--help`, which has been printed. Throws `usage_error`.
std::optional<error_settings> parse(int argc, char** argv) {
  error_settings chosen;
  chosen.num_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::string> sizes;
  CLI::App app(description);
  app.name("scan_errors");
  app.add_option("--sizes", sizes,
                 "Elements: 1000,2^20,16M (default: 2^10,2^20, and 2^28 on a GPU, else 2^24)")
      ->delimiter(',')
      ->type_name("N,...");
  app.add_option("--device", chosen.device, "Where to scan: auto, cpu or gpu")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}).description(""))
      ->capture_default_str()
      ->type_name("WORD");
  app.add_option("--seed", chosen.seed, "Of the random inputs")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{0xffffffff}).description(""))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--threads", chosen.num_threads, "CPU threads")
      ->check(CLI::Range(1, 4096).description(""))
      ->capture_default_str()
      ->type_name("N");
  app.add_flag("--markdown", chosen.markdown, "Print the README's table");
  app.add_option("--json", chosen.json, "Write the results to this file; -: stdout")
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    std::cout << app.help();
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  }
  for (const std::string& size : sizes) chosen.sizes.push_back(parse_size(size));
  return chosen;
}

/// Decides where to scan, and says so.
scan_place choose_place(error_settings& chosen, error_run& run, std::ostream& table) {
  int num_gpus = 0;
  cudaError_t code = cudaSuccess;
  if (chosen.device != "cpu") code = cudaGetDeviceCount(&num_gpus);
  const bool on_gpu = code == cudaSuccess && num_gpus > 0;
  if (chosen.device == "gpu" && !on_gpu) {
    throw usage_error(std::string("--device gpu: ") +
                      (code == cudaSuccess ? "no CUDA device" : cudaGetErrorString(code)));
  }
  if (on_gpu) {
    cudaDeviceProp properties = {};
    check_cuda(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
    run.gpu = properties.name;
  }
  if (chosen.sizes.empty()) {
    chosen.sizes = {1 << 10, 1 << 20, std::int64_t{1} << (on_gpu ? 28 : 24)};
  }
  if (!chosen.markdown) {
    table << (on_gpu                    ? "Scanning on the GPU"
              : chosen.device == "auto" ? "No GPU: scanning on CPU threads"
                                        : "Scanning on CPU threads")
          << std::endl;
  }
  return {on_gpu, chosen.num_threads};
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
  const bool json_to_stdout = chosen.json == "-";
  std::ostream& table = json_to_stdout ? std::cerr : std::cout;
  std::ofstream json_file;
  if (!chosen.json.empty() && !json_to_stdout) {
    json_file.open(chosen.json);  // now, not after minutes of measuring
    if (!json_file) throw usage_error(chosen.json + ": cannot be written");
  }
  for (const std::int64_t n : chosen.sizes) require_host_memory(n, element_type::f32);

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
  if (!chosen.json.empty()) {
    std::ostream& json = json_to_stdout ? std::cout : json_file;
    write_error_json(json, results);
    if (!json.flush()) throw usage_error(chosen.json + ": cannot be written");
  }
  return complain(results) ? 1 : 0;
}

int fail(int exit_code, const char* message) {
  std::fprintf(stderr, "scan_errors: %s\n", message);
  return exit_code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    const auto chosen = bench::parse(argc, argv);
    return chosen ? bench::run(*chosen) : 0;
  } catch (const bench::usage_error& error) {
    return bench::fail(2, error.what());
  } catch (const std::bad_alloc&) {
    return bench::fail(1, "out of memory");
  } catch (const std::exception& error) {
    return bench::fail(1, error.what());
  }
}
