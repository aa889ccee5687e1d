// What became of the cells of a run, and the tables that tell it.
#ifndef SCAN_BENCH_REPORT_REPORT_HPP
#define SCAN_BENCH_REPORT_REPORT_HPP

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/cells/cells.hpp"
#include "bench/measure/rounds.hpp"

namespace bench {

struct cell_result {
  cell what;
  std::vector<measurement> measurements;
  std::string failure;              // why there are none
  std::string input = "synthetic";  // or a file's name

  bool all_verified() const;
  /// Median of the contender of this name; 0 if it is missing or wrong.
  double us(const std::string& name) const;
  /// Of the fastest whose name starts like that, of the faster copy, and of the fastest CUB.
  double fastest_us(const std::string& prefix) const;
  double copy_us() const;
  double cub_us() const;
  double share_of_copy() const { return ratio(copy_us(), scan_us()); }
  double speedup_over_cub() const { return ratio(cub_us(), scan_us()); }
  /// Over the fastest of these, Thrust and accelerated-scan.
  double speedup_over_peers() const;
  /// Of compactions, over Thrust: of calls that wait for the host, both.
  double waiting_speedup() const;
  double scan_us() const;
  /// Of shapes: time over that of the plain call for as many elements.
  double over_one_sequence() const;
  /// Bytes read and written per time, 10^9 a second.
  double gb_per_second(double us) const;

  /// 0 where either is missing.
  static double ratio(double a, double b) { return b > 0 ? a / b : 0; }
};

struct suite_report {
  std::string suite;  // empty: the cells of the command line
  std::string gpu;    // its name; empty: the scans ran on CPU threads
  int num_rounds = 0;
  std::vector<std::string> cub_versions;
  std::vector<cell_result> cells;
  std::vector<cell> skipped;  // do not fit the device's memory
  int num_threads = 0;        // of the CPU
  random_draw draw = {};      // of the suite that draws its cells

  bool on_gpu() const { return !gpu.empty(); }
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
/// Those of the suites "shapes" and "segments".
std::vector<target> shape_targets_of(const suite_report& run);
double geometric_mean(const std::vector<double>& values);

/// `first` is a cell of the run, of which the heading without a suite speaks.
void print_heading(std::ostream& to, const suite_report& run, const cell& first);
/// One line; `position` is "12/560".
void print_cell(std::ostream& to, const cell_result& result, const std::string& position);
/// One line for each contender.
void print_contenders(std::ostream& to, const cell_result& result);
/// Cells that did not fit.
void print_skipped(std::ostream& to, const suite_report& run);
/// Targets, cells slower than CUB, cells skipped, what was wrong.
void print_summary(std::ostream& to, const suite_report& run);
/// Of the suite "random": speed-ups over CUB by size, all that is wrong, the worst cells.
void print_random(std::ostream& to, const suite_report& run);
/// Of these suites: goals, medians and worst cells, and those slower than CUB's ways.
void print_shapes(std::ostream& to, const suite_report& run);
/// Lines of what failed or was wrong.
void print_wrong(std::ostream& to, const cell_result& result);
/// Every contender of the suite "ladder" as time and share of the copy's speed for each n, and what
/// was published of it, on the GPU named there.
void print_ladder(std::ostream& to, const suite_report& run);
/// The same of the suite "blocks", as GB/s (read and written) and share of the copy's speed.
void print_blocks(std::ostream& to, const suite_report& run);

}  // namespace bench

#endif
