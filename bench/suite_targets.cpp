// What the library has to reach, and the cell that is furthest from it.
#include <array>
#include <cmath>
#include <functional>

#include "bench/suite_contenders.hpp"
#include "bench/suite_report.hpp"
#include "bench/text.hpp"

namespace bench {
namespace {

using cell_test = std::function<bool(const cell&)>;
using cell_value = std::function<double(const cell_result&)>;

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

/// `value` of all cells that `applies` to; 0 stands for one that was not measured.
target worst_of(const suite_report& run, const std::string& name, bool at_least, double bound,
                const cell_test& applies, const cell_value& value) {
  target goal{name, at_least, bound, {}};
  for (const cell_result& result : run.cells) {
    if (!applies(result.what)) continue;
    const double here = value(result);
    if (here == 0) continue;
    if (!goal.worst_cell.empty() && (at_least ? here >= goal.worst : here <= goal.worst)) continue;
    goal.worst = here;
    goal.worst_cell = cell_name(result.what);
  }
  return goal;
}

bool is_sum(const cell& c) { return c.operator_name() == "plus"; }
bool is_wide(const cell& c) { return c.in_type() != c.out_type(); }

/// Sums of one type, of 2^k elements, with aligned pointers.
bool is_plain_sum(const cell& c) {
  const bool power = (c.num_items & (c.num_items - 1)) == 0;
  return is_sum(c) && !is_wide(c) && power && !c.in_place && !c.offset;
}

double share_of_copy(const cell_result& result) { return result.share_of_copy(); }

void add_shares_of_copy(std::vector<target>& goals, const suite_report& run) {
  struct step {
    std::int64_t from;
    double share;
  };
  constexpr std::array<step, 6> steps{{{256 * kib, 0.58},
                                       {4 * mib, 0.65},
                                       {16 * mib, 0.80},
                                       {64 * mib, 0.88},
                                       {256 * mib, 0.94},
                                       {1024 * mib, 0.97}}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t from = steps[i].from;
    const std::int64_t to = i + 1 < steps.size() ? steps[i + 1].from : INT64_MAX;
    goals.push_back(worst_of(
        run, "sums from " + bytes_text(from) + " per side: share of copy", true, steps[i].share,
        [=](const cell& c) {
          return is_plain_sum(c) && c.bytes_per_side() >= from && c.bytes_per_side() < to;
        },
        share_of_copy));
  }
}

void add_small_sums(std::vector<target>& goals, const suite_report& run) {
  const auto small = [](const cell& c) {
    return is_plain_sum(c) && c.bytes_per_side() <= 16 * kib;
  };
  goals.push_back(worst_of(run, "sums up to 16 KiB: time over a copy kernel's, in a graph", false,
                           1.6, small, [](const cell_result& r) {
                             return cell_result::ratio(r.scan_us(), r.us(copy_kernel_name));
                           }));
  goals.push_back(worst_of(run, "sums up to 16 KiB: time over an empty kernel's, in a stream",
                           false, 1.15, small, [](const cell_result& r) {
                             return cell_result::ratio(r.us(stream_scan_name),
                                                       r.us(stream_empty_name));
                           }));
}

void add_large_others(std::vector<target>& goals, const suite_report& run) {
  const auto large = [](const cell& c) { return c.bytes_per_side() >= 256 * mib; };
  goals.push_back(worst_of(
      run, "widening sums from 256 MiB: share of copy", true, 0.94,
      [=](const cell& c) { return large(c) && is_wide(c); }, share_of_copy));
  goals.push_back(worst_of(
      run, "minimum, maximum, compose from 256 MiB: share of copy", true, 0.90,
      [=](const cell& c) { return large(c) && !is_sum(c); }, share_of_copy));
}

target mean_speedup(const suite_report& run) {
  double logarithms = 0;
  int num_cells = 0;
  for (const cell_result& result : run.cells) {
    if (result.speedup_over_cub() == 0) continue;
    logarithms += std::log(result.speedup_over_cub());
    ++num_cells;
  }
  target goal{"speed-up over CUB: geometric mean", true, 1.6, {}};
  if (num_cells == 0) return goal;
  goal.worst = std::exp(logarithms / num_cells);
  goal.worst_cell = std::to_string(num_cells) + " cells";
  return goal;
}

}  // namespace

std::vector<target> targets_of(const suite_report& run) {
  const auto every = [](const cell&) { return true; };
  std::vector<target> goals;
  add_shares_of_copy(goals, run);
  add_small_sums(goals, run);
  add_large_others(goals, run);
  goals.push_back(worst_of(run, "in place: time over out of place", false, 1.03, every,
                           [](const cell_result& r) {
                             return cell_result::ratio(r.scan_us(), r.us(out_of_place_name));
                           }));
  // A difference of 0 would read as not measured; it meets the target, too.
  goals.push_back(
      worst_of(run, "host: us of a call above an empty kernel's launch", false, 0.5, every,
               [](const cell_result& r) { return r.us(host_scan_name) - r.us(host_empty_name); }));
  goals.push_back(worst_of(run, "speed-up over CUB: worst", true, 1, every,
                           [](const cell_result& r) { return r.speedup_over_cub(); }));
  goals.push_back(mean_speedup(run));
  return goals;
}

}  // namespace bench
