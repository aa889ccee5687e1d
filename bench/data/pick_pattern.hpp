// Which elements a compaction is to keep, on host and device: at random, but so that how many come
// before an element is known without looking at them.
//
// Elements are in groups of 1024 stretches of 2^log_run; of group g `stretches_before(g + 1) -
// stretches_before(g)` stretches are kept, about its share, which ones is random.
#ifndef SCAN_BENCH_DATA_PICK_PATTERN_HPP
#define SCAN_BENCH_DATA_PICK_PATTERN_HPP

#include <algorithm>
#include <cstdint>

#include "bench/cells/picks.hpp"
#include "bench/data/elements.hpp"

namespace bench {

inline constexpr int stretches_per_group = 1024;

SCAN_HOST_DEVICE inline std::uint64_t pick_hash(const picks& what, std::int64_t i) {
  return hash(i ^ static_cast<std::int64_t>(std::uint64_t{what.seed} << 32));
}

/// Of all groups before it: their share of stretches, and a random few more.
SCAN_HOST_DEVICE inline std::int64_t stretches_before(const picks& what, std::int64_t group) {
  const int share = (what.percent * stretches_per_group + 50) / 100;
  const int rest = stretches_per_group - share, less = share < rest ? share : rest;
  const std::uint64_t most = less < 32 ? static_cast<std::uint64_t>(less) : 32;
  const std::uint64_t more = group == 0 ? 0 : (pick_hash(what, group) >> 32) % (most + 1);
  return group * share + static_cast<std::int64_t>(more);
}

/// Whether a group that keeps `num_kept` keeps this one of its stretches: a random bijection.
SCAN_HOST_DEVICE inline bool is_kept(const picks& what, std::int64_t group, int stretch,
                                     std::int64_t num_kept) {
  std::uint64_t key = pick_hash(what, ~group);
  auto place = static_cast<std::uint32_t>(stretch);
  for (int round = 0; round < 3; ++round, key >>= 20) {
    place = (place * static_cast<std::uint32_t>(key | 1) + static_cast<std::uint32_t>(key >> 10)) %
            stretches_per_group;
    place ^= place >> 5;
  }
  return place < num_kept;
}

/// Unique and runs keep the first element whatever the pattern says.
SCAN_HOST_DEVICE inline bool keeps_first_too(const picks& what) {
  return !reads_flags(what.op) && !is_kept(what, 0, 0, stretches_before(what, 1));
}

/// How many of `num_items` are kept.
inline std::int64_t count_kept(const picks& what, std::int64_t num_items) {
  const std::int64_t group = num_items / stretches_per_group >> what.log_run;
  const std::int64_t before = stretches_before(what, group);
  const std::int64_t num_kept = stretches_before(what, group + 1) - before;
  std::int64_t count = before << what.log_run;
  for (int stretch = 0; stretch < stretches_per_group; ++stretch) {
    const std::int64_t start = (group * stretches_per_group + stretch) << what.log_run;
    if (start >= num_items) break;
    if (!is_kept(what, group, stretch, num_kept)) continue;
    count += std::min(std::int64_t{1} << what.log_run, num_items - start);
  }
  return count + (num_items > 0 && keeps_first_too(what) ? 1 : 0);
}

}  // namespace bench

#endif
