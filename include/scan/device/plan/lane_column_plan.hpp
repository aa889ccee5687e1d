// Which columns a lane goes along by itself, and what it holds of them.
//
// The order is that of tiles in which a thread has all of a column, one row after another, or, of
// columns that are walked, the walks'; so how many there are and how they lie may decide who takes
// them. (bench/NOTES.md, "Short columns, a lane each", H200, 2026-11-27)
#ifndef SCAN_DEVICE_PLAN_LANE_COLUMN_PLAN_HPP
#define SCAN_DEVICE_PLAN_LANE_COLUMN_PLAN_HPP

#include <algorithm>
#include <cstdint>

#include "scan/device/plan/column_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Threads of a block; and where many lanes store rows that are no whole sectors, parts of which
/// fewer blocks share then: of columns that are short, and of longer ones.
inline constexpr int lane_column_threads = 128, most_lane_column_threads = 512;
inline constexpr int long_lane_column_threads = 256;
/// Rows that a lane holds, of arrays whose lines have so many bytes: 128 bytes of all of them.
constexpr int lane_run_rows(int line_bytes, int num_inputs) {
  const int most = 128 / (std::max(line_bytes, 4) * num_inputs);
  int rows = 1;
  while (2 * rows <= most) rows *= 2;
  return rows;
}
/// Lanes of a multiprocessor from which on those of narrow elements have a word of them each, not
/// one, and blocks are larger: fewer would be too few to keep memory busy.
inline constexpr int many_word_lanes = 768, many_lanes = 512;

/// Columns of lanes that have 16 bytes of each row, of elements that fill these.
inline constexpr int wide_line_bytes = 16;
constexpr int columns_of_wide_lanes(const column_sizes& sizes) {
  const bool fill = wide_line_bytes % sizes.in == 0 && wide_line_bytes % sizes.out == 0;
  return fill ? wide_line_bytes / sizes.widest() : 1;
}

/// Lanes that have little to do end before others begin in their place. Of more lanes than a few
/// each has so many bytes to read and write at least, and so many rows.
inline constexpr std::int64_t most_brief_lanes = 1 << 18;
inline constexpr int least_lane_bytes = 48, least_lane_rows = 4;
constexpr std::int64_t lane_bytes(const column_sizes& sizes, std::int64_t length, int columns) {
  return length * columns * (sizes.inputs * sizes.in + sizes.out);
}
constexpr bool are_lanes_brief(const column_sizes& sizes, std::int64_t length, std::int64_t columns,
                               int lane_columns) {
  return columns / lane_columns > most_brief_lanes &&
         (lane_bytes(sizes, length, lane_columns) < least_lane_bytes || length < least_lane_rows);
}
/// Whether they have enough with 16 bytes of each row.
inline constexpr int least_wide_bytes = 80;
constexpr bool gains_by_wide_lanes(const column_sizes& sizes, std::int64_t length) {
  return lane_bytes(sizes, length, columns_of_wide_lanes(sizes)) >= least_wide_bytes &&
         (sizes.widest() >= 4 || length >= least_lane_rows);
}

/// Rows at most, and runs of a lane, whose loads wait for each other.
inline constexpr int most_lane_rows = 65, most_lane_runs = 3;
/// Bytes up to which a call waits for latency, not for memory; a few of them; those of a row.
inline constexpr std::int64_t few_lane_bytes = 8 << 20, very_few_lane_bytes = 1 << 20;
inline constexpr int least_lane_line = 64, least_few_line = 32;
/// Rows at most: of such short lines of few bytes, of shorter ones, and of elements that are
/// widened.
inline constexpr int most_partial_rows = 12, most_narrow_rows = 8, most_widened_rows = 32;

/// Whether columns go by lanes that have enough to do, of which a thread of column_kernel would
/// have all rows. `fill_sectors`: rows of results begin and end with sectors of memory. (Of others
/// multiprocessors store parts of the same: where there is much to store, a run's rows, of
/// recurrences two runs'.)
constexpr bool goes_by_lanes(const column_tuning& tiles, const column_sizes& sizes,
                             std::int64_t outer, std::int64_t length, std::int64_t inner,
                             int lane_columns, bool fill_sectors) {
  const int run_rows = lane_run_rows(sizes.widest() * lane_columns, sizes.inputs);
  const int most_rows = std::min({tiles.group_rows, most_lane_rows, most_lane_runs * run_rows});
  if (length > most_rows || outer * inner > INT32_MAX) return false;
  const std::int64_t line = inner * sizes.widest(), all = outer * length * line;
  if (all <= few_lane_bytes) {
    const int most_short_rows = all <= very_few_lane_bytes ? most_rows : most_partial_rows;
    return line >= least_lane_line || length <= most_narrow_rows ||
           (line >= least_few_line && length <= most_short_rows);
  }
  if (sizes.in != sizes.out && length > most_widened_rows) return false;
  const int most_off_sectors = line < 128 ? most_partial_rows : sizes.inputs * run_rows;
  if (!fill_sectors && length > most_off_sectors) return false;
  return line >= least_lane_line;
}

/// Whether lanes have columns that others would walk, of which they fold each run, in the same
/// order: short ones, and not few. (bench/NOTES.md, "Columns that are walked, a lane's each" and
/// "Blocks of columns that fit", H200, 2026-11-29)
constexpr int most_lane_walk_rows(const column_sizes& sizes) {
  const bool recurs = sizes.inputs > 1;
  if (sizes.widest() < 4) return recurs ? 256 : 150;
  return sizes.widest() == 4 && recurs ? 40 : 0;
}
constexpr bool goes_by_walking_lanes(const column_sizes& sizes, std::int64_t length,
                                     std::int64_t columns, int sm_count) {
  if (length > most_lane_walk_rows(sizes)) return false;
  const int least = length <= most_lane_rows ? 800 : sizes.inputs > 1 ? 400 : 200;
  return columns >= std::int64_t{least} * sm_count && columns <= INT32_MAX;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
