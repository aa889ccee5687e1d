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
#include "scan/protocol/state_sizes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// ---- in the ring (bench/NOTES.md, "Segments in the ring", H200, 11-22) ----

/// Bytes of a slot for marks, of which each marking warp has `mark_slot_depth`.
inline constexpr int least_slot_bytes = 256, most_slot_bytes = 3072, mark_slot_depth = 2;
/// Boundaries of a tile that are marked as bits at once, not as bytes that are gathered.
inline constexpr int few_boundaries = 512;
/// Boundaries that may be read in vain at either end of a tile's: fewer are not worth another trip
/// to memory.
inline constexpr int search_slack = 64;
/// Samples of boundaries that a search begins with: each lane of half a warp looks at the last one
/// of a group of 32.
inline constexpr int num_sample_groups = 16;

/// Boundaries of a window: where all of its segments are empty their totals are written by whoever
/// has time.
inline constexpr int empty_window = 1024;

// ---- tiles in registers ("Segments in one round", H100) ----

/// What a kernel of one round is there for: lean ones know nothing of inits, nor of recurrences;
/// valued ones any segments.
enum class segment_rounds { lean, valued };

/// Whether there is a kernel of one round. `fold_bytes`: of a segment fold.
constexpr bool has_round(int element_bytes, int fold_bytes) {
  return element_bytes <= 16 && fold_bytes <= 16;
}
/// Stripes of its threads; of valued ones few.
inline constexpr int few_round_stripes = 1, most_round_stripes = 4;
/// Threads of its blocks at most: as many as registers have room for, and the 48 KiB of shared
/// memory that are there unasked, for a fold a vector and a byte an item.
constexpr int most_round_block(int element_bytes, int fold_bytes, int stripes) {
  const int slot_bytes = stripes == 1 ? 0 : fold_bytes <= 8 ? 8 : 16;
  const int thread_bytes = stripes * (slot_bytes + vector_items_for(element_bytes));
  return std::min(800, 46 * 1024 / thread_bytes / 32 * 32);
}
/// The same where shared memory holds a byte and a value an item.
constexpr int most_valued_block(int element_bytes, int fold_bytes) {
  const int value_bytes = fold_bytes - 4;  // or less
  const int thread_bytes = vector_items_for(element_bytes) * (1 + value_bytes);
  const int by_registers = element_bytes > 16 ? 256
                           : fold_bytes > 16  ? 512
                           : fold_bytes > 8   ? 640
                                              : 800;
  return std::min(by_registers, 42 * 1024 / thread_bytes / 32 * 32);
}
/// Of these, warps that hold what is before the tile: about a thousand elements.
constexpr int halo_warps_wanted(int element_bytes, int stripes) {
  return std::clamp(1024 / (32 * stripes * vector_items_for(element_bytes)), 1, 8);
}
/// Those that hold the tile at most.
constexpr int most_round_threads(int element_bytes, int fold_bytes, int stripes) {
  return most_round_block(element_bytes, fold_bytes, stripes) -
         32 * halo_warps_wanted(element_bytes, stripes);
}
constexpr int most_valued_threads(int element_bytes, int fold_bytes) {
  return most_valued_block(element_bytes, fold_bytes) -
         (has_round(element_bytes, fold_bytes)
              ? 32 * halo_warps_wanted(element_bytes, few_round_stripes)
              : 0);
}
/// As a type, for templates.
template <int element_bytes, int fold_bytes, int stripes_, segment_rounds rounds>
struct segment_tuning {
  static constexpr bool has_values = rounds != segment_rounds::lean;
  static constexpr int stripes = stripes_;
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = has_values
                                          ? most_valued_block(element_bytes, fold_bytes)
                                          : most_round_block(element_bytes, fold_bytes, stripes);
  static_assert(most_threads >= 64, "a type whose folds have no room in shared memory");
  static constexpr int lone_bytes = 4;
};
/// Tiles of the kernel of one round at most, a ticket each, and threads of those of which there are
/// more than most_wave_tiles: two are on a multiprocessor then, of which one loads while the other
/// stores. (At 2 million floats 10 to 35 % faster than the ring, at 4 million no longer. H100.)
inline constexpr int most_round_tiles = 512, many_round_threads = 320;
/// Vectors of a tile while there are few, and of one of many.
constexpr int most_round_vectors(int element_bytes, int fold_bytes, bool many) {
  const int threads = most_round_threads(element_bytes, fold_bytes, most_round_stripes);
  return most_round_stripes * (many ? std::min(many_round_threads, threads) : threads);
}
/// Elements in one round at most.
constexpr std::int64_t most_round_items(int element_bytes, int fold_bytes) {
  if (!has_round(element_bytes, fold_bytes)) return 0;
  return std::int64_t{most_round_tiles} * most_round_vectors(element_bytes, fold_bytes, true) *
         vector_items_for(element_bytes);
}

/// Tiles of so many threads of a valued kernel at most, three a multiprocessor, or, where it ends
/// early, two: of recurrences, and of what has no ring to go to on any GPU. From there on the ring,
/// or blocks without one, are faster. ("Values in one round", "Segments without a ring", H200)
constexpr int most_valued_tiles(bool ends_early) { return (ends_early ? 2 : 3) * most_wave_tiles; }
/// Elements of such tiles at most.
constexpr std::int64_t most_valued_items(int element_bytes, int fold_bytes, bool ends_early) {
  const int threads = std::min(many_round_threads, most_valued_threads(element_bytes, fold_bytes));
  return std::int64_t{most_valued_tiles(ends_early)} * threads * vector_items_for(element_bytes);
}

struct segment_plan {
  int stripes;     // of threads
  int tile_items;  // of each tile but the last
  int threads_per_block;
  int halo_warps;            // besides, if there are any: see halo_warps_wanted
  bool in_cluster;           // the blocks are one cluster (or one block), which has no states
  std::int64_t num_tiles;    // and blocks
  std::size_t states_bytes;  // of tile states
};

/// The tiles, and the stripes of their threads, of one round, whose tiles are of so many vectors at
/// most with `few` stripes, with most of them, and where tiles are many.
constexpr tile_plan round_cut_of(std::int64_t num_vectors, int few, int most, int many) {
  const int small = std::min(544, few);
  if (num_vectors <= small) return {few_round_stripes, 1};
  if (num_vectors <= most_cluster_blocks * small) return {few_round_stripes, most_cluster_blocks};
  // As many as one batch of a look-back, while they are not large.
  if (num_vectors <= 32 * small) return {few_round_stripes, 32};
  if (num_vectors <= std::int64_t{most_wave_tiles} * few)
    return {few_round_stripes, most_wave_tiles};
  if (num_vectors <= std::int64_t{most_wave_tiles} * most)
    return {most_round_stripes, most_wave_tiles};
  return {most_round_stripes, tiles_of(num_vectors, many)};
}

/// The plan for elements of at most `element_bytes` bytes, computed with in folds of `fold_bytes`,
/// by a kernel that is there for `rounds`.
constexpr segment_plan plan_segments(std::int64_t num_items, int element_bytes, int fold_bytes,
                                     segment_rounds rounds, bool has_clusters) {
  const bool lean = rounds == segment_rounds::lean;
  const int vector_items = vector_items_for(element_bytes);
  const std::int64_t num_vectors = vectors_of(num_items, element_bytes);
  const int few = lean ? most_round_threads(element_bytes, fold_bytes, few_round_stripes)
                       : most_valued_threads(element_bytes, fold_bytes);
  tile_plan cut = round_cut_of(num_vectors, few,
                               lean ? most_round_vectors(element_bytes, fold_bytes, false) : few,
                               lean ? most_round_vectors(element_bytes, fold_bytes, true) : few);
  if (!lean && cut.stripes > few_round_stripes) {
    cut = {few_round_stripes, tiles_of(num_vectors, std::min(many_round_threads, few))};
  }
  const auto tile_vectors = static_cast<int>((num_vectors - 1) / cut.num_tiles + 1);
  segment_plan plan{};
  plan.stripes = cut.stripes;
  plan.tile_items = tile_vectors * vector_items;
  plan.num_tiles = tiles_of(num_vectors, tile_vectors);
  // Without elements there may be totals to write, by one block.
  plan.threads_per_block =
      num_items == 0 ? 256 : (tile_vectors + cut.stripes * 32 - 1) / (cut.stripes * 32) * 32;
  plan.in_cluster = plan.num_tiles == 1 || (has_clusters && plan.num_tiles <= most_cluster_blocks);
  // Tiles whose first segment begins in their halo need no other tile. As few tiles as a cluster
  // has blocks have none: it is no faster there. Nor have more than a wave of few vectors: without
  // it a multiprocessor has two blocks for one.
  const bool is_wave = plan.num_tiles <= most_wave_tiles;
  const bool has_halo = has_round(element_bytes, fold_bytes) && (is_wave || lean);
  if (has_halo && plan.num_tiles > most_cluster_blocks) {
    plan.halo_warps = halo_warps_wanted(element_bytes, cut.stripes);
  }
  plan.states_bytes = plan.in_cluster ? 0 : tile_states_bytes(plan.num_tiles, fold_bytes);
  return plan;
}

/// Elements of a tile in blocks without a ring at least, where nothing that travels is wider than
/// `element_bytes`, or four: see segment_block_tuning_for, of which the test `segment plan` tries
/// all.
constexpr int least_segment_tile(int element_bytes) {
  return element_bytes <= 5    ? 1536
         : element_bytes <= 12 ? 640
         : element_bytes <= 23 ? 512
         : element_bytes <= 47 ? 256
                               : 128;
}

/// Bytes of a segment fold at most of values of `value_bytes`.
constexpr int segment_fold_bytes(int value_bytes) {
  const int alignment = std::min(value_bytes & -value_bytes, 16);
  return alignment > 4 ? value_bytes + alignment : (value_bytes + 3) / 4 * 4 + 4;
}

/// No segmented scan or recurrence of up to `num_items` elements has more bytes of states.
constexpr std::size_t most_segment_states_bytes(std::int64_t num_items, int element_bytes) {
  // In blocks without a ring.
  const std::int64_t block_tiles =
      tiles_of(std::max<std::int64_t>(num_items, 1), least_segment_tile(element_bytes));
  std::size_t most = 0;
  const auto add = [&](int value_bytes, int num_inputs, bool is_recurrence) {
    const int fold_bytes = segment_fold_bytes(value_bytes);
    for (const auto kind : {segment_rounds::lean, segment_rounds::valued}) {
      const std::int64_t most_items =
          kind == segment_rounds::lean
              ? most_round_items(element_bytes, fold_bytes)
              : most_valued_items(element_bytes, fold_bytes, is_recurrence);
      if (num_items > most_items) continue;
      const std::int64_t tiles =
          plan_segments(num_items, element_bytes, fold_bytes, kind, false).num_tiles;
      // Of one round fewer elements may be more tiles.
      const std::int64_t rounds = tiles_of(std::max<std::int64_t>(tiles, 1), most_wave_tiles);
      most = std::max(most, tile_states_bytes(rounds * most_wave_tiles, fold_bytes));
    }
    most = std::max(most, tile_states_bytes(block_tiles, fold_bytes));
    for (const bool valued : {false, true}) {
      const int ring_items =
          segment_ring_tuning_for(element_bytes, num_inputs, is_recurrence, valued)
              .ring.tile_items();
      const std::int64_t tiles = tiles_of(std::max<std::int64_t>(num_items, 1), ring_items);
      most = std::max(most, tile_states_bytes(tiles, fold_bytes));
    }
  };
  for (int value_bytes = 1; value_bytes <= std::max(element_bytes, 4); ++value_bytes) {
    add(value_bytes, 1, false);
  }
  // (Of recurrences, which there are of up to 8 bytes: a map is two states.)
  for (int num_inputs = 1; num_inputs <= 2 && element_bytes <= 8; ++num_inputs) {
    add(2 * std::max(element_bytes, 4), num_inputs, true);
  }
  return most;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
