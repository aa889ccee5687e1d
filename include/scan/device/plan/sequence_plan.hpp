// How a scan is launched: which kernel, in how many tiles. The one place where that is decided;
// those who launch, who size a workspace and who check results all ask here.
//
// Only the number and size of the elements enter, and whether the device has a ring, so the order
// of operations depends on nothing else.
#ifndef SCAN_DEVICE_PLAN_SEQUENCE_PLAN_HPP
#define SCAN_DEVICE_PLAN_SEQUENCE_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/plan/tuning.hpp"
#include "scan/options.hpp"
#include "scan/protocol/state_sizes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

struct launch_plan {
  algorithm kernel;  // wave, look_back or ring
  bool in_cluster;   // of the wave: the blocks are one cluster (or one block), which has no states
  /// What a thread holds and how many threads hold a tile: of the ring, a thread's run is a stripe
  /// of one vector.
  tuning tile;
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

/// Bytes of all rows up to which clusters have those that one block does not: in larger calls
/// blocks that look back are as fast. (bench/NOTES.md, "rows that a cluster has", H200)
inline constexpr std::int64_t most_clustered_bytes = std::int64_t{24} << 20;
/// Stripes of a cluster's threads at most.
inline constexpr int most_cluster_stripes = 2;
/// The wave has no more tiles than this while they fit: one a multiprocessor of a large GPU. (Two
/// are worse: where a dependent kernel's blocks find room beside ours, some multiprocessors get
/// three and others one.)
inline constexpr int most_wave_tiles = 132;
/// Their threads have one stripe until there are more than so many of them. A little more than a
/// power of two, here and below: where the time jumps, it is not from 2^k elements to 2^k + 1.
inline constexpr int one_stripe_threads = 544;

/// Vectors of `num_items` elements, of which the last may be partial; at least one.
constexpr std::int64_t vectors_of(std::int64_t num_items, int element_bytes) {
  return num_items == 0 ? 1 : tiles_of(num_items, vector_items_for(element_bytes));
}

/// The blocks, and the stripes of their threads, that `num_vectors` vectors are cut into by the
/// wave.
struct tile_plan {
  int stripes;
  std::int64_t num_tiles;
};

/// A single block while it starts faster than a cluster of 8 does; then that, which is faster than
/// tickets and states while its blocks are not large. From there on blocks of 256 threads, and soon
/// one for each multiprocessor.
constexpr tile_plan wave_cut_of(std::int64_t num_vectors, int element_bytes) {
  const int most_stripes = most_wave_stripes(element_bytes),
            two = std::min(most_cluster_stripes, most_stripes);
  const std::int64_t one_stripe = std::min(one_stripe_threads, most_wave_threads(element_bytes, 1));
  const std::int64_t two_stripes = std::min<std::int64_t>(one_stripe, 384);
  // (Where narrow elements are misaligned two stripes take long.)
  const std::int64_t two_stripes_alone = element_bytes <= 2 ? two_stripes : one_stripe;
  if (num_vectors <= one_stripe) return {1, 1};
  if (num_vectors <= two * two_stripes_alone) return {two, 1};
  if (num_vectors <= most_cluster_blocks * one_stripe) return {1, most_cluster_blocks};
  if (num_vectors <= most_cluster_blocks * two * two_stripes) return {two, most_cluster_blocks};
  if (num_vectors <= 64 * 256) return {1, tiles_of(num_vectors, 256)};
  if (num_vectors <= most_wave_tiles * one_stripe) return {1, most_wave_tiles};
  for (int stripes = 2; stripes <= most_stripes; stripes *= 2) {
    const int threads = most_wave_threads(element_bytes, stripes);
    if (has_wave_stripes(element_bytes, stripes) &&
        num_vectors <= std::int64_t{most_wave_tiles} * threads * stripes) {
      return {stripes, most_wave_tiles};
    }
  }
  return {most_stripes,
          tiles_of(num_vectors, most_wave_threads(element_bytes, most_stripes) * most_stripes)};
}

/// Elements that the wave takes at most: what a large GPU holds in registers at once. Without a
/// ring it ends earlier: tiles that are not one a multiprocessor cost more.
constexpr std::int64_t most_wave_items(int element_bytes, bool has_ring) {
  const int stripes = most_wave_stripes(element_bytes);
  const int tile_vectors = has_ring || element_bytes > 16
                               ? stripes * most_wave_threads(element_bytes, stripes)
                               : one_stripe_threads;
  return std::int64_t{most_wave_tiles} * tile_vectors * vector_items_for(element_bytes);
}

/// The kernel for `num_items` elements; or the one that is `wanted`, if there are any.
constexpr algorithm kernel_for(std::int64_t num_items, int element_bytes, bool has_ring,
                               algorithm wanted = algorithm::automatic) {
  if (num_items > 0 && wanted != algorithm::automatic) return wanted;
  if (num_items <= most_wave_items(element_bytes, has_ring)) return algorithm::wave;
  return has_ring ? algorithm::ring : algorithm::look_back;
}

/// Whether the only row of a tensor goes as the one sequence that it is: not where that one is by
/// look-back, in an order of its own.
constexpr bool goes_as_sequence(std::int64_t length, int element_bytes, bool has_ring) {
  return kernel_for(length, element_bytes, has_ring) != algorithm::look_back;
}

constexpr int whole_warps(std::int64_t num_threads) {
  return static_cast<int>((num_threads + 31) / 32 * 32);
}

/// Of a wave whose blocks are no cluster: they have states, which give the same bits. Each thread
/// looks back at one tile.
constexpr void leave_cluster(launch_plan& plan, int element_bytes) {
  plan.in_cluster = false;
  const std::int64_t lookers = std::min<std::int64_t>(plan.num_tiles, plan.batch_tiles);
  plan.threads_per_block = std::max(plan.threads_per_block, whole_warps(lookers));
  plan.states_bytes = tile_states_bytes(plan.num_tiles, element_bytes);
}

/// The wave's part of a plan: tiles that are equal to a vector.
constexpr void plan_wave(launch_plan& plan, std::int64_t num_items, int element_bytes,
                         bool has_clusters) {
  const int vector_items = vector_items_for(element_bytes);
  const std::int64_t num_vectors = vectors_of(num_items, element_bytes);
  const tile_plan cut = wave_cut_of(num_vectors, element_bytes);
  const auto tile_vectors = static_cast<int>((num_vectors - 1) / cut.num_tiles + 1);
  plan.num_tiles = tiles_of(num_vectors, tile_vectors);
  plan.tile_items = tile_vectors * vector_items;
  plan.threads_per_block = whole_warps(tiles_of(tile_vectors, cut.stripes));
  plan.tile = {plan.threads_per_block, 1, cut.stripes, vector_items};
  plan.batch_tiles = most_wave_threads(element_bytes, cut.stripes);
  plan.in_cluster = plan.num_tiles == 1 || (has_clusters && plan.num_tiles <= most_cluster_blocks);
  if (!plan.in_cluster) leave_cluster(plan, element_bytes);
}

/// The plan for elements of at most `element_bytes` bytes, of input, output and init, by `wanted`,
/// which is no baseline. `widens`: output elements have more bytes than input ones. A scan of no
/// elements, which has a total to write, is a wave of one block.
constexpr launch_plan plan_for(std::int64_t num_items, int element_bytes, algorithm wanted,
                               const device_limits& limits, bool widens = false) {
  const bool has_ring = limits.ring_bytes_of_block > 0;
  launch_plan plan{};
  plan.kernel = kernel_for(num_items, element_bytes, has_ring, wanted);
  if (plan.kernel == algorithm::wave) {
    plan_wave(plan, num_items, element_bytes, limits.has_clusters);
  } else {
    const ring_tuning ring = ring_tuning_for(element_bytes, widens);
    const bool in_ring = plan.kernel == algorithm::ring;
    plan.tile =
        in_ring ? tuning{32 * ring.scan_warps, 1, 1, ring.run_items()} : tuning_for(element_bytes);
    plan.batch_tiles = in_ring ? 32 : 32 * look_back_warps;
    plan.threads_per_block = in_ring ? ring.threads_per_block() : plan.tile.threads_per_block;
    plan.tile_items = plan.tile.tile_items();
    plan.num_tiles = tiles_of(num_items, plan.tile_items);
    plan.states_bytes = tile_states_bytes(plan.num_tiles, element_bytes);
  }
  plan.most_blocks = std::int64_t{limits.sm_count} * plan.tile.blocks_per_sm;
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
