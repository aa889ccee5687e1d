// Numbers of elements at whose multiples something begins anew: vectors, what a thread, a warp and
// a tile has. Where segments may begin one element early or late without anyone noticing. Those of
// tiles whose size goes with the number of elements are what the launch plans say.
#ifndef SCAN_TESTS_SEGMENT_EDGES_HPP
#define SCAN_TESTS_SEGMENT_EDGES_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scan/device/plan/segment_plan.hpp"
#include "scan/device/plan/tuning.hpp"
#include "tests/segments/segment_layouts.hpp"
#include "tests/support/plan_switches.hpp"

namespace tests {

struct edge {
  std::int64_t size;   // elements from one to the next
  std::int64_t count;  // so many
};

/// As many edges as there is time for, three at least.
inline std::vector<edge> edges_of(std::vector<std::int64_t> sizes, std::int64_t most_elements) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::vector<edge> edges;
  for (const std::int64_t size : sizes) {
    edges.push_back({size, std::clamp<std::int64_t>(most_elements / size, 3, 40)});
  }
  return edges;
}

/// Of kernels for elements of up to `bytes` bytes; the ring's tiles also where there are so many
/// that it takes them.
inline std::vector<edge> device_edges(int bytes) {
  const scan::device::tuning registers = scan::device::tuning_for(bytes);
  std::vector<std::int64_t> sizes{4,
                                  32,
                                  64,
                                  256,
                                  4096,
                                  8192,
                                  registers.vector_items,
                                  registers.stripe_items(),
                                  registers.warp_items(),
                                  registers.tile_items()};
  std::vector<edge> many;
  for (const bool valued : {false, true}) {
    const scan::device::ring_tuning ring =
        scan::device::segment_ring_tuning_for(bytes, 1, false, valued).ring;
    for (const int size : {ring.run_items(), ring.warp_items(), ring.tile_items()}) {
      sizes.push_back(size);
    }
    many.push_back({ring.tile_items(), 150});
  }
  std::vector<edge> edges = edges_of(sizes, 60000);
  edges.insert(edges.end(), many.begin(), many.end());
  return edges;
}

/// Numbers of up to `most_items` elements at which a plan changes, and one less and more.
inline std::vector<std::int64_t> segment_plan_switches(int element_bytes, int fold_bytes,
                                                       scan::device::segment_rounds rounds,
                                                       bool has_clusters, std::int64_t most_items) {
  const auto plan = [&](std::int64_t n) {
    return scan::device::plan_segments(n, element_bytes, fold_bytes, rounds, has_clusters);
  };
  std::vector<std::int64_t> sizes;
  for (const std::int64_t n : switches(most_items, [&](std::int64_t a, std::int64_t b) {
         return plan(a).stripes == plan(b).stripes && plan(a).in_cluster == plan(b).in_cluster &&
                plan(a).threads_per_block == plan(b).threads_per_block;
       })) {
    for (const std::int64_t near : {n - 1, n, n + 1}) sizes.push_back(near);
  }
  return sizes;
}
/// Of `n` elements, cuts around the edges of the tiles that these plans have; `turn`: by as much
/// from these or from where their halo begins.
inline segment_layout layout_of_plan(std::int64_t n, int element_bytes, int fold_bytes,
                                     scan::device::segment_rounds rounds, bool has_clusters,
                                     std::uint64_t turn) {
  const auto plan = scan::device::plan_segments(n, element_bytes, fold_bytes, rounds, has_clusters);
  const int halo =
      32 * plan.stripes * scan::device::vector_items_for(element_bytes) * plan.halo_warps;
  const std::int64_t tile = plan.tile_items;
  const std::int64_t delta = static_cast<std::int64_t>(turn % 3) - 1 - (turn / 3 % 2) * halo;
  std::vector<std::int64_t> cuts;
  for (std::int64_t edge = tile; edge + delta < n; edge += tile) {
    if (edge + delta > 0) cuts.push_back(edge + delta);
  }
  return layout_of_cuts("cuts " + std::to_string(delta) + " from tiles of " + std::to_string(tile),
                        std::move(cuts), n);
}

/// Of CPU threads: vectors, blocks, tiles and parts.
inline std::vector<edge> host_edges(int bytes) {
  return edges_of({16 / std::min(bytes, 16), 64, 4096 / bytes, 32 * 1024 / bytes, 64 * 1024 / bytes,
                   128 * 1024 / bytes},
                  20000);
}

}  // namespace tests

#endif
