// What the library has to reach, and the cell that is furthest from it.
#include <array>
#include <functional>

#include "bench/contenders/contenders.hpp"
#include "bench/report/report.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

using cell_test = std::function<bool(const cell&)>;
using cell_value = std::function<double(const cell_result&)>;

/// A goal of the cells that it `applies` to; their `value` of 0 stands for one not measured.
struct rule {
  std::string name;
  bool at_least;
  double bound;
  cell_test applies;
  cell_value value;
};
constexpr bool least = true, most = false;

target worst_of(const suite_report& run, const rule& of) {
  target goal{of.name, of.at_least, of.bound, {}};
  for (const cell_result& result : run.cells) {
    const double here = of.applies(result.what) ? of.value(result) : 0;
    if (here == 0) continue;
    const bool better = of.at_least ? here >= goal.worst : here <= goal.worst;
    if (better && !goal.worst_cell.empty()) continue;
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
  return is_sum(c) && !is_wide(c) && power && !c.in_place && c.in_offset == 0 && c.out_offset == 0;
}

bool is_small_sum(const cell& c) { return is_plain_sum(c) && c.bytes_per_side() <= 16 * kib; }
bool is_large(const cell& c) { return c.bytes_per_side() >= 256 * mib; }
bool is_large_wide(const cell& c) { return is_large(c) && is_wide(c); }
bool is_large_other(const cell& c) { return is_large(c) && !is_sum(c); }
bool is_any(const cell&) { return true; }

/// A difference of 0 reads as not measured; it meets the target, too.
double launch_us(const cell_result& result) {
  return result.us(host_scan_name) - result.us(host_empty_name);
}

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
  std::vector<double> speedups;
  for (const cell_result& result : run.cells) {
    if (result.speedup_over_cub() > 0) speedups.push_back(result.speedup_over_cub());
  }
  target goal{"speed-up over CUB: geometric mean", true, 1.6, {}};
  if (speedups.empty()) return goal;
  goal.worst = geometric_mean(speedups);
  goal.worst_cell = std::to_string(speedups.size()) + " cells";
  return goal;
}

std::vector<rule> rules() {
  const cell_value share = &cell_result::share_of_copy, speedup = &cell_result::speedup_over_cub;
  std::vector<rule> all;
  for (std::size_t i = 0; i + 1 < shares_of_copy.size(); ++i) {
    const std::int64_t from = shares_of_copy[i].from, to = shares_of_copy[i + 1].from;
    const auto within = [=](const cell& c) {
      return is_plain_sum(c) && c.bytes_per_side() >= from && c.bytes_per_side() < to;
    };
    all.push_back({"sums from " + bytes_text(from) + " per side: share of copy", least,
                   shares_of_copy[i].share, within, share});
  }
  const std::vector<rule> others{
      {"sums up to 16 KiB: time over a copy kernel's, in a graph", most, 1.6, is_small_sum,
       over(scan_name, copy_kernel_name)},
      {"sums up to 16 KiB: time over an empty kernel's, in a stream", most, 1.15, is_small_sum,
       over(stream_scan_name, stream_empty_name)},
      {"widening sums from 256 MiB: share of copy", least, 0.94, is_large_wide, share},
      {"minimum, maximum, compose from 256 MiB: share of copy", least, 0.90, is_large_other, share},
      {"in place: time over out of place", most, 1.03, is_any, over(scan_name, out_of_place_name)},
      {"host: us of a call above an empty kernel's launch", most, 0.5, is_any, launch_us},
      {"speed-up over CUB: worst", least, 1, is_any, speedup}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace

std::vector<target> targets_of(const suite_report& run) {
  std::vector<target> goals;
  for (const rule& of : rules()) goals.push_back(worst_of(run, of));
  goals.push_back(mean_speedup(run));
  return goals;
}

}  // namespace bench
