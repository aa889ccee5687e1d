// How a scan is launched: which kernel, in how many tiles. The one place where that is decided;
// those who launch, who size a workspace and who check results all ask here.
//
// Only the number and size of the elements enter, and whether the device has a ring, so the order
// of operations depends on nothing else.
#ifndef SCAN_DEVICE_LAUNCH_PLAN_HPP
#define SCAN_DEVICE_LAUNCH_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/device_limits.hpp"
#include "scan/device/tuning.hpp"
#include "scan/options.hpp"
#include "scan/protocol/tile_states.hpp"

namespace scan::device {

struct launch_plan {
  algorithm kernel;  // wave, look_back or ring
  bool in_cluster;   // of the wave: the blocks are one cluster (or one block), which has no states
  /// How a tile is cut: of the ring, a thread's run is a row of one vector.
  tuning shape;
  int batch_tiles;           // whose aggregates are folded together
  int threads_per_block;     // to launch
  std::int64_t num_tiles;    // at least one
  std::int64_t most_blocks;  // of persistent blocks: as many as run at once
  std::size_t states_bytes;  // of tile states
};

/// Tiles of a scan of `num_items` elements; num_items > 0.
SCAN_HOST_DEVICE constexpr std::int64_t tiles_of(std::int64_t num_items, int tile_items) {
  return (num_items - 1) / tile_items + 1;
}

/// Blocks of a cluster at most: as many as every device with clusters takes.
inline constexpr int most_cluster_blocks = 8;
/// The wave kernel has no more tiles than this before its blocks are as large as they get: they
/// keep a large GPU's multiprocessors busy with one or two each.
inline constexpr int most_small_tiles = 128;
inline constexpr int small_tile_threads = 256;

/// The wave's shape for `num_items` elements. A single block as long as 512 threads do; then a
/// cluster of blocks of up to 512, which is faster than tickets and states; then 256 and more.
constexpr tuning wave_shape(std::int64_t num_items, int element_bytes) {
  tuning shape = wave_tuning_for(element_bytes);
  const int warp_items = shape.warp_items(), most = shape.threads_per_block;
  const auto tiles_with = [&](int threads) {
    return tiles_of(num_items, threads / 32 * warp_items);
  };
  const auto threads = [&] {
    const int alone = most < 512 ? most : 512;
    if (num_items == 0) return 32;
    if (tiles_with(alone) == 1) return 32 * static_cast<int>(tiles_with(32));
    if (tiles_with(alone) <= most_cluster_blocks) {
      return tiles_with(256) <= most_cluster_blocks ? 256 : alone;
    }
    int count = small_tile_threads;
    while (count < most && tiles_with(count) > most_small_tiles) count *= 2;
    return count;
  };
  shape.threads_per_block = threads();
  return shape;
}

/// The kernel for `num_items` elements: the wave while a block has its tile almost at once, the
/// ring when its long start is paid for. For 4-byte elements it begins a little early: misaligned
/// pointers cost it less than the look-back kernel. (bench/NOTES.md)
constexpr algorithm kernel_for(std::int64_t num_items, int element_bytes, bool has_ring) {
  const auto fits = [&](int mib) { return num_items <= (std::int64_t{mib} << 20) / element_bytes; };
  const int wave_mib = element_bytes == 1 ? 4 : 2;
  const int look_back_mib = element_bytes == 1 ? 8 : 28;
  if (fits(wave_mib)) return algorithm::wave;
  return has_ring && !fits(look_back_mib) ? algorithm::ring : algorithm::look_back;
}

/// The plan for elements of at most `element_bytes` bytes, of input, output and init, by `wanted`,
/// which is no baseline. `widens`: output elements have more bytes than input ones. A scan of no
/// elements, which has a total to write, is a wave of one block.
constexpr launch_plan plan_for(std::int64_t num_items, int element_bytes, algorithm wanted,
                               const device_limits& limits, bool widens = false) {
  const bool has_ring = limits.ring_bytes_of_block > 0;
  launch_plan plan{};
  plan.kernel =
      wanted == algorithm::automatic ? kernel_for(num_items, element_bytes, has_ring) : wanted;
  if (num_items == 0) plan.kernel = algorithm::wave;
  plan.batch_tiles = 32 * look_back_warps;
  if (plan.kernel == algorithm::ring) {
    const ring_tuning ring = ring_tuning_for(element_bytes, widens);
    plan.shape = {32 * ring.scan_warps, 1, 1, ring.run_items()};
    plan.batch_tiles = 32;
    plan.threads_per_block = ring.threads_per_block();
  } else {
    plan.shape = plan.kernel == algorithm::look_back ? tuning_for(element_bytes)
                                                     : wave_shape(num_items, element_bytes);
    plan.threads_per_block = plan.shape.threads_per_block;
  }
  plan.num_tiles = num_items == 0 ? 1 : tiles_of(num_items, plan.shape.tile_items());
  plan.in_cluster =
      plan.kernel == algorithm::wave &&
      (plan.num_tiles == 1 || (limits.has_clusters && plan.num_tiles <= most_cluster_blocks));
  plan.most_blocks = std::int64_t{limits.sm_count} * plan.shape.blocks_per_sm;
  plan.states_bytes = plan.in_cluster ? 0 : tile_states_bytes(plan.num_tiles, element_bytes);
  return plan;
}

/// No scan of up to `num_items` elements by the library's own kernels has more bytes of states,
/// whatever the device.
constexpr std::size_t most_states_bytes(std::int64_t num_items, int element_bytes) {
  const auto states = [&](algorithm wanted) {
    return plan_for(num_items, element_bytes, wanted, {}).states_bytes;
  };
  // The wave's tiles grow with the number of elements: fewer elements may be more tiles.
  const int small_tile = small_tile_threads / 32 * wave_tuning_for(element_bytes).warp_items();
  const std::int64_t small_tiles =
      num_items == 0 ? 1
                     : std::min<std::int64_t>(most_small_tiles, tiles_of(num_items, small_tile));
  return std::max({tile_states_bytes(small_tiles, element_bytes), states(algorithm::wave),
                   states(algorithm::look_back), states(algorithm::ring)});
}

}  // namespace scan::device

#endif
