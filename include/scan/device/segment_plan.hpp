// How a segmented scan is launched that holds its tiles in registers: in how many tiles, of what
// shape. Only numbers and sizes enter, and what is asked for, so the order of operations depends on
// nothing else.
#ifndef SCAN_DEVICE_SEGMENT_PLAN_HPP
#define SCAN_DEVICE_SEGMENT_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/launch_plan.hpp"
#include "scan/device/tuning.hpp"
#include "scan/protocol/tile_states.hpp"

namespace scan::device {

/// Rows of the kernel for larger inputs. `fold_bytes`: of a segment fold.
constexpr int most_segment_rows(int element_bytes, int fold_bytes) {
  return element_bytes > 16 || fold_bytes > 16 ? 1 : element_bytes > 8 ? 2 : 4;
}
/// Threads of a block at most that hold its tile, and one more warp besides: as many as registers
/// have room for, and the 48 KiB of shared memory that are there unasked, for a fold a vector and a
/// byte and a bit an item.
constexpr int most_segment_threads(int element_bytes, int fold_bytes, int rows) {
  if (rows == 1) return element_bytes > 16 ? 256 : fold_bytes > 16 ? 512 : 608;
  const int vector_items = vector_items_for(element_bytes);
  const int slot_bytes = fold_bytes <= 8 ? 8 : 16;
  const int thread_bits = rows * (8 * slot_bytes + 9 * vector_items);
  return std::min(608, 46 * 1024 * 8 / thread_bits / 32 * 32);
}
/// Vectors of a tile at most where segments have values of their own: of each item a number is
/// kept.
constexpr int most_valued_vectors(int element_bytes, int fold_bytes) {
  const int most = most_segment_threads(element_bytes, fold_bytes, 1);
  return std::min({most, 512, 4096 / vector_items_for(element_bytes)});
}

/// As a type, for templates.
template <int element_bytes, int fold_bytes, int rows_>
struct segment_shape {
  static constexpr int rows = rows_;
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = most_segment_threads(element_bytes, fold_bytes, rows);
  static constexpr int lone_bytes = rows == 1 ? 4 : 8;
  static constexpr int valued_items =
      most_valued_vectors(element_bytes, fold_bytes) * vector_items;  // of a tile at most
};

struct segment_plan {
  int rows;
  int tile_items;  // of each tile but the last
  int threads_per_block;
  bool in_cluster;  // the blocks are one cluster (or one block), which has no states
  std::int64_t num_tiles;
  int blocks_per_sm;         // of persistent blocks
  std::size_t states_bytes;  // of tile states
};

/// The blocks of one round, and the rows of their threads, for `num_vectors` vectors: as
/// wave_cut_of, with fewer kernels.
constexpr wave_cut segment_cut_of(std::int64_t num_vectors, int most_rows, int one_row_most,
                                  int rows_most) {
  const std::int64_t one_row = std::min(one_row_threads, one_row_most);
  if (num_vectors <= one_row) return {1, 1};
  if (num_vectors <= most_cluster_blocks * one_row) return {1, most_cluster_blocks};
  if (num_vectors <= 64 * std::min<std::int64_t>(256, one_row)) {
    return {1, tiles_of(num_vectors, std::min(256, static_cast<int>(one_row)))};
  }
  if (most_rows == 1 || num_vectors <= std::int64_t{most_wave_tiles} * one_row_most) {
    const std::int64_t rounds =
        tiles_of(num_vectors, static_cast<int>(most_wave_tiles * std::int64_t{one_row_most}));
    return {1, most_wave_tiles * rounds};
  }
  return {most_rows, most_wave_tiles * tiles_of(num_vectors, most_wave_tiles * rows_most)};
}

/// Elements in one round of blocks, and where there is a ring the most: beyond it is faster.
constexpr std::int64_t most_segment_wave_items(int element_bytes, int fold_bytes) {
  const int rows = most_segment_rows(element_bytes, fold_bytes);
  return std::int64_t{most_wave_tiles} * rows *
         most_segment_threads(element_bytes, fold_bytes, rows) * vector_items_for(element_bytes);
}

/// The plan for elements of at most `element_bytes` bytes, computed with in folds of `fold_bytes`.
/// `valued`: segments have an init or a total each.
constexpr segment_plan plan_segments(std::int64_t num_items, int element_bytes, int fold_bytes,
                                     bool valued, bool has_clusters) {
  const int vector_items = vector_items_for(element_bytes);
  const int most_rows = valued ? 1 : most_segment_rows(element_bytes, fold_bytes);
  const int one_row_most = valued ? most_valued_vectors(element_bytes, fold_bytes)
                                  : most_segment_threads(element_bytes, fold_bytes, 1);
  const int rows_most = most_rows * most_segment_threads(element_bytes, fold_bytes, most_rows);
  const std::int64_t num_vectors = vectors_of(num_items, element_bytes);
  const wave_cut cut = segment_cut_of(num_vectors, most_rows, one_row_most, rows_most);
  const auto tile_vectors = static_cast<int>((num_vectors - 1) / cut.num_tiles + 1);
  segment_plan plan{};
  plan.rows = cut.rows;
  plan.tile_items = tile_vectors * vector_items;
  plan.num_tiles = tiles_of(num_vectors, tile_vectors);
  plan.threads_per_block = (tile_vectors + cut.rows * 32 - 1) / (cut.rows * 32) * 32 + 32;
  plan.in_cluster = plan.num_tiles == 1 || (has_clusters && plan.num_tiles <= most_cluster_blocks);
  plan.blocks_per_sm = std::max(640 / plan.threads_per_block, 1);
  plan.states_bytes = plan.in_cluster ? 0 : tile_states_bytes(plan.num_tiles, fold_bytes);
  return plan;
}

/// Bytes of a segment fold at most of values of `value_bytes`.
constexpr int segment_fold_bytes(int value_bytes) {
  const int alignment = std::min(value_bytes & -value_bytes, 16);
  return alignment > 4 ? value_bytes + alignment : (value_bytes + 3) / 4 * 4 + 4;
}

/// No segmented scan of up to `num_items` elements has more bytes of states.
constexpr std::size_t most_segment_states_bytes(std::int64_t num_items, int element_bytes) {
  std::size_t most = 0;
  for (int value_bytes = 1; value_bytes <= std::max(element_bytes, 4); ++value_bytes) {
    const int fold_bytes = segment_fold_bytes(value_bytes);
    for (const bool valued : {false, true}) {
      const std::int64_t tiles =
          plan_segments(num_items, element_bytes, fold_bytes, valued, false).num_tiles;
      // Of one round fewer elements may be more tiles.
      const std::int64_t rounds = tiles_of(std::max<std::int64_t>(tiles, 1), most_wave_tiles);
      most = std::max(most, tile_states_bytes(rounds * most_wave_tiles, fold_bytes));
    }
    const int ring_items = segment_ring_tuning_for(element_bytes).tile_items();
    most = std::max(
        most,
        tile_states_bytes(tiles_of(std::max<std::int64_t>(num_items, 1), ring_items), fold_bytes));
  }
  return most;
}

}  // namespace scan::device

#endif
