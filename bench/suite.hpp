// Measures the cells of a suite on a GPU, or those that the command line asks for, there or on CPU
// threads.
#ifndef SCAN_BENCH_SUITE_HPP
#define SCAN_BENCH_SUITE_HPP

#include <iosfwd>
#include <optional>
#include <vector>

#include "bench/command_line.hpp"
#include "bench/contenders/contenders.hpp"
#include "bench/data/host_data.hpp"
#include "bench/measure/environment.hpp"
#include "bench/report/report.hpp"

namespace bench {

/// What is to be measured, and where.
struct suite_plan {
  settings chosen;
  gpu_description gpu;  // present: that is where
  std::vector<cell> cells;
  std::optional<dataset> file;
};

/// Looks for the GPU and reads the file. Throws `usage_error` where something is not there, before
/// anything is measured.
suite_plan plan_suite(const settings& chosen);

/// Measures the cells, and prints what it has of each and, of a suite, a summary. What fails is
/// part of the report.
suite_report run_suite(suite_plan plan, std::ostream& table, gpu_contenders_of contenders_of);

}  // namespace bench

#endif
