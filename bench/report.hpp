// What is shown and what is kept of the measurements.
#ifndef SCAN_BENCH_REPORT_HPP
#define SCAN_BENCH_REPORT_HPP

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "bench/problem.hpp"
#include "bench/rounds.hpp"

namespace bench {

/// The measurements of one input.
struct size_report {
  std::string input;  // a file's name, or "synthetic"
  std::int64_t num_items;
  std::int64_t num_bytes;  // of the input, and of the output
  std::vector<measurement> measurements;
};

struct run_report {
  problem what;
  std::string gpu;  // its name; empty: the scans ran on the CPU
  int num_threads = 0;
  int num_rounds = 0;
  std::vector<size_report> sizes;

  bool on_gpu() const { return !gpu.empty(); }
  bool all_verified() const;
};

/// "copy" over `m`, in time; 0 where either is missing.
double share_of_copy(const size_report& size, const measurement& m);
/// Bytes read and written per time, 10^9 a second.
double gb_per_second(const size_report& size, const measurement& m);

void print_heading(std::ostream& to, const run_report& run);
void print_size(std::ostream& to, const size_report& size);
void write_json(std::ostream& to, const run_report& run);

/// The processor's name as the system tells it.
std::string cpu_model();

}  // namespace bench

#endif
