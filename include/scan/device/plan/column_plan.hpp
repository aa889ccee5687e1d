// How a tensor whose inner extent is two or more is cut into tiles.
//
// A slab is length x inner elements. Its columns are cut into strips, its rows into tiles: a tile
// is some rows of a strip, or where sequences are short all rows of a strip of one slab or of
// several. A thread of the tile's block takes a group of rows of one column.
//
// How a sequence is cut, into tiles and groups, depends on length, inner and the sizes of the
// elements; strips and slabs to a tile are no part of the order of operations.
#ifndef SCAN_DEVICE_PLAN_COLUMN_PLAN_HPP
#define SCAN_DEVICE_PLAN_COLUMN_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/extents.hpp"
#include "scan/protocol/state_sizes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// Numbers here rest on bench/NOTES.md, "Columns", H200, 11-22, where nothing else is said.

/// Tiles of a batch, batches of a span: see column_prefix.cuh. (Batches of 8: -50 %.)
inline constexpr int column_batch_tiles = 16, span_batches = 8;
/// Blocks a multiprocessor, as registers have room for.
inline constexpr int column_blocks_per_sm = 5;
/// Strips whose first tiles come first: so few that a strip's states, when they are looked at, are
/// in the L2 still. (No more than 1 %.)
inline constexpr unsigned panel_strips = 528;
/// Shared memory of a tile whose lines have room for the granules around them, at most.
inline constexpr std::size_t most_roomy_bytes = 80 * 1024;
/// Rows of tiles of which a thread scans several whole columns at once; of recurrences, where more
/// lose.
constexpr int most_rows_at_once(int num_inputs) { return num_inputs == 1 ? 12 : 4; }
/// Bytes of a line of results from which on they go to memory from registers where they are not as
/// wide as elements: then more blocks fit.
inline constexpr int least_direct_bytes = 64;
/// What a look-back sees at most: aggregates of tiles, of two spans' batches, and one prefix.
inline constexpr int most_column_looks = (column_batch_tiles - 1) + (2 * span_batches - 1) + 1;

/// Bytes of the elements of a scan; `value`: of what the operator sees; `inputs`: arrays read.
struct column_sizes {
  int in, out, value, inputs;
  constexpr int widest() const { return std::max(in, out); }
};

/// What all scans of elements of the same sizes have in common.
struct column_tuning {
  int threads;       // of a block
  int group_rows;    // of a thread, at most
  int step_rows;     // a group is one row and a multiple of these, where it is not cut short
  int strip_width;   // columns, where the look-back decides
  int most_width;    // the same where there are many strips, or of a row that is one of its own
  int whole_width;   // of a row that stays in one piece because its strips would not be equal
  int granule_rows;  // that are whole granules of 16 bytes, whatever the width
  constexpr int tile_items() const { return threads * group_rows; }
};

constexpr int next_power_of_two(int x) {
  int power = 1;
  while (power < x) power *= 2;
  return power;
}
/// Elements of `bytes` bytes that fill granules of 16 bytes.
constexpr int granule_elements(int bytes) {
  int elements = 16;
  while (elements > 1 && bytes % 2 == 0) {
    bytes /= 2;
    elements /= 2;
  }
  return elements;
}

/// The rows of a group: one more than fill the 32 banks of shared memory, so that the threads of a
/// warp, whose columns and groups are neighbours, meet in no bank whatever the width.
constexpr column_tuning column_tuning_for(const column_sizes& sizes) {
  const int widest = std::min(next_power_of_two(std::max(sizes.in, sizes.out)), 64);
  const int staged = sizes.inputs * sizes.in + (sizes.in == sizes.out ? 0 : sizes.out);
  column_tuning tuned{};
  tuned.threads = 128;
  tuned.group_rows = 3;
  for (int rows = 4; tuned.threads * (rows + 1) * staged <= 42 * 1024; rows *= 2) {
    tuned.group_rows = rows + 1;
  }
  tuned.step_rows = std::min(8, tuned.group_rows - 1);
  const int most_looked_at = (8 << 10) / (most_column_looks * sizes.value);
  tuned.most_width = std::max(1, std::min(128 / widest, most_looked_at));
  tuned.strip_width = std::max(1, std::min(64 / widest, tuned.most_width));
  tuned.whole_width = tuned.most_width;
  if (sizes.in == sizes.out && sizes.in >= 4) {
    tuned.whole_width = std::max(tuned.most_width, std::min(64, most_looked_at));
  }
  tuned.granule_rows = std::max(granule_elements(sizes.in), granule_elements(sizes.out));
  // Shared memory holds the tile, two folds a thread and what a look-back sees.
  const auto shared_bytes = [&] {
    return tuned.tile_items() * staged +
           (2 * tuned.threads + most_column_looks * tuned.whole_width) * sizes.value + 384;
  };
  while (shared_bytes() > 48 * 1024) tuned.threads /= 2;
  return tuned;
}

/// A tensor's cut.
struct column_plan {
  int width;            // columns of a strip, but of a slab's last
  int group_rows;       // of a thread's group, but the last of a tile
  int groups;           // of a tile
  int tile_rows;        // but of a slab's last tile
  int slabs;            // to a tile, but the last ones; 1 where tiles > 1
  int slab_stride;      // elements from slab to slab in shared memory
  std::int64_t strips;  // of a slab
  std::int64_t tiles;   // of a strip
  std::int64_t slab_groups;

  SCAN_HOST_DEVICE constexpr std::int64_t num_strips() const { return slab_groups * strips; }
  SCAN_HOST_DEVICE constexpr std::int64_t num_tiles() const { return num_strips() * tiles; }
  /// Of a strip: tiles, full batches and full spans that something follows, which have states.
  SCAN_HOST_DEVICE constexpr std::int64_t followed() const { return tiles - 1; }
  SCAN_HOST_DEVICE constexpr std::int64_t batches() const {
    return followed() / column_batch_tiles;
  }
  SCAN_HOST_DEVICE constexpr std::int64_t spans() const { return batches() / span_batches; }
  /// States of a strip: a row for each tile, batch and span, of whole sectors.
  SCAN_HOST_DEVICE constexpr int state_width(int value_bytes) const {
    const int words = dense_state_words(value_bytes), sector = words < 4 ? 4 / words : 1;
    return (width + sector - 1) / sector * sector;
  }
  SCAN_HOST_DEVICE constexpr std::int64_t strip_states(int value_bytes) const {
    return (followed() + batches() + spans()) * state_width(value_bytes);
  }
  constexpr std::size_t states_bytes(int value_bytes) const {
    if (tiles == 1) return 0;
    return sizeof(tile_states_header) +
           sizeof(std::uint64_t) * static_cast<std::size_t>(dense_state_words(value_bytes)) *
               static_cast<std::size_t>(num_strips() * strip_states(value_bytes));
  }
};

constexpr std::int64_t ceil_div(std::int64_t x, std::int64_t y) { return (x - 1) / y + 1; }

/// Rows of equal groups, `count` at most, that `rows` rows are cut into.
constexpr int equal_group_rows(const column_tuning& tuned, std::int64_t rows, int count) {
  const auto each = static_cast<int>(ceil_div(rows, count));
  return each == 1 ? 1
                   : static_cast<int>(ceil_div(each - 1, tuned.step_rows)) * tuned.step_rows + 1;
}

/// Columns of the strips.
constexpr int strip_width_of(const column_tuning& tuned, std::int64_t length, std::int64_t inner) {
  const std::int64_t groups = ceil_div(length, tuned.group_rows);
  // Short sequences need few threads each: more of them to a tile.
  std::int64_t widest = inner < 4 * tuned.most_width ? tuned.strip_width : tuned.most_width;
  if (groups == 1) {
    widest = std::max<std::int64_t>(widest, tuned.tile_items() / length);
  } else if (groups < tuned.threads) {
    widest = std::max<std::int64_t>(widest, tuned.threads / groups);
  }
  // (Where strips would not be of equal width, rows in one piece are better than narrower ones.)
  const int whole = inner % tuned.strip_width == 0 ? tuned.most_width : tuned.whole_width;
  if (inner <= std::max<std::int64_t>(widest, whole)) return static_cast<int>(inner);
  const int unit = tuned.granule_rows;
  if (widest >= unit) widest = widest / unit * unit;
  const std::int64_t width = ceil_div(inner, ceil_div(inner, widest));
  return static_cast<int>(widest >= unit ? ceil_div(width, unit) * unit : width);
}

/// Extents are positive, inner 2 or more.
constexpr column_plan cut_columns(const column_tuning& tuned, std::int64_t outer,
                                  std::int64_t length, std::int64_t inner) {
  column_plan cut{};
  cut.width = strip_width_of(tuned, length, inner);
  cut.strips = ceil_div(inner, cut.width);
  cut.slabs = 1;
  const int most_groups = std::max(1, tuned.threads / cut.width);
  const std::int64_t groups = ceil_div(length, tuned.group_rows);
  if (groups > most_groups) {
    const int unit = tuned.granule_rows;
    const int most_rows = most_groups * tuned.group_rows / unit * unit;
    const auto even = static_cast<int>(ceil_div(length, ceil_div(length, most_rows)));
    cut.tile_rows = static_cast<int>(ceil_div(even, unit)) * unit;
    cut.group_rows = equal_group_rows(tuned, cut.tile_rows, most_groups);
  } else {
    cut.tile_rows = static_cast<int>(length);
    cut.group_rows = equal_group_rows(tuned, length, static_cast<int>(groups));
  }
  cut.groups = static_cast<int>(ceil_div(cut.tile_rows, cut.group_rows));
  cut.tiles = ceil_div(length, cut.tile_rows);
  cut.slab_stride = cut.tile_rows * cut.width;
  if (cut.tiles == 1 && outer > 1) {
    // Slabs of 32 bytes and more would begin in few banks.
    const int unit = tuned.granule_rows;
    if (cut.slab_stride % (2 * unit) == 0) cut.slab_stride += unit;
    std::int64_t slabs = std::max(1, tuned.tile_items() / cut.slab_stride);
    if (cut.groups > 1) {
      slabs = std::min<std::int64_t>(slabs, tuned.threads / (cut.groups * cut.width));
    }
    cut.slabs = static_cast<int>(std::min(std::max<std::int64_t>(slabs, 1), outer));
  }
  cut.slab_groups = ceil_div(outer, cut.slabs);
  return cut;
}

/// Tiles as of sequences so long that one more item does not change them, whatever the length.
constexpr column_plan cut_long_columns(const column_tuning& tuned, std::int64_t outer,
                                       std::int64_t length, std::int64_t inner) {
  // (Of so many rows tiles are as large as they may be: cut evenly they lose less than one.)
  constexpr std::int64_t very_long = std::int64_t{1} << 40;
  column_plan cut = cut_columns(tuned, outer, very_long, inner);
  cut.tiles = ceil_div(length, cut.tile_rows);
  return cut;
}

/// Of tiles that are whole sequences about `num_tiles` smaller ones, where there are fewer: that
/// changes no order of operations.
constexpr column_plan spread_columns(const column_tuning& tuned, column_plan cut,
                                     std::int64_t outer, std::int64_t inner, int num_tiles) {
  if (cut.tiles > 1 || cut.num_tiles() >= num_tiles) return cut;
  if (cut.slabs > 1) {
    cut.slabs = static_cast<int>(std::max<std::int64_t>(1, outer / num_tiles));
    cut.slab_groups = ceil_div(outer, cut.slabs);
  }
  if (cut.slabs > 1 || cut.slab_groups >= num_tiles) return cut;
  // Lines of two sectors at least.
  const int unit = 4 * tuned.granule_rows;
  const std::int64_t wanted = ceil_div(inner, ceil_div(num_tiles, cut.slab_groups));
  const std::int64_t width = ceil_div(wanted, unit) * unit;
  if (width >= cut.width) return cut;
  cut.width = static_cast<int>(width);
  cut.strips = ceil_div(inner, width);
  cut.slab_stride = cut.tile_rows * cut.width;
  return cut;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
