// How narrow columns go through the ring: a tile is some whole rows of a slab, which lie one after
// another in memory, and a lane has a run of rows of one column.
//
// Only the length, inner, the sizes of the elements and whether the device has a ring enter into a
// column's order of operations. (bench/NOTES.md, "Columns", H200 and H100, 2026-11-26.)
#ifndef SCAN_DEVICE_PLAN_COLUMN_RING_PLAN_HPP
#define SCAN_DEVICE_PLAN_COLUMN_RING_PLAN_HPP

#include <cstddef>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/protocol/state_sizes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Columns at most: a warp has some rows of all of them. Fewer where results are of another width:
/// tiles are of fewer elements then, and each has as many looks.
inline constexpr int most_ring_columns = 32, most_widened_columns = 12;
/// Tiles of a batch, which one lane looks at at once, and batches that a block looks at at once:
/// all that others have under way.
inline constexpr int column_ring_batch = 8, most_column_batches = 17;

struct column_ring_tuning {
  int scan_warps;    // a chunk each of every tile
  int reduce_warps;  // that fold them
  int look_warps;
  int lane_rows;  // of a lane at most where all lanes have some; of fewer lanes more
  int rows_at_once;

  SCAN_HOST_DEVICE constexpr int threads_per_block() const {
    return 32 * (scan_warps + reduce_warps + 3 + look_warps);
  }
  SCAN_HOST_DEVICE constexpr int tile_items() const { return 32 * scan_warps * lane_rows; }
};
/// Tiles as large as three fit; where results are of another width, and lie beside items, two or
/// three. Of recurrences, which read two arrays, or have the same order, those of fewer warps,
/// because their folds take more registers; and more warps for their looks, which are at two words.
constexpr column_ring_tuning column_ring_tuning_for(int in_bytes, int out_bytes, int run_inputs) {
  const int bytes = in_bytes > out_bytes ? in_bytes : out_bytes;
  if (run_inputs > 1) return {8, 8, 8, 124 / bytes, 6};
  return {12, 12, 5, (in_bytes == out_bytes ? 180 : 148) / bytes, 8};
}

struct column_ring_plan {
  int lane_runs;  // runs of each column that a warp has, side by side
  int run_rows;   // odd, so that lanes' runs begin in different banks
  int tile_rows;
  std::int64_t tiles_per_slab;
};
/// Tiles that are alike. `inner`: from 2 to most_ring_columns.
constexpr column_ring_plan plan_column_ring(const column_ring_tuning& tuned, std::int64_t length,
                                            std::int64_t inner) {
  const int lane_runs = 32 / static_cast<int>(inner);
  const int most_rows = (32 * tuned.lane_rows / (lane_runs * static_cast<int>(inner)) - 1) | 1;
  const int runs = lane_runs * tuned.scan_warps;
  const std::int64_t tiles = tiles_of(length, runs * most_rows);
  const auto rows = static_cast<int>((length - 1) / (runs * tiles) + 1) | 1;
  return {lane_runs, rows, runs * rows, tiles_of(length, runs * rows)};
}
/// A state a tile and column.
constexpr std::size_t column_ring_states_bytes(std::int64_t num_tiles, std::int64_t inner,
                                               int value_bytes) {
  return sizeof(tile_states_header) + sizeof(std::uint64_t) *
                                          static_cast<std::size_t>(dense_state_words(value_bytes)) *
                                          static_cast<std::size_t>(num_tiles * inner);
}

/// Whether the ring takes narrow columns of these sizes: wider aggregates leave room for fewer
/// stages, and looks at them would hold it up. (double: 0.65 of the speed of a block a tile.)
constexpr bool column_ring_takes(int in_bytes, int out_bytes, int value_bytes, int run_inputs) {
  return in_bytes <= 4 && out_bytes <= 4 && value_bytes <= 4 * run_inputs;
}
/// Whether columns of such sizes go through it: if a slab has a tile for a good many blocks. The
/// same for any number of slabs, because so is the order.
constexpr bool goes_in_column_ring(std::int64_t length, std::int64_t inner, int in_bytes,
                                   int out_bytes) {
  return inner <= (in_bytes == out_bytes ? most_ring_columns : most_widened_columns) &&
         length * inner * (in_bytes > out_bytes ? in_bytes : out_bytes) >= 1 << 20;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
