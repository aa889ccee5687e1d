// Numbers of compactions: how many elements a tile has, how many blocks there are.
#ifndef SCAN_DEVICE_PLAN_COMPACTION_PLAN_HPP
#define SCAN_DEVICE_PLAN_COMPACTION_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Warps of a block.
inline constexpr int compaction_warps = 8;
/// Rows of 32 elements that a warp has of a tile at most: 4 KiB of what is moved, or 2 of flags.
/// (Of runs a little less, so that a fourth tile fits beside the places of all warps.)
constexpr int most_compaction_rows(int moved_bytes, bool has_lengths = false) {
  return std::max(1, (has_lengths ? 120 : 128) / std::max(moved_bytes, 2));
}
/// And of blocks that hold one tile, whose lanes then have the bits of one row. (Where runs begin
/// takes room, too.)
constexpr int most_tile_rows(bool has_lengths) { return has_lengths ? 24 : 32; }
/// Bytes of a tile's fold at most.
inline constexpr int compaction_fold_bytes = 16;
/// Blocks of a multiprocessor: each looks at all tiles since its last one.
inline constexpr int compaction_blocks_per_sm = 3;
/// Elements of the smallest tile, whose warps have a row each.
inline constexpr int least_compaction_tile = compaction_warps * 32;

// ---- the ring of tiles: roles of a block's warps ----

/// Warps that move, a part each, and warps that mark these, in turn: it takes longer to ask
/// elements than flags.
constexpr int compaction_ring_warps(bool of_items) { return of_items ? 12 : 14; }
constexpr int compaction_mark_warps(bool of_items) { return of_items ? 12 : 7; }
/// How long a tile's aggregate is out before its block looks for those before it.
inline constexpr unsigned compaction_look_delay_ns = 200;
/// Stages at most.
inline constexpr int most_compaction_stages = 8;

struct compaction_plan {
  int num_rows;  // of a warp
  std::int64_t num_tiles;
};
/// Of warps with up to `most_rows` rows: of few elements, small tiles, so that half of the
/// multiprocessors have one. (With twice as many each looks at more: 5.7 us for 4.9, H200, 11-23.)
constexpr compaction_plan plan_compaction(std::int64_t num_items, int most_rows, int sm_count) {
  const std::int64_t wanted = std::int64_t{std::max(sm_count / 2, 1)} * least_compaction_tile;
  const std::int64_t rows = (num_items - 1) / wanted + 1;
  const int num_rows = static_cast<int>(std::clamp<std::int64_t>(rows, 1, most_rows));
  const std::int64_t tile_items = std::int64_t{num_rows} * least_compaction_tile;
  return {num_rows, num_items <= 0 ? 0 : (num_items - 1) / tile_items + 1};
}

/// No compaction of up to `num_items` elements of up to `item_bytes` bytes has more bytes of
/// states, on a GPU with up to `most_sms` multiprocessors.
constexpr std::size_t most_compaction_states_bytes(std::int64_t num_items, int item_bytes) {
  constexpr int most_sms = 1024;
  // (Positions of elements of any size are of 8 bytes.)
  const int rows = most_compaction_rows(2 * std::max(item_bytes, 8));
  const std::int64_t whole =  // (those of the ring are larger)
      (num_items + std::int64_t{rows} * least_compaction_tile - 1) / (rows * least_compaction_tile);
  const std::int64_t least = (num_items + least_compaction_tile - 1) / least_compaction_tile;
  const std::int64_t small = std::min<std::int64_t>(least, most_sms);
  return tile_states_bytes(std::max<std::int64_t>({whole, small, 1}), compaction_fold_bytes);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
