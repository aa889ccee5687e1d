// How a compaction is cut into tiles, and what a GPU's blocks are made of.
#ifndef SCAN_DEVICE_PLAN_COMPACTION_PLAN_HPP
#define SCAN_DEVICE_PLAN_COMPACTION_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/sequence_plan.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Bytes of a tile's fold at most.
inline constexpr int compaction_fold_bytes = 8;

// ---- the ring of tiles: roles of a block's warps (H200, 11-24, bench/NOTES, "Compaction") ----

/// Which call it is, as far as that decides.
struct compaction_traits {
  int moved_bytes;    // of an element in shared memory
  bool asks_items;    // in place of flags, which takes longer
  bool has_rejected;  // these are moved, too
  bool has_lengths;

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
  const int part_bytes = of.has_rejected ? 96 : of.has_lengths ? 120 : 128;
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
constexpr int most_cluster_rows(int item_bytes) { return std::min(most_tile_rows(item_bytes), 4); }
inline constexpr int most_cluster_compaction_warps = 16;
/// Elements of one block, and of clusters whose blocks have half as many warps.
inline constexpr int most_lone_compaction = 1024, most_small_cluster_compaction = 4096;

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
/// A tile a multiprocessor, as long as that is enough, of two rows or less until blocks have all
/// their warps: twice as many tiles take longer to look at than their elements take to load.
constexpr compaction_plan plan_compaction(std::int64_t num_items, int item_bytes, int sm_count,
                                          bool has_clusters) {
  const int most_rows = most_tile_rows(item_bytes), cluster_rows = most_cluster_rows(item_bytes);
  constexpr int most_warps = most_compaction_threads / 32;
  if (num_items <= most_lone_compaction) {
    const int warps = std::max(static_cast<int>((num_items + 31) / 32), 1);
    return compaction_in(1, warps, num_items, 1, true);
  }
  const int most_in_cluster =
      most_cluster_blocks * most_cluster_compaction_warps * 32 * cluster_rows;
  if (has_clusters && num_items <= most_in_cluster) {
    const bool small = num_items <= most_small_cluster_compaction;
    return compaction_in(most_cluster_blocks, most_cluster_compaction_warps / (small ? 2 : 1),
                         num_items, cluster_rows, true);
  }
  const std::int64_t two_rows = (num_items - 1) / (std::int64_t{sm_count} * 64) + 1;
  const int warps = two_rows <= 8 ? 8 : two_rows <= 16 ? 16 : most_warps;
  const compaction_plan plan = compaction_in(sm_count, warps, num_items, most_rows, false);
  // (A thread of those who look back looks at one tile at a time.)
  return plan.num_tiles <= warps * 32
             ? plan
             : compaction_in(sm_count, most_warps, num_items, most_rows, false);
}

/// No compaction of up to `num_items` elements of up to `item_bytes` bytes has more bytes of
/// states, on a GPU with up to `most_sms` multiprocessors.
constexpr std::size_t most_compaction_states_bytes(std::int64_t num_items, int item_bytes) {
  constexpr std::int64_t most_sms = 1024;
  const int bytes = std::max(item_bytes, 8);  // (of less no tile is smaller)
  const compaction_traits of{bytes, true, true, true};
  const std::int64_t ring_items = std::int64_t{12} * 32 * most_compaction_rows(of);
  const std::int64_t block_items = std::int64_t{most_compaction_threads} * most_tile_rows(bytes);
  const std::int64_t least = std::min(ring_items, block_items);
  const std::int64_t small = std::min((num_items + 255) / 256, most_sms);
  return tile_states_bytes(std::max({num_items / least + 1, small, std::int64_t{1}}),
                           compaction_fold_bytes);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
