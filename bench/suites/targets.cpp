// What the library has to reach, and the cell that is furthest from it.
#include <array>
#include <cmath>
#include <functional>

#include "bench/measure/report.hpp"
#include "bench/measure/text.hpp"
#include "bench/suites/contenders.hpp"

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
    goal.worst_cell = result.what.name();
  }
  return goal;
}

bool is_sum(const cell& c) { return c.operator_name() == "plus"; }
bool is_wide(const cell& c) { return c.in_type() != c.out_type(); }

/// Sums of one type, of 2^k elements, with aligned pointers.
bool is_plain_sum(const cell& c) {
  const bool power = (c.num_items & (c.num_items - 1)) == 0;
  return is_sum(c) && !is_wide(c) && power && !c.in_place && c.offset == 0;
}

bool is_small_sum(const cell& c) { return is_plain_sum(c) && c.bytes_per_side() <= 16 * kib; }
bool is_large(const cell& c) { return c.bytes_per_side() >= 256 * mib; }

double share_of_copy(const cell_result& result) { return result.share_of_copy(); }

/// The quotient of two contenders' times.
cell_value over(const std::string& name, const std::string& other) {
  return [=](const cell_result& result) {
    return cell_result::ratio(result.us(name), result.us(other));
  };
}

struct step {
  std::int64_t from;  // bytes per side, up to those of the next step
  double share;
};
constexpr std::array<step, 7> shares_of_copy{{{256 * kib, 0.58},
                                              {4 * mib, 0.65},
                                              {16 * mib, 0.80},
                                              {64 * mib, 0.88},
                                              {256 * mib, 0.94},
                                              {1024 * mib, 0.97},
                                              {INT64_MAX, 1}}};

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
  std::vector<target> goals;
  const auto at_least = [&](const std::string& name, double bound, const cell_test& applies,
                            const cell_value& value) {
    goals.push_back(worst_of(run, name, true, bound, applies, value));
  };
  const auto at_most = [&](const std::string& name, double bound, const cell_test& applies,
                           const cell_value& value) {
    goals.push_back(worst_of(run, name, false, bound, applies, value));
  };
  const auto every = [](const cell&) { return true; };
  for (std::size_t i = 0; i + 1 < shares_of_copy.size(); ++i) {
    const std::int64_t from = shares_of_copy[i].from, to = shares_of_copy[i + 1].from;
    const auto within = [=](const cell& c) {
      return is_plain_sum(c) && c.bytes_per_side() >= from && c.bytes_per_side() < to;
    };
    at_least("sums from " + bytes_text(from) + " per side: share of copy", shares_of_copy[i].share,
             within, share_of_copy);
  }
  at_most("sums up to 16 KiB: time over a copy kernel's, in a graph", 1.6, is_small_sum,
          over(scan_name, copy_kernel_name));
  at_most("sums up to 16 KiB: time over an empty kernel's, in a stream", 1.15, is_small_sum,
          over(stream_scan_name, stream_empty_name));
  at_least(
      "widening sums from 256 MiB: share of copy", 0.94,
      [](const cell& c) { return is_large(c) && is_wide(c); }, share_of_copy);
  at_least(
      "minimum, maximum, compose from 256 MiB: share of copy", 0.90,
      [](const cell& c) { return is_large(c) && !is_sum(c); }, share_of_copy);
  at_most("in place: time over out of place", 1.03, every, over(scan_name, out_of_place_name));
  // A difference of 0 would read as not measured; it meets the target, too.
  at_most("host: us of a call above an empty kernel's launch", 0.5, every,
          [](const cell_result& r) { return r.us(host_scan_name) - r.us(host_empty_name); });
  at_least("speed-up over CUB: worst", 1, every,
           [](const cell_result& r) { return r.speedup_over_cub(); });
  goals.push_back(mean_speedup(run));
  return goals;
}

}  // namespace bench
