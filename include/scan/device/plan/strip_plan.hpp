// How wide columns go through the ring: a tile is some rows of a strip of columns, whose lines a
// few instructions bring to shared memory, one for each way that they lie in granules, and a warp
// has a run of its rows, a lane a column or two.
//
// Only the length, inner, the sizes of the elements and whether the device has a ring enter into a
// column's order of operations. (bench/NOTES.md, "wide columns in a ring", H200, 2026-11-26.)
#ifndef SCAN_DEVICE_PLAN_STRIP_PLAN_HPP
#define SCAN_DEVICE_PLAN_STRIP_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/device/plan/column_ring_plan.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/protocol/state_sizes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Columns of a strip at most: one or two of each lane, of two warps beside each other.
constexpr int most_strip_columns(int lane_columns) { return 64 * lane_columns; }
/// Strips whose first tiles come first: see panel_strips.
inline constexpr unsigned strip_panel = 528;

/// Tiles of a batch.
inline constexpr int strip_batch = 8;
/// Whole batches that something follows, of so many tiles of a column.
SCAN_HOST_DEVICE constexpr std::int64_t strip_batches(std::int64_t num_tiles) {
  return (num_tiles - 1) / strip_batch;
}
/// States of a column: of what something follows (see strip_looks.cuh).
SCAN_HOST_DEVICE constexpr std::int64_t strip_states(std::int64_t num_tiles) {
  return num_tiles - 1 + 2 * strip_batches(num_tiles);
}
/// Of `columns` columns of `num_tiles` tiles each.
constexpr std::size_t strip_states_bytes(std::int64_t num_tiles, std::int64_t columns,
                                         int value_bytes) {
  return sizeof(tile_states_header) +
         sizeof(std::uint64_t) * static_cast<std::size_t>(dense_state_words(value_bytes)) *
             static_cast<std::size_t>(strip_states(num_tiles) * columns);
}

/// Rows of a tile at most, as an instruction brings them, and what it counts to.
inline constexpr int most_strip_rows = 256;
inline constexpr std::int64_t most_strip_extent = INT32_MAX;
/// Bytes of lines that two tiles of two arrays have room for each.
inline constexpr int most_strip_bytes = 100 << 10;

struct strip_tuning {
  int scan_warps;    // a run each of every tile
  int reduce_warps;  // that fold them
  int look_warps;
  int lane_columns;
  int rows_at_once;

  SCAN_HOST_DEVICE constexpr int threads_per_block() const {
    return 32 * (scan_warps + reduce_warps + 2 + look_warps);
  }
};
/// Of recurrences, which read two arrays, or have the same order, fewer warps look back, because
/// their folds take more registers.
constexpr strip_tuning strip_tuning_for(int in_bytes, int run_inputs) {
  if (run_inputs > 1) return {8, 8, in_bytes < 4 ? 6 : 4, in_bytes < 4 ? 2 : 1, 5};
  return in_bytes < 4 ? strip_tuning{8, 8, 8, 2, 8} : strip_tuning{8, 8, 6, 1, 8};
}

/// Steps of `bytes` bytes after which one is where it was in a granule of 16: a power of two.
constexpr int granule_phases(std::int64_t bytes) {
  int phases = 1;
  while (phases * bytes % 16 != 0) phases *= 2;
  return phases;
}

/// Results of a sector of memory, of bytes half of one: less than a strip has columns.
constexpr int sector_items(int out_bytes) { return out_bytes > 1 ? 32 / out_bytes : 16; }
/// Columns that strips share so that of each row one has sectors of its own to store, and their
/// lines granules to begin with. (Where two multiprocessors store parts of a sector it takes far
/// longer: bench/NOTES.md, "wide columns whose rows begin anywhere".)
constexpr int shared_columns(int in_bytes, int out_bytes) {
  return std::max(sector_items(out_bytes), 16 / in_bytes);
}

struct strip_plan {
  int groups;  // warps beside each other
  int width;   // columns of a strip, but of the last
  int step;    // from a strip's first column of its own to the next one's
  int runs;    // of a tile, one below the other
  int run_rows, tile_rows;
  int phases;           // rows that lie differently in granules; a tile has as many of each
  std::int64_t tiles;   // of a strip
  std::int64_t strips;  // of a slab

  /// Of strips that have some of their neighbours' columns too, if they have neighbours.
  constexpr strip_plan with_shared(int columns, std::int64_t inner) const {
    strip_plan plan = *this;
    if (strips > 1) {
      plan.step = width - columns;
      plan.strips = tiles_of(inner + columns - 1, plan.step);
    }
    return plan;
  }
};
/// Tiles that are alike. (Lines of 256 bytes are the faster ones of sums; recurrences lose more to
/// looks at twice as many columns.)
constexpr strip_plan plan_strips(const strip_tuning& tuned, int in_bytes, int run_inputs,
                                 std::int64_t length, std::int64_t inner) {
  strip_plan plan{};
  const int phases = granule_phases(inner * in_bytes);
  const bool is_whole = phases > 1 && inner < most_strip_columns(tuned.lane_columns);
  const bool sums = run_inputs == 1;
  const bool gains =
      sums && (phases > 1 || ((tuned.lane_columns == 1 || in_bytes == 2) && inner >= 128));
  plan.phases = is_whole ? 1 : phases;
  plan.groups = is_whole ? (inner > 32 * tuned.lane_columns ? 2 : 1) : (gains ? 2 : 1);
  plan.width = plan.step = 32 * tuned.lane_columns * plan.groups;
  plan.strips = tiles_of(inner, plan.width);
  plan.runs = tuned.scan_warps / plan.groups;
  // (Of two arrays' longest lines not so many fit twice.)
  const auto line_bytes = static_cast<int>(is_whole && !sums ? 2 * inner * in_bytes : 1);
  const std::int64_t tiles =
      tiles_of(length, std::min(most_strip_rows, most_strip_bytes / line_bytes));
  plan.run_rows = static_cast<int>((length - 1) / (plan.runs * tiles) + 1);
  while (plan.runs * plan.run_rows % plan.phases != 0) ++plan.run_rows;
  plan.tile_rows = plan.runs * plan.run_rows;
  plan.tiles = tiles_of(length, plan.tile_rows);
  return plan;
}

/// Whether columns of such sizes go through it: of elements that narrow ones go through the ring
/// with, if a slab has tiles for a good many blocks. The same for any number of slabs, because so
/// is the order.
///
/// Of lines of whole granules that fill most of a warp's lanes. (Recurrences of floats that are
/// short are faster walked.)
constexpr bool gains_by_strips(std::int64_t length, std::int64_t inner, int in_bytes,
                               int run_inputs) {
  const int width = 32 * strip_tuning_for(in_bytes, run_inputs).lane_columns;
  const bool recurs = run_inputs > 1, wide = in_bytes >= 4;
  const std::int64_t least_length = recurs ? (wide ? 600 : 96) : wide ? 64 : 128;
  const std::int64_t kibibytes = in_bytes < 2 ? 384 : wide && recurs ? 1024 : 128;
  return length >= least_length && 4 * inner >= (wide ? 2 : 3) * tiles_of(inner, width) * width &&
         length * inner * in_bytes >= kibibytes << 10;
}
/// Of other lines long columns; and shorter ones where these are slabs of some MiB, or of few
/// columns that lie one after another. (Recurrences of floats are walked while they can be.)
constexpr bool gains_by_boxes(std::int64_t length, std::int64_t inner, int in_bytes,
                              int run_inputs) {
  const bool walked = run_inputs > 1 && in_bytes >= 4;
  const std::int64_t kibibytes = length * inner * in_bytes >> 10;
  if (length < 128) return false;  // (there are rows of every way to lie in granules)
  if (inner < 64) return kibibytes >= (in_bytes < 4 ? 96 : 64);
  if (in_bytes < 2) return kibibytes >= 384 && (inner >= 128 || length > 4096);
  if (length > 4096) return !walked || inner < 2944;
  return length >= 1024 && inner >= 128 && kibibytes >= 1536 && !walked;
}
constexpr bool goes_in_strips(std::int64_t length, std::int64_t inner, int in_bytes,
                              int run_inputs) {
  if (inner <= most_ring_columns || std::max(length, inner) > most_strip_extent) return false;
  return inner * in_bytes % 16 == 0 ? gains_by_strips(length, inner, in_bytes, run_inputs)
                                    : gains_by_boxes(length, inner, in_bytes, run_inputs);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
