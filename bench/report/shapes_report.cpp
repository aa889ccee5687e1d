// What tensors, segments and compactions come to: the goals of each kind. summary.py joins several
// runs, and torch.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <tuple>

#include "bench/contenders/contenders.hpp"
#include "bench/report/report.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

constexpr std::size_t num_shapes_listed = 10;

/// A goal of the cells whose class begins like that, or of all (empty), and whose bytes per side
/// are in the range.
struct shape_goal {
  const char* name;
  const char* shape_class;
  std::int64_t from_bytes, to_bytes;
  bool at_least;
  double bound;
  std::function<double(const cell_result&)> value;

  bool applies(const cell& what) const {
    return what.shape_class().starts_with(shape_class) && what.bytes_per_side() >= from_bytes &&
           what.bytes_per_side() <= to_bytes;
  }
  /// Whether `a` is further from it than `b`.
  bool is_worse(double a, double b) const { return at_least ? a < b : a > b; }
};

/// How many times as fast, by the bytes that each moves, segments are that are told in the same way
/// in as many elements, if their lengths are those of the fastest.
std::function<double(const cell_result&)> over_fastest_lengths(const suite_report& run) {
  const auto group = [](const cell& what) {
    return std::tuple(what.types_name(), what.segments.heads, what.num_items);
  };
  std::map<decltype(group(cell{})), std::vector<double>> shares;
  for (const cell_result& result : run.cells) {
    if (!result.what.is_ragged() || result.share_of_copy() == 0) continue;
    shares[group(result.what)].push_back(result.share_of_copy());
  }
  return [=](const cell_result& result) {
    const auto alike = shares.find(group(result.what));
    if (!result.what.is_ragged() || alike == shares.end() || alike->second.size() < 2) return 0.0;
    return cell_result::ratio(*std::max_element(alike->second.begin(), alike->second.end()),
                              result.share_of_copy());
  };
}

std::vector<shape_goal> shape_goals(const suite_report& run) {
  const auto share_of = [](const char* shape_class, double bound) {
    return shape_goal{
        shape_class, shape_class, 64 * mib, INT64_MAX, true, bound, &cell_result::share_of_copy};
  };
  const auto over_plain = [](const cell_result& result) {
    return result.what.is_ragged() ? 0 : result.over_one_sequence();
  };
  const auto beside = [](const std::string& name) {
    return [=](const cell_result& result) {
      return cell_result::ratio(result.us(name), result.scan_us());
    };
  };
  const auto walk_share = [](const char* name, const char* shape_class, double bound) {
    return shape_goal{
        name, shape_class, 64 * mib, INT64_MAX, true, bound, [](const cell_result& result) {
          return cell_result::ratio(result.copy_us(), result.us(walk_name));
        }};
  };
  return {
      share_of("rows, length >= 32", 0.90),
      share_of("rows, length 2..31", 0.75),
      share_of("columns, inner >= 64 bytes", 0.90),
      share_of("inner 2.. below", 0.75),
      share_of("recurrences, rows", 0.88),
      share_of("recurrences, inner >= 2", 0.88),
      share_of("recurrences by segments", 0.88),
      walk_share("walks: rows, length >= 32", "rows, length >= 32", 0.70),
      walk_share("walks: rows, length 2..31", "rows, length 2..31", 0.75),
      walk_share("walks: columns, inner >= 64 bytes", "columns, inner >= 64 bytes", 0.70),
      walk_share("walks: inner 2.. below", "inner 2.. below", 0.65),
      walk_share("walks: recurrences, rows", "recurrences, rows", 0.70),
      walk_share("walks: recurrences, inner >= 2", "recurrences, inner >= 2", 0.70),
      share_of("segments by offsets", 0.85),
      share_of("segments by keys", 0.85),
      share_of("segments by flags", 0.88),
      share_of("select, flag bytes", 0.85),
      share_of("select, flag bits", 0.85),
      share_of("partition", 0.85),
      share_of("indices", 0.85),
      share_of("unique", 0.80),
      share_of("runs", 0.80),
      share_of("sums", 0.80),
      {"segments: fastest lengths over these", "segments", 64 * mib, INT64_MAX, false, 1.15,
       over_fastest_lengths(run)},
      {"segments: over one sequence", "segments", 64 * mib, INT64_MAX, false, 1.09,
       &cell_result::over_one_sequence},
      {"segments: totals over the same without", "segments", 64 * kib, INT64_MAX, false, 1.10,
       beside(totals_name)},
      {"segments: inits over the same without", "segments", 64 * kib, INT64_MAX, false, 1.10,
       beside(inits_name)},
      {"recurrences by segments: totals over the same without", "recurrences by segments", 64 * kib,
       INT64_MAX, false, 1.10, beside(totals_name)},
      {"recurrences by segments: inits over the same without", "recurrences by segments", 64 * kib,
       INT64_MAX, false, 1.10, beside(inits_name)},
      {"segments, 64 KiB - 16 MiB: over peers", "segments", 64 * kib, 16 * mib, true, 1.15,
       &cell_result::speedup_over_peers},
      {"a single row: over the plain call", "a single row", 0, INT64_MAX, false, 1.02, over_plain},
      {"walks, 256 KiB - 16 MiB: over today's", "", 256 * kib, 16 * mib, false, 1,
       [](const cell_result& result) {
         return cell_result::ratio(result.us(walk_name), result.scan_us());
       }},
      {"256 KiB - 16 MiB: over the plain call", "", 256 * kib, 16 * mib, false, 1.3, over_plain},
      {"times accelerated-scan's speed", "recurrences, rows", 0, INT64_MAX, true, 1,
       &cell_result::speedup_over_peers},
      {"times Thrust's speed, both waiting", "", 0, INT64_MAX, true, 1,
       &cell_result::waiting_speedup},
      {"times the speed of the best CUB", "", 0, INT64_MAX, true, 1,
       &cell_result::speedup_over_cub}};
}

using shape_results = std::vector<const cell_result*>;

/// Those that have the value, the worst first.
shape_results furthest_first(const suite_report& run, const shape_goal& goal) {
  shape_results all;
  for (const cell_result& result : run.cells) {
    if (goal.applies(result.what) && goal.value(result) > 0) all.push_back(&result);
  }
  std::stable_sort(all.begin(), all.end(), [&](const cell_result* a, const cell_result* b) {
    return goal.is_worse(goal.value(*a), goal.value(*b));
  });
  return all;
}

void print_goal(std::ostream& to, const shape_goal& goal, const shape_results& cells) {
  if (cells.empty()) return;
  const auto value = [&](std::size_t i) { return goal.value(*cells[i]); };
  const auto missed = std::count_if(cells.begin(), cells.end(), [&](const cell_result* result) {
    return goal.is_worse(goal.value(*result), goal.bound);
  });
  to << text("%-38s %s %-4g %5d %7d %8.3f %8.3f  %s\n", goal.name,
             goal.at_least ? ">=" : "<=", goal.bound, static_cast<int>(cells.size()),
             static_cast<int>(missed), value(cells.size() / 2), value(0),
             cells.front()->what.name().c_str());
}

}  // namespace

std::vector<target> shape_targets_of(const suite_report& run) {
  std::vector<target> targets;
  for (const shape_goal& goal : shape_goals(run)) {
    const shape_results cells = furthest_first(run, goal);
    targets.push_back({goal.name, goal.at_least, goal.bound, {}});
    if (cells.empty()) continue;
    targets.back().worst = goal.value(*cells.front());
    targets.back().worst_cell = cells.front()->what.name();
  }
  return targets;
}

void print_shapes(std::ostream& to, const suite_report& run) {
  to << "\nSeed " << run.draw.seed << "; shares of copy from 64 MiB per side\n"
     << text("%-38s %-7s %5s %7s %8s %8s  %s\n", "", "goal", "cells", "missed", "median", "worst",
             "in");
  for (const shape_goal& goal : shape_goals(run)) print_goal(to, goal, furthest_first(run, goal));
  const shape_goal over_cub = shape_goals(run).back();
  const shape_results all = furthest_first(run, over_cub);
  to << "The worst against CUB, with microseconds of scan, CUB and copy:\n";
  for (std::size_t i = 0; i < std::min(num_shapes_listed, all.size()); ++i) {
    to << text("  %.3f  %9.2f %9.2f %9.2f  %s\n", over_cub.value(*all[i]), all[i]->scan_us(),
               all[i]->cub_us(), all[i]->copy_us(), all[i]->what.name().c_str());
  }
  print_skipped(to, run);
  for (const cell_result& result : run.cells) print_wrong(to, result);
  to << std::flush;
}

}  // namespace bench
