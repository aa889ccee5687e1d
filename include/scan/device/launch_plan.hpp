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

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

struct launch_plan {
  algorithm kernel;  // wave, look_back or ring
  bool in_cluster;   // of the wave: the blocks are one cluster (or one block), which has no states
  /// What a thread holds and how many threads hold a tile: of the ring, a thread's run is a row of
  /// one vector.
  tuning shape;
  int tile_items;            // of each tile but the last
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
/// Rows of their threads at most.
inline constexpr int most_cluster_rows = 2;
/// The wave has no more tiles than this while they fit: one a multiprocessor of a large GPU. (Two
/// are worse: where a dependent kernel's blocks find room beside ours, some multiprocessors get
/// three and others one.)
inline constexpr int most_wave_tiles = 132;
/// Their threads have one row until there are more than so many of them. A little more than a power
/// of two, here and below: where the time jumps, it is not from 2^k elements to 2^k + 1.
inline constexpr int one_row_threads = 544;

/// Vectors of `num_items` elements, of which the last may be partial; at least one.
constexpr std::int64_t vectors_of(std::int64_t num_items, int element_bytes) {
  return num_items == 0 ? 1 : tiles_of(num_items, vector_items_for(element_bytes));
}

/// The blocks, and the rows of their threads, that `num_vectors` vectors are cut into by the wave.
struct wave_cut {
  int rows;
  std::int64_t num_tiles;
};

/// A single block while it starts faster than a cluster of 8 does; then that, which is faster than
/// tickets and states while its blocks are not large. From there on blocks of 256 threads, and soon
/// one for each multiprocessor.
constexpr wave_cut wave_cut_of(std::int64_t num_vectors, int element_bytes) {
  const int most_rows = most_wave_rows(element_bytes), two = std::min(most_cluster_rows, most_rows);
  const std::int64_t one_row = std::min(one_row_threads, most_wave_threads(element_bytes, 1));
  const std::int64_t two_rows = std::min<std::int64_t>(one_row, 384);
  // (Where narrow elements are misaligned two rows take long.)
  const std::int64_t two_rows_alone = element_bytes <= 2 ? two_rows : one_row;
  if (num_vectors <= one_row) return {1, 1};
  if (num_vectors <= two * two_rows_alone) return {two, 1};
  if (num_vectors <= most_cluster_blocks * one_row) return {1, most_cluster_blocks};
  if (num_vectors <= most_cluster_blocks * two * two_rows) return {two, most_cluster_blocks};
  if (num_vectors <= 64 * 256) return {1, tiles_of(num_vectors, 256)};
  if (num_vectors <= most_wave_tiles * one_row) return {1, most_wave_tiles};
  for (int rows = 2; rows <= most_rows; rows *= 2) {
    const int threads = most_wave_threads(element_bytes, rows);
    if (has_wave_rows(element_bytes, rows) &&
        num_vectors <= std::int64_t{most_wave_tiles} * threads * rows) {
      return {rows, most_wave_tiles};
    }
  }
  return {most_rows,
          tiles_of(num_vectors, most_wave_threads(element_bytes, most_rows) * most_rows)};
}

/// Elements that the wave takes at most: what a large GPU holds in registers at once. Without a
/// ring it ends earlier: tiles that are not one a multiprocessor cost more.
constexpr std::int64_t most_wave_items(int element_bytes, bool has_ring) {
  const int rows = most_wave_rows(element_bytes);
  const int tile_vectors = has_ring || element_bytes > 16
                               ? rows * most_wave_threads(element_bytes, rows)
                               : one_row_threads;
  return std::int64_t{most_wave_tiles} * tile_vectors * vector_items_for(element_bytes);
}

/// The kernel for `num_items` elements.
constexpr algorithm kernel_for(std::int64_t num_items, int element_bytes, bool has_ring) {
  if (num_items <= most_wave_items(element_bytes, has_ring)) return algorithm::wave;
  return has_ring ? algorithm::ring : algorithm::look_back;
}

/// The wave's part of a plan: tiles that are equal to a vector.
constexpr void plan_wave(launch_plan& plan, std::int64_t num_items, int element_bytes,
                         bool has_clusters) {
  const int vector_items = vector_items_for(element_bytes);
  const std::int64_t num_vectors = vectors_of(num_items, element_bytes);
  const wave_cut cut = wave_cut_of(num_vectors, element_bytes);
  const auto tile_vectors = static_cast<int>((num_vectors - 1) / cut.num_tiles + 1);
  plan.num_tiles = tiles_of(num_vectors, tile_vectors);
  plan.tile_items = tile_vectors * vector_items;
  const auto whole_warps = [](std::int64_t count) {
    return static_cast<int>((count + 31) / 32 * 32);
  };
  const int holders = whole_warps(tiles_of(tile_vectors, cut.rows));
  plan.shape = {holders, 1, cut.rows, vector_items};
  plan.batch_tiles = most_wave_threads(element_bytes, cut.rows);
  plan.in_cluster = plan.num_tiles == 1 || (has_clusters && plan.num_tiles <= most_cluster_blocks);
  // Each thread looks back at one tile.
  const std::int64_t lookers = std::min<std::int64_t>(plan.num_tiles, plan.batch_tiles);
  plan.threads_per_block = plan.in_cluster ? holders : std::max(holders, whole_warps(lookers));
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
  if (plan.kernel == algorithm::wave) {
    plan_wave(plan, num_items, element_bytes, limits.has_clusters);
  } else {
    const ring_tuning ring = ring_tuning_for(element_bytes, widens);
    const bool in_ring = plan.kernel == algorithm::ring;
    plan.shape =
        in_ring ? tuning{32 * ring.scan_warps, 1, 1, ring.run_items()} : tuning_for(element_bytes);
    plan.batch_tiles = in_ring ? 32 : 32 * look_back_warps;
    plan.threads_per_block = in_ring ? ring.threads_per_block() : plan.shape.threads_per_block;
    plan.tile_items = plan.shape.tile_items();
    plan.num_tiles = tiles_of(num_items, plan.tile_items);
  }
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
  const std::int64_t small_tiles = num_items == 0 ? 1 : most_wave_tiles;
  return std::max({tile_states_bytes(small_tiles, element_bytes), states(algorithm::wave),
                   states(algorithm::look_back), states(algorithm::ring)});
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
