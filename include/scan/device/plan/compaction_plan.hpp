// How a compaction is cut into tiles, and what a GPU's blocks are made of.
#ifndef SCAN_DEVICE_PLAN_COMPACTION_PLAN_HPP
#define SCAN_DEVICE_PLAN_COMPACTION_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/sequence_plan.hpp"
#include "scan/protocol/state_sizes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Bytes of a tile's fold at most, and of one with a value of `value_bytes`: a count before it.
inline constexpr int compaction_fold_bytes = 8;
constexpr int compaction_fold_bytes_of(int value_bytes) {
  const int alignment = std::clamp(value_bytes & -value_bytes, 4, 16);
  return (alignment + value_bytes + alignment - 1) / alignment * alignment;
}

// ---- the ring of tiles: roles of a block's warps (H200, 11-24, bench/NOTES, "Compaction") ----

/// Which call it is, as far as that decides.
struct compaction_traits {
  int moved_bytes;    // of an element in shared memory, with its value if it has one
  bool asks_items;    // in place of flags, which takes longer
  bool has_rejected;  // these are moved, too
  bool has_lengths;
  bool has_folds = false;  // which who marks makes, too

  /// Whether moving takes so long that marking, too, can be by few. (Positions have no elements
  /// that move, which count as one byte: as fast either way.)
  constexpr bool moves_much() const {
    return has_rejected || has_lengths || (!asks_items && moved_bytes == 1);
  }
};
/// Warps that move, a part of a tile each, and warps that mark these, in turn.
constexpr int compaction_move_warps(const compaction_traits& of) {
  return of.moves_much() ? 16 : of.asks_items ? 12 : 14;
}
constexpr int compaction_mark_warps(const compaction_traits& of) {
  return of.moves_much() ? 8 : of.asks_items ? 12 : 7;
}
/// Rows of a part at most, of 32 elements: a moving warp has room of its own for what is rejected,
/// or for where runs began.
constexpr int most_compaction_rows(const compaction_traits& of) {
  const int folded_bytes = of.moved_bytes <= 8 ? 192 : 144;
  const int part_bytes = of.has_folds      ? folded_bytes
                         : of.has_rejected ? 96
                         : of.has_lengths  ? 120
                                           : 128;
  return std::max(1, part_bytes / std::max(of.moved_bytes, 2));
}
/// How long a tile's aggregate is out before its block looks for those before it.
inline constexpr unsigned compaction_look_delay_ns = 200;
/// Stages at most.
inline constexpr int most_compaction_stages = 8;

// ---- tiles that blocks hold in registers ----

inline constexpr int most_compaction_threads = 1024;
/// Rows of a warp at most, one element of each a lane: as many as registers hold.
constexpr int most_tile_rows(int item_bytes) {
  return item_bytes <= 4 ? 16 : item_bytes <= 8 ? 8 : item_bytes <= 16 ? 4 : 2;
}
/// Of blocks in a cluster; the fewer rows, the sooner the last element is there.
constexpr int most_cluster_rows(int most_rows, bool has_folds) {
  return std::min(most_rows, has_folds ? 8 : 4);
}
inline constexpr int most_cluster_compaction_warps = 16;
/// Elements of one block, and of clusters whose blocks have half as many warps.
inline constexpr int most_lone_compaction = 1024, most_small_cluster_compaction = 4096;

/// Blocks without a cluster: warps at most, and how many at once on a multiprocessor.
struct compaction_blocks {
  int most_warps, per_sm;
};
/// Of runs that are folded parts are in shared memory; of up to 2 KiB, where rows are more than
/// one.
constexpr int most_folding_rows(int item_bytes) { return std::clamp(64 / item_bytes, 1, 8); }
/// There are 48 KiB unasked, for the parts, a fold a warp of any block, and two a warp of this one.
/// Where blocks have more than one tile, two are on a multiprocessor: one loads while the other one
/// looks back.
constexpr compaction_blocks compaction_blocks_for(bool has_folds, int item_bytes, int fold_bytes) {
  if (!has_folds) return {most_compaction_threads / 32, 1};
  const int part_bytes = most_folding_rows(item_bytes) * 32 * item_bytes + 96;
  const int room = 48 * 1024 - 256 - 32 * fold_bytes;
  return {std::clamp(room / (part_bytes + 2 * fold_bytes), 1, 10), 2};
}

struct compaction_plan {
  int num_rows;   // of a warp
  int num_warps;  // of a block
  std::int64_t num_tiles;
  bool in_cluster;  // or alone
};
/// So many elements in about `num_tiles` tiles of `num_warps` warps.
constexpr compaction_plan compaction_in(std::int64_t num_tiles, int num_warps,
                                        std::int64_t num_items, int most_rows, bool in_cluster) {
  const std::int64_t last = std::max<std::int64_t>(num_items - 1, 0), row_items = num_warps * 32;
  const int num_rows =
      static_cast<int>(std::min<std::int64_t>(last / (num_tiles * row_items) + 1, most_rows));
  return {num_rows, num_warps, last / (num_rows * row_items) + 1, in_cluster};
}
/// A tile a block, as long as that is enough, of two rows or less until blocks have all their
/// warps: twice as many tiles take longer to look at than their elements take to load.
/// `most_rows`, `cluster_rows`: of a warp.
constexpr compaction_plan plan_compaction(std::int64_t num_items, int most_rows, int cluster_rows,
                                          int sm_count, bool has_clusters,
                                          const compaction_blocks& blocks) {
  if (num_items <= std::min(most_lone_compaction, blocks.most_warps * 32)) {
    const int warps = std::max(static_cast<int>((num_items + 31) / 32), 1);
    return compaction_in(1, warps, num_items, 1, true);
  }
  const int cluster_warps = std::min(most_cluster_compaction_warps, blocks.most_warps);
  const int most_in_cluster = most_cluster_blocks * cluster_warps * 32 * cluster_rows;
  if (has_clusters && num_items <= most_in_cluster) {
    const int few_warps = (cluster_warps + 1) / 2;
    const int most_small = std::min(most_small_cluster_compaction,
                                    most_cluster_blocks * few_warps * 32 * cluster_rows);
    return compaction_in(most_cluster_blocks, num_items <= most_small ? few_warps : cluster_warps,
                         num_items, cluster_rows, true);
  }
  const std::int64_t two_rows = (num_items - 1) / (std::int64_t{sm_count} * 64) + 1;
  const int warps = std::min(two_rows <= 8 ? 8 : two_rows <= 16 ? 16 : 32, blocks.most_warps);
  const compaction_plan plan = compaction_in(sm_count, warps, num_items, most_rows, false);
  // (A thread of those who look back looks at one tile at a time.)
  return plan.num_tiles <= warps * 32
             ? plan
             : compaction_in(sm_count, blocks.most_warps, num_items, most_rows, false);
}

/// No compaction of up to `num_items` elements of up to `item_bytes` bytes has more bytes of
/// states, on a GPU with up to `most_sms` multiprocessors.
constexpr std::size_t most_compaction_states_bytes(std::int64_t num_items, int item_bytes) {
  constexpr std::int64_t most_sms = 1024;
  // Of keys and values as wide as they may be, which become as wide again, or 16-bit floats floats.
  const int folding_bytes = 2 * item_bytes + std::max(item_bytes, 4);
  const int fold_bytes = compaction_fold_bytes_of(std::max(item_bytes, 4));
  const compaction_blocks folding = compaction_blocks_for(true, folding_bytes, fold_bytes);
  const std::int64_t folding_items =
      std::int64_t{folding.most_warps} * 32 * most_folding_rows(folding_bytes);
  const std::int64_t few = std::min((num_items + 31) / 32, folding.per_sm * most_sms);
  const std::size_t of_folds = tile_states_bytes(
      std::max({num_items / folding_items + 1, few, std::int64_t{1}}), fold_bytes);
  const int bytes = std::max(item_bytes, 8);  // (of less no tile is smaller)
  const compaction_traits of{bytes, true, true, true};
  const std::int64_t ring_items = std::int64_t{12} * 32 * most_compaction_rows(of);
  const std::int64_t block_items = std::int64_t{most_compaction_threads} * most_tile_rows(bytes);
  const std::int64_t least = std::min(ring_items, block_items);
  const std::int64_t small = std::min((num_items + 255) / 256, most_sms);
  return std::max(of_folds,
                  tile_states_bytes(std::max({num_items / least + 1, small, std::int64_t{1}}),
                                    compaction_fold_bytes));
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
