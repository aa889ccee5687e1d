// Runs a suite: a fixed table of measurements on the GPU.
#ifndef SCAN_BENCH_SUITE_HPP
#define SCAN_BENCH_SUITE_HPP

#include <iosfwd>

#include "bench/command_line.hpp"
#include "bench/suite_report.hpp"

namespace bench {

/// Measures the cells of `chosen.suite` that its filter takes, and prints one line for each and a
/// summary. What fails is part of the report. Throws `usage_error` where there is no GPU or no such
/// cell.
suite_report run_suite(const settings& chosen, std::ostream& table);

}  // namespace bench

#endif
