// Numbers of segmented scans: of the ring, whose tiles are in tuning.hpp; and how those are
// launched that hold their tiles in registers: by which kernel, in how many tiles, of what size.
// Only numbers and sizes enter, and what is asked for, so the order of operations depends on
// nothing else.
#ifndef SCAN_DEVICE_PLAN_SEGMENT_PLAN_HPP
#define SCAN_DEVICE_PLAN_SEGMENT_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// ---- in the ring (bench/NOTES.md, "Segments in the ring", H200, 11-22) ----

/// Warps of a block that make bits of marks, and those that search offsets, tile by tile in turn.
inline constexpr int num_mark_warps = 6, num_search_warps = 3;
/// Bytes of a slot for marks, of which each marking warp has `mark_slot_depth`.
inline constexpr int least_slot_bytes = 256, most_slot_bytes = 3072, mark_slot_depth = 2;
/// Boundaries of a tile that are marked as bits at once, not as bytes that are gathered.
inline constexpr int few_boundaries = 512;
/// Boundaries that may be read in vain at either end of a tile's: fewer are not worth another trip
/// to memory.
inline constexpr int search_slack = 64;
/// Samples of boundaries that a search begins with: a warp looks at the last of each 32 of them.
inline constexpr int num_sample_groups = 16;

/// Batches that are looked at at once. Of recurrences' folds as many as registers last for: with 6
/// nvcc 13.0 spills 340 bytes, with 4 of float none. (By the compiler's word alone, 11-24.)
constexpr int segment_look_batches(bool is_recurrence, std::size_t fold_bytes) {
  return !is_recurrence ? most_warp_batches : fold_bytes <= 16 ? 4 : 2;
}

/// Elements of up to so many bytes are scanned by the kernel of any number of rounds where segments
/// have values of their own that one round does not write, more by the ring. (bench/NOTES.md,
/// "Segments with values in the ring": between 190,000 and 390,000 floats they take as long.)
inline constexpr std::int64_t most_valued_bytes = std::int64_t{1} << 20;
constexpr std::int64_t most_valued_items(int element_bytes) {
  return most_valued_bytes / element_bytes;
}

/// Boundaries of a window: where all of its segments are empty their totals are written by whoever
/// has time.
inline constexpr int empty_window = 1024;

// ---- one round: a tile a block, no inits a segment ("Segments in one round", H200, 11-22) ----

/// Whether there is a kernel of one round. `fold_bytes`: of a segment fold.
constexpr bool has_round(int element_bytes, int fold_bytes) {
  return element_bytes <= 16 && fold_bytes <= 16;
}
/// Stripes of its threads.
inline constexpr int few_round_stripes = 1, most_round_stripes = 4;
/// Threads of its blocks at most: as many as registers have room for, and the 48 KiB of shared
/// memory that are there unasked, for a fold a vector and a byte an item.
constexpr int most_round_block(int element_bytes, int fold_bytes, int stripes) {
  const int slot_bytes = stripes == 1 ? 0 : fold_bytes <= 8 ? 8 : 16;
  const int thread_bytes = stripes * (slot_bytes + vector_items_for(element_bytes));
  return std::min(800, 46 * 1024 / thread_bytes / 32 * 32);
}
/// Of these, warps that hold what is before the tile: about a thousand elements; see halo_warps_of.
constexpr int halo_warps_wanted(int element_bytes, int stripes) {
  return std::clamp(1024 / (32 * stripes * vector_items_for(element_bytes)), 1, 8);
}
/// Those that hold the tile at most.
constexpr int most_round_threads(int element_bytes, int fold_bytes, int stripes) {
  return most_round_block(element_bytes, fold_bytes, stripes) -
         32 * halo_warps_wanted(element_bytes, stripes);
}
/// As a type, for templates.
template <int element_bytes, int fold_bytes, int stripes_>
struct segment_round_tuning {
  static constexpr int stripes = stripes_;
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = most_round_block(element_bytes, fold_bytes, stripes);
  static constexpr int lone_bytes = 4;
};
/// Elements in one round at most.
constexpr std::int64_t most_round_items(int element_bytes, int fold_bytes) {
  if (!has_round(element_bytes, fold_bytes)) return 0;
  return std::int64_t{most_wave_tiles} * most_round_stripes *
         most_round_threads(element_bytes, fold_bytes, most_round_stripes) *
         vector_items_for(element_bytes);
}

// ---- any number of rounds ("Segments: the general kernel", H200, 11-22) ----

/// Threads of a block at most that hold its tile, a vector each, and one more warp besides.
constexpr int most_segment_threads(int element_bytes, int fold_bytes) {
  return element_bytes > 16 ? 256 : fold_bytes > 16 ? 512 : 608;
}
/// Vectors of a tile at most where segments have values of their own: of each item a number is
/// kept, in the 48 KiB of shared memory.
constexpr int most_valued_vectors(int element_bytes, int fold_bytes) {
  const int most = most_segment_threads(element_bytes, fold_bytes);
  return std::min({most, 512, 4096 / vector_items_for(element_bytes)});
}
/// As a type, for templates.
template <int element_bytes, int fold_bytes>
struct segment_tuning {
  static constexpr int stripes = 1;
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = most_segment_threads(element_bytes, fold_bytes);
  static constexpr int lone_bytes = 4;
  static constexpr int valued_items =
      most_valued_vectors(element_bytes, fold_bytes) * vector_items;  // of a tile at most
};

struct segment_plan {
  bool in_round;   // the kernel of one round, or the other one
  int stripes;     // of its threads
  int tile_items;  // of each tile but the last
  int threads_per_block;
  bool in_cluster;  // the blocks are one cluster (or one block), which has no states
  std::int64_t num_tiles;
  int blocks_per_sm;         // of persistent blocks
  std::size_t states_bytes;  // of tile states
};

/// The tiles, and the stripes of their threads, of one round.
constexpr tile_plan round_cut_of(std::int64_t num_vectors, int element_bytes, int fold_bytes) {
  const int few =
      most_round_threads(element_bytes, fold_bytes, few_round_stripes) * few_round_stripes;
  const int small = std::min(544, few);
  if (num_vectors <= small) return {few_round_stripes, 1};
  if (num_vectors <= most_cluster_blocks * small) return {few_round_stripes, most_cluster_blocks};
  // As many as one batch of a look-back, while they are not large.
  if (num_vectors <= 32 * small) return {few_round_stripes, 32};
  if (num_vectors <= std::int64_t{most_wave_tiles} * few)
    return {few_round_stripes, most_wave_tiles};
  return {most_round_stripes, most_wave_tiles};
}
/// The tiles of any number of rounds, of up to `most` vectors: as wave_cut_of, with fewer kernels.
constexpr std::int64_t num_segment_tiles(std::int64_t num_vectors, int most) {
  const std::int64_t one_block = std::min(one_stripe_threads, most);
  if (num_vectors <= one_block) return 1;
  if (num_vectors <= most_cluster_blocks * one_block) return most_cluster_blocks;
  const int small = std::min(256, most);
  if (num_vectors <= 64 * small) return tiles_of(num_vectors, small);
  return most_wave_tiles * tiles_of(num_vectors, most_wave_tiles * most);
}

/// The plan for elements of at most `element_bytes` bytes, computed with in folds of `fold_bytes`.
/// `valued`: segments have an init or a total each that one round does not write, or items are not
/// in arrays. (Of more than one round it is all that have either, for which tiles are smaller.)
constexpr segment_plan plan_segments(std::int64_t num_items, int element_bytes, int fold_bytes,
                                     bool valued, bool has_clusters) {
  const int vector_items = vector_items_for(element_bytes);
  const std::int64_t num_vectors = vectors_of(num_items, element_bytes);
  segment_plan plan{};
  plan.in_round = !valued && num_items <= most_round_items(element_bytes, fold_bytes);
  tile_plan cut{};
  if (plan.in_round) {
    cut = round_cut_of(num_vectors, element_bytes, fold_bytes);
  } else {
    cut = {1, num_segment_tiles(num_vectors,
                                valued ? most_valued_vectors(element_bytes, fold_bytes)
                                       : most_segment_threads(element_bytes, fold_bytes))};
  }
  const auto tile_vectors = static_cast<int>((num_vectors - 1) / cut.num_tiles + 1);
  plan.stripes = cut.stripes;
  plan.tile_items = tile_vectors * vector_items;
  plan.num_tiles = tiles_of(num_vectors, tile_vectors);
  // Without elements there may be totals to write, by one block.
  const int holders =
      num_items == 0 ? 256 : (tile_vectors + cut.stripes * 32 - 1) / (cut.stripes * 32) * 32;
  plan.threads_per_block = plan.in_round ? holders : holders + 32;
  plan.in_cluster = plan.num_tiles == 1 || (has_clusters && plan.num_tiles <= most_cluster_blocks);
  plan.blocks_per_sm = std::max(640 / plan.threads_per_block, 1);
  plan.states_bytes = plan.in_cluster ? 0 : tile_states_bytes(plan.num_tiles, fold_bytes);
  return plan;
}

/// Warps of a block of one round that hold what is before its tile, where heads are told by offsets
/// and results do not take the place of elements, which others may have stored. Tiles whose first
/// segment begins there need no other tile. As few tiles as a cluster has blocks have none: it is
/// no faster there.
constexpr int halo_warps_of(const segment_plan& plan, int element_bytes) {
  return plan.in_round && plan.num_tiles > most_cluster_blocks
             ? halo_warps_wanted(element_bytes, plan.stripes)
             : 0;
}

/// Bytes of a segment fold at most of values of `value_bytes`.
constexpr int segment_fold_bytes(int value_bytes) {
  const int alignment = std::min(value_bytes & -value_bytes, 16);
  return alignment > 4 ? value_bytes + alignment : (value_bytes + 3) / 4 * 4 + 4;
}

/// No segmented scan or recurrence of up to `num_items` elements has more bytes of states.
constexpr std::size_t most_segment_states_bytes(std::int64_t num_items, int element_bytes) {
  std::size_t most = 0;
  const auto add = [&](int value_bytes, int num_inputs) {
    const int fold_bytes = segment_fold_bytes(value_bytes);
    for (const bool valued : {false, true}) {
      const std::int64_t tiles =
          plan_segments(num_items, element_bytes, fold_bytes, valued, false).num_tiles;
      // Of one round fewer elements may be more tiles.
      const std::int64_t rounds = tiles_of(std::max<std::int64_t>(tiles, 1), most_wave_tiles);
      most = std::max(most, tile_states_bytes(rounds * most_wave_tiles, fold_bytes));
    }
    const int ring_items = segment_ring_tuning_for(element_bytes, num_inputs).tile_items();
    most = std::max(
        most,
        tile_states_bytes(tiles_of(std::max<std::int64_t>(num_items, 1), ring_items), fold_bytes));
  };
  for (int value_bytes = 1; value_bytes <= std::max(element_bytes, 4); ++value_bytes) {
    add(value_bytes, 1);
  }
  // (Of recurrences, which there are of up to 8 bytes: a map is two states.)
  if (element_bytes <= 8) add(2 * std::max(element_bytes, 4), 2);
  return most;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
