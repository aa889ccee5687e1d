// Walks of columns: which are walked, how lanes and warps have them, and in which order they are
// folded. (bench/NOTES.md, "Walks")
#ifndef SCAN_DEVICE_PLAN_COLUMN_WALK_PLAN_HPP
#define SCAN_DEVICE_PLAN_COLUMN_WALK_PLAN_HPP

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "scan/abi.hpp"
#include "scan/device/plan/column_plan.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/extents.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// Sequences whose elements are `inner` apart. A thread has one column, or some beside each other or
// in lines, of which it folds a run of rows. Threads beside each other have the rows of a group:
// one run, or, of few columns, one for each of `lane_runs` parts of a warp's lanes. A tile is so
// many groups, of which a block has all at a time, or some.

/// Columns of a lane of recurrences: as many as are 4 bytes, of which a warp's lanes have a line of
/// 128. (Of other scans one: see wave_lane_lines.)
constexpr int walk_lane_columns(int element_bytes) {
  return element_bytes >= 4 ? 1 : 4 / element_bytes;
}
/// Rows of a run, which a thread holds: 64 bytes of all arrays; 8 at most where a warp's row is a
/// line of memory, so that both halves of a line that two strips share meet in the L2.
/// (bench/NOTES.md, "Walks".)
constexpr int walk_run_rows(int element_bytes, int num_inputs) {
  const int bytes = (element_bytes < 4 ? 4 : element_bytes) * num_inputs;
  const int rows = bytes >= 64 ? 1 : 64 / bytes;
  return element_bytes < 4 || rows < 8 ? rows : 8;
}
/// Groups of a tile, and a block's warps at most: shared memory has to last for a value a group and
/// column.
constexpr int most_column_warps(int value_bytes) { return value_bytes <= 16 ? 16 : 2; }
/// Threads beside each other at most, for whose columns it has to last as well.
constexpr int most_walk_width(int value_bytes) {
  return value_bytes <= 8 ? 128 : value_bytes <= 16 ? 64 : 32;
}

/// Strips up to which a wave of blocks takes columns, a tile each, that would be walked; of two
/// lines. A number, not one of multiprocessors, because workspaces are made without a device.
/// (bench/NOTES.md, "Walks": H100, 2026-11-25.)
inline constexpr int most_wave_strips = 92, most_wide_wave_strips = 64;
/// Of values of so many bytes at most: shared memory has to last for what a look-back sees.
inline constexpr int most_wave_value_bytes = 16;
/// Lines that a lane of a wave has of a row, so that strips share fewer sectors: two of one array
/// of 4 bytes, for which registers last. (Of 16-bit elements a run has as many rows again.)
constexpr int wave_lane_lines(int element_bytes, int value_bytes, int num_inputs) {
  return num_inputs == 1 && element_bytes == 4 && value_bytes <= 8 ? 2 : 1;
}
/// Rows that a walk can count, by int.
inline constexpr std::int64_t most_walked_rows = INT32_MAX / 2;

/// Whether a slab of 16-bit elements whose rows are whole is less than the ring gains by: of few
/// bytes, or few columns (see strip_plan.hpp).
constexpr bool is_narrow_slab(std::int64_t length, std::int64_t inner) {
  return inner < 96 || length * inner * 2 < 128 << 10;
}
/// Whether columns of recurrences are walked: where rows are no whole sectors of memory, lanes that
/// each copy their own elements are faster than lines through shared memory; of elements of 4 bytes
/// whatever the rows. Not along long columns that may be those of few strips, for which waves are
/// slower: the same for any number of slabs, because so is the order. (As above; H200, 2026-11-26.)
/// Short ones are a lane's each, of 16 bits up to twice as fast. (H200, 2026-11-27.)
constexpr bool walks_recurrences(std::int64_t length, std::int64_t inner, int element_bytes) {
  const bool is_whole = element_bytes != 4 && inner * element_bytes % 32 == 0;
  if (is_whole && (element_bytes > 4 || !is_narrow_slab(length, inner))) return false;
  const int least = element_bytes != 2 ? 24 : is_whole ? 100 : 34;
  return length >= least && length <= (inner >= 32 * most_wave_strips ? most_walked_rows : 4096) &&
         inner >= 64;
}
/// The same of other scans, of 16-bit elements where rows are no whole granules; short ones where
/// they are not in one strip of a tile, as which others are faster. (Slices of longer sequences are
/// none of these: a batch has more rows.)
constexpr bool may_walk_sums(int in_bytes, int out_bytes, int value_bytes) {
  return in_bytes == out_bytes && (in_bytes == 2 || in_bytes == 4 || in_bytes == 8) &&
         value_bytes <= most_wave_value_bytes;
}
constexpr bool walks_sums(std::int64_t length, std::int64_t inner, int in_bytes, int out_bytes,
                          int value_bytes) {
  const bool is_narrow = in_bytes == 2, is_whole = inner * in_bytes % (is_narrow ? 16 : 32) == 0;
  const int least = is_narrow && inner > 256 ? 40 : 100;
  return may_walk_sums(in_bytes, out_bytes, value_bytes) && length >= least && length <= 4096 &&
         inner >= 64 && !is_whole;
}

/// How the columns of a slab are dealt out.
struct walk_strips {
  int width;      // columns of a strip, but of the last
  int lane_runs;  // runs of each of them that a group has: of few columns several
  std::int64_t per_slab;
};
/// `lane_columns` above 1 is for inner > 32. `beside`: threads beside each other, of few columns a
/// warp's. (Where an element's bytes are a power of two a strip begins where a sector of memory
/// does, if its slab does.)
constexpr walk_strips walk_strips_of(std::int64_t inner, int element_bytes, int lane_columns,
                                     int beside = 32) {
  if (inner <= 32) return {static_cast<int>(inner), 32 / static_cast<int>(inner), 1};
  const int most = beside * lane_columns, sector = element_bytes >= 32 ? 1 : 32 / element_bytes;
  const std::int64_t strips = (inner - 1) / most + 1;
  const std::int64_t width = ((inner - 1) / strips / sector + 1) * sector;
  const int within = width < most ? static_cast<int>(width) : most;
  return {within, 1, (inner - 1) / within + 1};
}

/// How such a wave takes them.
constexpr column_plan wave_columns(std::int64_t outer, std::int64_t length, std::int64_t inner,
                                   int element_bytes, int value_bytes, int num_inputs) {
  const int lines = wave_lane_lines(element_bytes, value_bytes, num_inputs);
  const walk_strips strips = walk_strips_of(inner, element_bytes, lines);
  column_plan plan{};
  plan.width = strips.width;
  plan.tile_rows =
      most_column_warps(value_bytes) * strips.lane_runs * walk_run_rows(element_bytes, num_inputs);
  plan.tiles = (length - 1) / plan.tile_rows + 1;
  plan.strips = strips.per_slab;
  plan.slab_groups = outer;
  return plan;
}
/// How a block walks: threads beside each other at most, and groups that it has at a time, so many
/// that a tile is a number of them. (Of up to 32 columns a group is a warp, whatever the first
/// says.)
struct walk_blocks {
  int beside, groups;
};
/// In the order in which they are tried.
inline constexpr walk_blocks blocks_that_walk[] = {{128, 2}, {128, 4}, {64, 4}, {64, 8},
                                                   {32, 8},  {32, 16}, {32, 4}};
/// Threads of a block at least that goes on: of narrow rows more have a part of a warp. Blocks of a
/// multiprocessor that do not, and so have no rows on their way while they scan, below which others
/// wait twice as long.
inline constexpr int least_walk_threads = 128, least_lone_blocks = 3;
/// Threads of a group: of few columns a warp.
constexpr int group_threads_of(const walk_strips& strips, int lane_columns) {
  const int threads = (strips.width - 1) / lane_columns + 1;
  return strips.lane_runs > 1 || threads < 32 ? 32 : threads;
}

/// The blocks that have least to do one after another: steps of a block, times blocks that have to
/// wait for a place, as registers have it. (Steps take about as long whatever is in them, and wide
/// rows share fewer sectors: so the first that are within a fifth of the least. bench/NOTES.md,
/// "Blocks of columns that fit", H200, 2026-11-29)
constexpr walk_blocks plan_walk_blocks(const tensor_shape& shape, int element_bytes,
                                       int value_bytes, int run_rows, int lane_columns,
                                       int threads_per_sm, int sm_count) {
  constexpr int most_groups = 16, num_choices = std::size(blocks_that_walk);
  if (most_column_warps(value_bytes) < most_groups) return {32, most_column_warps(value_bytes)};
  const std::int64_t runs = (shape.length - 1) / run_rows + 1;
  const auto rounds = [&](const walk_blocks& with) -> std::int64_t {
    const walk_strips strips =
        walk_strips_of(shape.inner, element_bytes, lane_columns, with.beside);
    const std::int64_t in_all = (runs - 1) / strips.lane_runs + 1;
    const auto groups = static_cast<int>(std::min<std::int64_t>(in_all, with.groups));
    const int threads = whole_warps(groups * group_threads_of(strips, lane_columns));
    const bool goes_on = groups < in_all, fit = with.beside <= most_walk_width(value_bytes);
    if (!fit || (goes_on && threads < least_walk_threads)) return INT64_MAX;
    const int at_once = threads_per_sm / threads;
    const std::int64_t turns =
        (shape.outer * strips.per_slab - 1) / (std::int64_t{at_once} * sm_count) + 1;
    const bool are_lone = !goes_on && turns > 1 && at_once < least_lone_blocks;
    return (are_lone ? 2 : 1) * turns * ((in_all - 1) / groups + 1);
  };
  std::int64_t each[num_choices] = {}, least = INT64_MAX;
  for (int i = 0; i < num_choices; ++i) {
    each[i] = rounds(blocks_that_walk[i]);
    least = std::min(least, each[i]);
  }
  int first = 0;  // (there is one: blocks that have all of a tile, of a warp each group)
  while (each[first] > least + least / 5) ++first;
  return blocks_that_walk[first];
}

/// `lane_lines`: two are for inner > 32.
constexpr bool is_column_wave(const column_plan& plan, std::int64_t inner, int lane_lines) {
  if (lane_lines > 1 && inner <= 32) return false;
  return plan.tiles > 1 &&
         plan.num_strips() <= (lane_lines > 1 ? most_wide_wave_strips : most_wave_strips);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
