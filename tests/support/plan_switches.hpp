// Numbers of elements at which something of a launch plan changes, found by asking for plans: sizes
// for tests that want every kernel, every shape and the edges of tiles, whatever the plans are.
#ifndef SCAN_TESTS_PLAN_SWITCHES_HPP
#define SCAN_TESTS_PLAN_SWITCHES_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scan/device/plan/sequence_plan.hpp"

namespace tests {

using scan::device::launch_plan;

/// Whether two plans run the same code in blocks of the same size. (The number of tiles may change
/// with every element.)
inline bool same_shape(const launch_plan& a, const launch_plan& b) {
  return a.kernel == b.kernel && a.in_cluster == b.in_cluster && a.tile.stripes == b.tile.stripes &&
         a.threads_per_block == b.threads_per_block;
}

/// The n in (low, high] for which same(n - 1, n) does not hold, by bisection wherever the ends of
/// an interval differ; a switch and the switch back within 1/256 of n are not seen.
template <class Same>
void add_switches(std::int64_t low, std::int64_t high, const Same& same,
                  std::vector<std::int64_t>& found) {
  if (low >= high || same(low, high)) return;
  if (high - low == 1) {
    found.push_back(high);
    return;
  }
  const std::int64_t middle = low + (high - low) / 2;
  add_switches(low, middle, same, found);
  add_switches(middle, high, same, found);
}
template <class Same>
std::vector<std::int64_t> switches(std::int64_t most_items, const Same& same) {
  std::vector<std::int64_t> found;
  for (std::int64_t n = 1; n < most_items;) {
    const std::int64_t next = std::min(most_items, n + 1 + n / 256);
    add_switches(n, next, same, found);
    n = next;
  }
  return found;
}

/// Every n of up to `most_items` that is scanned by another kernel or in another shape than n - 1.
inline std::vector<std::int64_t> plan_switches(
    int element_bytes, const scan::device::device_limits& limits, std::int64_t most_items,
    scan::algorithm wanted = scan::algorithm::automatic) {
  const auto plan = [&](std::int64_t n) {
    return scan::device::plan_for(n, element_bytes, wanted, limits);
  };
  return switches(most_items,
                  [&](std::int64_t a, std::int64_t b) { return same_shape(plan(a), plan(b)); });
}

/// The first n of up to `most_items` whose plan by `wanted` is as asked, 0 for none; as exact as
/// `switches`.
template <class Asked>
std::int64_t first_planned(int element_bytes, const scan::device::device_limits& limits,
                           std::int64_t most_items, scan::algorithm wanted, const Asked& asked) {
  const auto holds = [&](std::int64_t n) {
    return asked(scan::device::plan_for(n, element_bytes, wanted, limits));
  };
  if (holds(1)) return 1;
  const auto found =
      switches(most_items, [&](std::int64_t a, std::int64_t b) { return holds(a) == holds(b); });
  return found.empty() ? 0 : found.front();
}

/// The first n of up to `most_items` that `wanted` scans in `num_tiles` tiles or more: n - 1
/// elements are the last to fit fewer. 0 for none.
inline std::int64_t first_of_tiles(std::int64_t num_tiles, int element_bytes,
                                   const scan::device::device_limits& limits,
                                   std::int64_t most_items,
                                   scan::algorithm wanted = scan::algorithm::automatic) {
  return first_planned(element_bytes, limits, most_items, wanted,
                       [&](const launch_plan& plan) { return plan.num_tiles >= num_tiles; });
}

/// Sizes around the edges of the tiles of `wanted`: one tile but for an element, a full one, two of
/// which one has an element, and four.
inline std::vector<std::int64_t> tile_edges(int element_bytes,
                                            const scan::device::device_limits& limits,
                                            scan::algorithm wanted) {
  const auto first = [&](std::int64_t num_tiles) {
    return first_of_tiles(num_tiles, element_bytes, limits, std::int64_t{1} << 24, wanted);
  };
  const std::int64_t two = first(2);
  return {two - 2, two - 1, two, first(4) + 6};
}

/// The last n that `automatic` scans without tile states, and the next.
inline std::vector<std::int64_t> state_edges(int element_bytes,
                                             const scan::device::device_limits& limits) {
  const std::int64_t with_states =
      first_planned(element_bytes, limits, std::int64_t{1} << 24, scan::algorithm::automatic,
                    [](const launch_plan& plan) { return plan.states_bytes > 0; });
  return {with_states - 1, with_states};
}

}  // namespace tests

#endif
