// How the rows of a tensor (inner = 1) are cut: so that each has the bits of the one-sequence call
// of its length, by wave or ring, whatever the others are. Only the length and size of the
// elements, and whether the device has a ring, enter into a row's order of operations; the number
// of rows decides how many of its tiles a block takes. (Where every order gives the same bits it
// may choose another: see is_ring_faster.)
#ifndef SCAN_DEVICE_PLAN_ROW_PLAN_HPP
#define SCAN_DEVICE_PLAN_ROW_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/sequence_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Who scans rows: a few of them a warp, blocks that take tiles of a row, or the ring.
enum class row_kernel_kind { short_rows, tiles, ring };

/// Tiles of a row whose aggregates are folded together.
inline constexpr int row_batch_tiles = 256;

struct row_plan {
  row_kernel_kind kernel;
  int stripes;          // of a warp's share: see tuning
  int tile_vectors;     // of each tile of a row but the last; of short rows the row's
  int tiles_per_row;    // the same for every row
  int shares_per_tile;  // warps' shares
  int group_tiles;      // consecutive ones that a block takes; of several rows only whole rows
  std::int64_t groups_per_row;  // 1 where a group is rows
  std::int64_t num_groups;
  int threads_per_block;

  /// Tiles' aggregates and batches' prefixes; none where no tile waits for another block's.
  constexpr std::int64_t num_states(std::int64_t num_rows) const {
    if (groups_per_row <= 1) return 0;
    return num_rows * (tiles_per_row + (tiles_per_row - 1) / row_batch_tiles);
  }
};

// Numbers here rest on bench/NOTES.md, "Rows", H200, 11-22.

/// Rows of up to so many vectors are short: they fit a warp's lanes.
inline constexpr int short_row_vectors = 32;

/// Vectors that a thread scans one after another.
constexpr int row_run_vectors(int stripes, int element_bytes) {
  return element_bytes > 16 ? 1 : stripes < 4 && element_bytes > 8 ? 4 : 8;
}

/// Tiles of rows that have no one-sequence call by the wave: where that call is by look-back.
inline constexpr int row_tile_vectors = 1024;
constexpr int row_tile_vectors_for(int element_bytes) {
  return element_bytes > 16 ? 256 : row_tile_vectors;
}
constexpr tile_plan row_cut_of(std::int64_t num_vectors, int element_bytes) {
  const int stripes = std::min(2, most_wave_stripes(element_bytes));
  return {stripes, tiles_of(num_vectors, row_tile_vectors_for(element_bytes))};
}

/// Threads of a block: some, or as many as one tile wants, or a row of as many tiles as a cluster
/// has blocks: then nobody waits for another block.
inline constexpr int row_block_threads = 256, most_whole_row_threads = 768;
constexpr int most_row_threads(int stripes, int element_bytes) {
  const int tile = stripes * most_wave_threads(element_bytes, stripes);
  return std::max(tile / row_run_vectors(stripes, element_bytes),
                  stripes <= 2 && element_bytes <= 8 ? most_whole_row_threads : row_block_threads);
}
/// Of row_wave_kernel: one vector a thread.
template <int element_bytes_>
struct row_wave_tuning {
  static constexpr int stripes = 1, vector_items = vector_items_for(element_bytes_);
  static constexpr int most_threads =
      std::min(one_stripe_threads, most_wave_threads(element_bytes_, 1));
  static constexpr int lone_bytes = 4;
};
/// Whether a block a row is faster than tiles in shared memory: while there are few times as many
/// threads as run at once. (bench/NOTES.md)
constexpr bool is_row_wave(const row_plan& plan, std::int64_t num_rows, int sm_count) {
  constexpr std::int64_t threads_per_sm = 2048;
  return plan.tiles_per_row == 1 && plan.stripes == 1 &&
         num_rows * plan.tile_vectors <= 3 * threads_per_sm * sm_count;
}

/// Whether rows are faster as short ones, in shared memory, in two shares of 32 vectors, which is
/// the wave's order: of more vectors the second share leaves few lanes idle elsewhere, too.
/// (bench/NOTES.md, "Rows of two shares", H200)
constexpr bool are_two_shares(const row_plan& plan) {
  return plan.tiles_per_row == 1 && plan.stripes == 1 && plan.tile_vectors <= 48;
}

/// The same of few short rows that do not go through registers else, a warp each then: if they are
/// no `whole` granules from two vectors on, of narrow elements from five. (H100, 2026-11-26: 64
/// rows of 63 floats 3.1 -> 1.6 us, of 127 bf16 3.8 -> 2.2.)
constexpr bool is_short_row_wave(std::int64_t num_rows, int num_vectors, int element_bytes,
                                 bool whole, int sm_count) {
  const bool wide = element_bytes >= 4;
  const int most = whole ? 8 : wide ? 4 : 2;  // a multiprocessor
  return num_rows <= std::int64_t{most} * sm_count && (whole || num_vectors > (wide ? 1 : 4));
}

/// Vectors of a lane of who holds rows of the wave's tiles in registers: see held_shares.cuh.
inline constexpr int held_share_vectors = 5, most_held_stripes = 2;
/// Who has a row: a block, the blocks of a cluster, or some that look back.
enum class row_blocks { one, cluster, look_back };
/// How a row of such tiles is dealt out to warps: each has so many shares of one tile.
struct held_shares_plan {
  int vectors, whole;  // of a row, with what fills none, and without
  int tiles, tile_vectors, tile_warps, warp_shares;
  int blocks, block_tiles;  // of several blocks each has so many tiles
  constexpr int warps() const { return block_tiles * tile_warps; }  // of a block
};
constexpr held_shares_plan hold_shares(const row_plan& plan, std::int64_t length,
                                       int element_bytes) {
  const int most = held_share_vectors / plan.stripes;
  held_shares_plan held{};
  held.vectors = static_cast<int>(vectors_of(length, element_bytes));
  held.whole = static_cast<int>(length / vector_items_for(element_bytes));
  held.tiles = plan.tiles_per_row;
  held.tile_vectors = plan.tile_vectors;
  held.tile_warps = (plan.shares_per_tile - 1) / most + 1;
  held.warp_shares = (plan.shares_per_tile - 1) / held.tile_warps + 1;
  held.blocks = 1;
  held.block_tiles = held.tiles;
  return held;
}
/// Warps of a block that has a part of a row: few, while eight blocks are enough.
inline constexpr int least_spread_warps = 6, some_spread_warps = 10;
/// Spreads a row over up to `most_blocks` blocks of at least `warps` warps, or of more, up to
/// `most_warps`: whether that is possible.
constexpr bool spread(held_shares_plan& held, int warps, int most_warps, int most_blocks) {
  if (held.tiles > most_wave_tiles) return false;
  const auto each_of = [&](int parts) { return (held.tiles - 1) / parts + 1; };
  held.block_tiles = std::max(each_of(most_blocks), warps / held.tile_warps);
  held.blocks = each_of(held.block_tiles);
  held.block_tiles = each_of(held.blocks);
  return held.warps() <= most_warps;
}
/// Spreads it over blocks that look back, of some warps, or of those that a tile has, which are at
/// most 16 (of a tile of the wave, by five vectors a lane or two pairs).
inline constexpr int looking_warps = 4, most_looking_warps = 16;
constexpr void spread_to_look_back(held_shares_plan& held) {
  held.block_tiles = std::max(looking_warps / held.tile_warps, 1);
  held.blocks = (held.tiles - 1) / held.block_tiles + 1;
}
/// Threads of a block, of which two are to have registers at once: as many as leave each the 48 for
/// single vectors, 64 for pairs and 56 for elements of 8 bytes below which code spills. The more
/// threads, the more is done while some wait. (Whole pairs of warps: ptxas rounds up to them.)
/// (Code for pairs of several blocks' rows takes all it may have.)
constexpr int held_register_threads(int element_bytes, int stripes, row_blocks blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return 512;  // (a multiprocessor of 7.5 has 1024)
#else
  const int registers = element_bytes > 4                           ? 56
                        : stripes == 1 || blocks != row_blocks::one ? 48
                                                                    : 64;
  return 65536 / 2 / registers / 64 * 64;
#endif
}
/// How rows lie in memory: as whole granules, or results as far off these as items, or otherwise.
enum class rows_lie { whole, alike, anywhere };
/// Vectors of rows of one tile, `whole` or alike, up to which tiles in shared memory are faster in
/// large calls: what a warp finds out before it begins takes longer than so few shares. (Rows that
/// are not whole cost tiles more.)
constexpr int most_unheld_vectors(int element_bytes, bool whole) {
  if (element_bytes > 4) return 112;
  if (element_bytes < 4) return whole ? 96 : 64;
  return whole ? 80 : 76;
}
/// Whether holding them is faster than tiles in shared memory: in small calls, where results lie
/// otherwise than items, and where warps have shares enough. `widens`: results are wider than
/// items. (bench/NOTES.md, "what a warp of sums executes", H200)
constexpr bool are_shares_held(const held_shares_plan& held, std::int64_t num_rows,
                               std::int64_t length, int element_bytes, bool widens, rows_lie lie) {
  const std::int64_t mebibytes = num_rows * length * element_bytes >> 20;
  if (widens && mebibytes >= 16) return false;
  if (lie == rows_lie::anywhere || mebibytes < 12) return true;
  const bool whole = lie == rows_lie::whole;
  if (held.tiles == 1) return held.tile_vectors > most_unheld_vectors(element_bytes, whole);
  return element_bytes <= 4 && held.warp_shares >= 4 &&
         (!whole || held.tile_warps == 1 || mebibytes < 25);
}
/// The same of rows that more than one block has, which then are a cluster: in small calls, where
/// tiles in shared memory that look back take twice to three times as long, and of large ones where
/// tiles in shared memory are slowest and a block has no whole row of them.
constexpr bool are_rows_spread(const row_plan& plan, std::int64_t num_bytes, int element_bytes,
                               bool widens, rows_lie lie) {
  if (num_bytes < most_clustered_bytes) return true;
  if (plan.groups_per_row == 1 && plan.threads_per_block <= row_block_threads) return false;
  if (widens) return false;
  if (element_bytes == 4) return lie == rows_lie::anywhere;
  return element_bytes > 4 || lie != rows_lie::whole;
}
/// The same of blocks that look back: in small calls where clusters have no room or are not to be,
/// in large ones before these, of rows off granules, with which tiles in shared memory are slowest;
/// but not of tiles of so many warps that these wait for each other. (bench/NOTES.md, "rows in
/// registers that look back", H200)
constexpr bool are_looks_held(const held_shares_plan& held, std::int64_t num_bytes,
                              int element_bytes, rows_lie lie) {
  if (held.tiles > most_wave_tiles || held.tile_warps > most_looking_warps) return false;
  if (num_bytes < most_clustered_bytes) return true;
  if (lie == rows_lie::whole || held.tiles <= most_cluster_blocks || held.tile_warps > 12) {
    return false;
  }
  return element_bytes < 4 || lie == rows_lie::anywhere || num_bytes < 4 * most_clustered_bytes;
}
/// The same where a block a row would hold it as the wave does: of more threads than these run two
/// times at once.
constexpr bool are_many_for_row_waves(const row_plan& plan, std::int64_t num_rows, int sm_count) {
  return num_rows * plan.tile_vectors > std::int64_t{3 * 1024} * sm_count;
}

/// Whether the ring is faster with rows of any order than what holds tiles in registers: with many
/// bytes, in rows that fill nearly all of its tiles. (bench/NOTES.md, "Rows in the ring", H100.)
constexpr bool is_ring_faster(std::int64_t num_rows, std::int64_t length, int element_bytes,
                              int tile_items) {
  const std::int64_t tiles = tiles_of(length, tile_items);
  const std::int64_t num_bytes = num_rows * length * element_bytes;
  const double filled = static_cast<double>(length) / static_cast<double>(tiles * tile_items);
  return tiles > 1 &&
         (filled >= 0.8 ? num_bytes >= 12 << 20 : filled >= 0.74 && num_bytes >= 32 << 20);
}

/// Bytes of rows of several groups in shared memory that are asked for before tickets are drawn.
/// (Blocks that have theirs in registers gain by that at any size. H100, 2026-11-26:
/// 66 x 50257 floats 19.9 -> 17.7 us, 64 x 262144 56 -> 60.)
inline constexpr std::int64_t most_row_prefetch_bytes = std::int64_t{48} << 20;

/// Tiles of a group at most.
inline constexpr int most_group_tiles = 32;

/// The plan for rows of `length` > 0 elements of at most `element_bytes` bytes; `in_ring`: the ring
/// kernel takes them here. `is_long`: as rows past the wave, in tiles
/// that do not depend on the length.
constexpr row_plan plan_rows(std::int64_t num_rows, std::int64_t length, int element_bytes,
                             bool in_ring, int sm_count, bool is_long = false) {
  row_plan plan{};
  const std::int64_t num_vectors = vectors_of(length, element_bytes);
  const algorithm alone = kernel_for(length, element_bytes, in_ring);
  plan.kernel = !is_long && num_vectors <= short_row_vectors       ? row_kernel_kind::short_rows
                : in_ring && (is_long || alone == algorithm::ring) ? row_kernel_kind::ring
                                                                   : row_kernel_kind::tiles;
  plan.tile_vectors = static_cast<int>(std::min<std::int64_t>(num_vectors, INT32_MAX));
  if (plan.kernel != row_kernel_kind::tiles) return plan;
  const bool is_wave = !is_long && alone == algorithm::wave;
  const tile_plan cut =
      is_wave ? wave_cut_of(num_vectors, element_bytes) : row_cut_of(num_vectors, element_bytes);
  plan.stripes = cut.stripes;
  plan.tile_vectors = is_long ? row_tile_vectors_for(element_bytes)
                              : static_cast<int>((num_vectors - 1) / cut.num_tiles + 1);
  const std::int64_t tiles = tiles_of(num_vectors, plan.tile_vectors);
  plan.tiles_per_row = static_cast<int>(std::min<std::int64_t>(tiles, INT32_MAX));
  plan.shares_per_tile = (plan.tile_vectors - 1) / (32 * plan.stripes) + 1;
  const int run = row_run_vectors(plan.stripes, element_bytes);
  const int share_threads = 32 * plan.stripes / run;
  const int room =
      std::clamp(row_block_threads / share_threads / plan.shares_per_tile, 1, most_group_tiles);
  // As long as there are not enough for all multiprocessors, groups are smaller.
  const std::int64_t enough = std::max<std::int64_t>(tiles * num_rows / (2 * sm_count), 1);
  int group = static_cast<int>(std::min<std::int64_t>(room, enough));
  if (tiles == 1) {
    plan.group_tiles = group;
    plan.groups_per_row = 1;
    plan.num_groups = tiles_of(num_rows, group);
  } else {
    group = tiles > row_batch_tiles ? 1 : static_cast<int>(std::min<std::int64_t>(group, tiles));
    const int most = most_row_threads(plan.stripes, element_bytes);
    if (in_ring && tiles <= most_cluster_blocks && num_rows >= sm_count &&
        tiles * plan.shares_per_tile * share_threads <= most) {
      group = static_cast<int>(tiles);
    }
    plan.groups_per_row = tiles_of(tiles, group);
    plan.group_tiles = static_cast<int>((tiles - 1) / plan.groups_per_row + 1);
    plan.groups_per_row = tiles_of(tiles, plan.group_tiles);
    plan.num_groups = plan.groups_per_row * num_rows;
  }
  const int threads = plan.group_tiles * plan.shares_per_tile * share_threads;
  plan.threads_per_block = (threads + 31) / 32 * 32;
  return plan;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
