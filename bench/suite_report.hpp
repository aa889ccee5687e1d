// What became of a suite's cells, and what is told of it.
#ifndef SCAN_BENCH_SUITE_REPORT_HPP
#define SCAN_BENCH_SUITE_REPORT_HPP

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/rounds.hpp"
#include "bench/suite_cells.hpp"

namespace bench {

struct cell_result {
  cell what;
  std::vector<measurement> measurements;
  std::string failure;  // why there are none

  bool all_verified() const;
  /// Median of the contender of this name; 0 if it is missing or wrong.
  double us(const std::string& name) const;
  /// Of the faster copy, and of the fastest CUB.
  double copy_us() const;
  double cub_us() const;
  double share_of_copy() const { return ratio(copy_us(), scan_us()); }
  double speedup_over_cub() const { return ratio(cub_us(), scan_us()); }
  double scan_us() const;

  /// 0 where either is missing.
  static double ratio(double a, double b) { return b > 0 ? a / b : 0; }
};

struct suite_report {
  std::string suite;
  std::string gpu;
  int num_rounds = 0;
  std::vector<std::string> cub_versions;
  std::vector<cell_result> cells;
  std::vector<cell> skipped;  // do not fit the device's memory

  bool all_right() const;
};

/// One of the goals, as the cells have it.
struct target {
  std::string name;
  bool at_least;  // the bound is a lower one
  double bound;
  std::string worst_cell;  // empty: nothing of it was measured
  double worst = 0;

  bool met() const { return worst_cell.empty() || (at_least ? worst >= bound : worst <= bound); }
};
std::vector<target> targets_of(const suite_report& run);

/// "u8 plus inclusive 2^20, in place"
std::string cell_name(const cell& what);

void print_suite_heading(std::ostream& to, const suite_report& run);
/// One line; `position` is "12/560".
void print_cell(std::ostream& to, const cell_result& result, const std::string& position);
/// Cells that did not fit.
void print_skipped(std::ostream& to, const suite_report& run);
/// Targets, cells slower than CUB, cells skipped, what was wrong.
void print_summary(std::ostream& to, const suite_report& run);
void write_suite_json(std::ostream& to, const suite_report& run);

}  // namespace bench

#endif
