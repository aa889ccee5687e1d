#include "bench/measure/rounds.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

/// Quantile of sorted values, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

/// A wrong variant is never hidden behind a right one of the same name.
bool better(const measurement& a, const measurement& b) {
  if (a.verified() != b.verified()) return !a.verified();
  return a.median_us < b.median_us;
}

std::vector<measurement> best_variants(const std::vector<measurement>& all) {
  std::vector<measurement> best;
  for (const measurement& m : all) {
    const auto same = std::find_if(best.begin(), best.end(),
                                   [&](const measurement& other) { return other.name == m.name; });
    if (same == best.end()) {
      best.push_back(m);
    } else if (better(m, *same)) {
      *same = m;
    }
  }
  return best;
}

}  // namespace

std::vector<measurement> measure(const std::vector<contender>& contenders, int num_rounds,
                                 const std::function<void()>& on_step) {
  std::vector<measurement> results;
  for (const contender& c : contenders) {
    results.push_back({c.name, c.first_wrong()});
    on_step();
  }
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = 0; round < num_rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      if (results[i].verified()) times[i].push_back(contenders[i].time_us());
      on_step();
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (times[i].empty()) continue;
    std::sort(times[i].begin(), times[i].end());
    results[i].q1_us = quantile(times[i], 0.25);
    results[i].median_us = quantile(times[i], 0.5);
    results[i].q3_us = quantile(times[i], 0.75);
  }
  return best_variants(results);
}

}  // namespace bench
