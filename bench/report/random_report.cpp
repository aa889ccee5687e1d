// What the cells drawn at random come to. summary.py splits them further, and joins several seeds.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <ostream>

#include "bench/report/report.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

constexpr double slower_than = 0.97;  // of CUB's speed: less is no noise
constexpr std::size_t num_worst = 10;

struct size_class {
  const char* name;
  std::int64_t to;  // bytes per side, exclusive
};
constexpr size_class size_classes[] = {{"256 B - 4 KiB", 4 * kib},     {"4 - 64 KiB", 64 * kib},
                                       {"64 - 256 KiB", 256 * kib},    {"256 KiB - 4 MiB", 4 * mib},
                                       {"4 - 16 MiB", 16 * mib},       {"16 - 64 MiB", 64 * mib},
                                       {"64 MiB - 1 GiB", 1024 * mib}, {"over 1 GiB", INT64_MAX}};

using results = std::vector<const cell_result*>;

/// Those that were compared, the worst first.
results worst_first(const suite_report& run) {
  results all;
  for (const cell_result& result : run.cells) {
    if (result.speedup_over_cub() > 0) all.push_back(&result);
  }
  std::stable_sort(all.begin(), all.end(), [](const cell_result* a, const cell_result* b) {
    return a->speedup_over_cub() < b->speedup_over_cub();
  });
  return all;
}

/// Of one class, the worst first.
void print_class(std::ostream& to, const char* name, const results& cells) {
  if (cells.empty()) return;
  std::vector<double> speedups, shares;
  for (const cell_result* result : cells) {
    speedups.push_back(result->speedup_over_cub());
    shares.push_back(result->share_of_copy());
  }
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  const auto slower = std::lower_bound(speedups.begin(), speedups.end(), slower_than);
  to << text("%-16s %6d %8.2f %8.2f %6d %8.2f  %s\n", name, static_cast<int>(cells.size()),
             geometric_mean(speedups), speedups.front(),
             static_cast<int>(slower - speedups.begin()), *middle,
             cells.front()->what.name().c_str());
}

}  // namespace

double geometric_mean(const std::vector<double>& values) {
  const auto add = [](double sum, double value) { return sum + std::log(value); };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0, add);
  return std::exp(sum / static_cast<double>(values.size()));
}

void print_random(std::ostream& to, const suite_report& run) {
  const results all = worst_first(run);
  to << "\nSeed " << run.draw.seed << ": times as fast as the fastest CUB\n"
     << text("%-16s %6s %8s %8s %6s %8s  %s\n", "per side", "cells", "mean", "worst", "< 0.97",
             "of copy", "worst in");
  std::int64_t from = 0;
  for (const size_class& here : size_classes) {
    results within;
    std::copy_if(all.begin(), all.end(), std::back_inserter(within),
                 [&](const cell_result* result) {
                   const std::int64_t num_bytes = result->what.bytes_per_side();
                   return num_bytes >= from && num_bytes < here.to;
                 });
    print_class(to, here.name, within);
    from = here.to;
  }
  print_class(to, "all", all);
  to << std::count_if(run.cells.begin(), run.cells.end(), [](const cell_result& result) {
    return !result.all_verified();
  }) << " wrong\nThe worst, with microseconds of scan, CUB and copy:\n";
  for (std::size_t i = 0; i < std::min(num_worst, all.size()); ++i) {
    to << text("  %.3f  %9.2f %9.2f %9.2f  %s\n", all[i]->speedup_over_cub(), all[i]->scan_us(),
               all[i]->cub_us(), all[i]->copy_us(), all[i]->what.name().c_str());
  }
  print_skipped(to, run);
  for (const cell_result& result : run.cells) print_wrong(to, result);
  to << std::flush;
}

}  // namespace bench
