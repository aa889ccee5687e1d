// Columns whose rows the threads of a block hold in registers: in which order these are folded,
// which thread has which, and who has them at all. (bench/NOTES.md, "Few columns in registers".)
#ifndef SCAN_DEVICE_PLAN_HELD_COLUMN_PLAN_HPP
#define SCAN_DEVICE_PLAN_HELD_COLUMN_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/column_plan.hpp"
#include "scan/device/plan/column_walk_plan.hpp"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/extents.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Threads of a block at most; as a rule; and where columns beside each other gain by it.
inline constexpr int held_threads = 512, usual_held_threads = 128, more_held_threads = 288;
/// Words of a thread's rows: as many as may be of one array of 4 bytes; and with the rows that a
/// thread of a tile has at most. With more, fewer threads hide less. (Of rows two in a register
/// those that are on their way come to these: held_array.cuh.)
inline constexpr int held_words = 64, most_held_words = 72;
/// Shared memory of a block at most, of what CUDA grants unasked.
inline constexpr std::size_t most_held_shared_bytes = 40 << 10;
/// Rows of a run of which a thread has several, at least; runs of a column up to which each has a
/// thread of its own; columns of a block at least.
inline constexpr int least_run_rows = 8, most_own_runs = 32, least_held_width = 8;
/// Rows of a run at most, of columns of one tile: with more, of 16 bits, tiles are as fast.
inline constexpr int most_lone_run_rows = 81;
/// Bytes of results up to which one sector at a time is enough, and up to which it does not matter
/// that blocks store parts of the same.
inline constexpr std::int64_t few_held_bytes = 768 << 10, most_unshared_bytes = 2 << 20;

/// Who has columns of a length where there are many of them.
enum class column_carrier { tiles, strips, walks };
/// In which order the rows of a column are folded: runs of so many, each row after row; then those
/// of a tile, by halves or one after another; then of tiles of so many rows, one after another,
/// those of a batch, and batches. 0 rows: as nobody here holds them.
struct column_order {
  column_carrier of;
  int run_rows, tile_runs, tile_rows, batch_tiles;
  bool by_halves;
};
/// Those of tiles in shared memory, of strips in the ring, and of walks, where `run_inputs` tells
/// recurrences.
constexpr column_order tile_order(const column_plan& cut) {
  return {column_carrier::tiles, cut.group_rows,     cut.groups,
          cut.tile_rows,         column_batch_tiles, true};
}
constexpr column_order strip_order(const strip_plan& plan) {
  return {column_carrier::strips, plan.run_rows, plan.runs, plan.tile_rows, strip_batch, false};
}
constexpr column_order walk_order(const column_sizes& sizes, int run_inputs) {
  const int rows = walk_run_rows(sizes.widest(), run_inputs);
  const int runs = most_column_warps(sizes.value);
  return {column_carrier::walks, rows, runs, rows * runs, column_batch_tiles, false};
}

/// Whether a thread keeps rows two in a register: of 16 bits, where a tile's thread has more of
/// them than registers. (Of recurrences those in the ring's order would lose by it.)
constexpr bool are_paired(const column_sizes& sizes) {
  return sizes.in == 2 && sizes.inputs == 1 &&
         column_tuning_for(sizes).group_rows > most_held_words;
}
/// Rows of a thread at most: of several runs; and of one, which may be a tile's.
constexpr int most_joined_rows(const column_sizes& sizes) {
  return held_words / (sizes.inputs * ((sizes.in + 3) / 4));
}
constexpr int most_held_rows(const column_sizes& sizes) {
  const int of_tiles = column_tuning_for(sizes).group_rows, joined = most_joined_rows(sizes);
  if (are_paired(sizes)) return of_tiles;
  return of_tiles * (held_words / joined) <= most_held_words ? std::max(of_tiles, joined) : joined;
}

struct held_plan {
  column_order order;
  int thread_runs;     // of a thread
  int column_threads;  // of a column; 0: it is not held
  int width;           // columns of a block

  /// Of a column, and maybe some more.
  SCAN_HOST_DEVICE constexpr int num_runs() const { return column_threads * thread_runs; }
  constexpr int num_threads() const { return column_threads * width; }
  /// Shared memory of a block: a value a run, and another a thread.
  constexpr std::size_t shared_bytes(int value_bytes) const {
    return static_cast<std::size_t>((num_runs() + column_threads) * width * value_bytes);
  }
};

/// The threads of a column, if these can hold it.
constexpr held_plan hold_rows(const column_order& order, const column_sizes& sizes,
                              std::int64_t length) {
  held_plan plan{order, 1, 0, 0};
  const std::int64_t tiles = order.run_rows > 0 ? (length - 1) / order.tile_rows + 1 : 0;
  if (tiles == 0 || tiles > 2 * order.batch_tiles || order.run_rows > most_held_rows(sizes)) {
    return plan;
  }
  const std::int64_t rest = length - (tiles - 1) * order.tile_rows;
  const std::int64_t runs = (tiles - 1) * order.tile_runs + (rest - 1) / order.run_rows + 1;
  const bool may_join = !order.by_halves && order.run_rows % least_run_rows == 0 &&
                        (order.run_rows & (order.run_rows - 1)) == 0;
  const auto may_double = [&] {
    const int twice = 2 * plan.thread_runs;
    return may_join && order.tile_runs % twice == 0 &&
           twice * order.run_rows <= most_joined_rows(sizes);
  };
  while (runs > most_own_runs * plan.thread_runs && may_double()) plan.thread_runs *= 2;
  const std::int64_t threads = (runs - 1) / plan.thread_runs + 1;
  const bool gains = tiles > 1 || order.run_rows <= most_lone_run_rows;
  if (gains && threads > 1 && threads <= held_threads / least_held_width) {
    plan.column_threads = static_cast<int>(threads);
  }
  return plan;
}

/// Columns of a block: so that it has some warps, and moves one or two sectors of memory at a time
/// if it can. Where rows of results are no whole sectors, all of a slab's, or of several if there
/// are more than a few a multiprocessor, if these are short; else as many as it can have, where
/// there is much to store.
constexpr int held_width(const held_plan& plan, const column_sizes& sizes,
                         const tensor_shape& shape, std::int64_t bytes, bool fill_sectors,
                         int sm_count) {
  const std::int64_t inner = shape.inner;
  const int threads = plan.column_threads, size = sizes.widest();
  const bool is_much = bytes > most_unshared_bytes, is_little = bytes <= few_held_bytes;
  const bool is_whole = inner * threads <= usual_held_threads ||
                        (is_much && inner < 64 && inner * threads <= held_threads);
  if (!fill_sectors && is_whole) {
    const auto slab = static_cast<int>(inner);
    const std::int64_t each = shape.outer / (4 * sm_count);
    const int most = usual_held_threads / (slab * threads);
    return slab * static_cast<int>(std::clamp<std::int64_t>(each, 1, std::max(most, 1)));
  }
  const bool widens = !fill_sectors && is_much && sizes.inputs == 1 && size == 4;
  int width = least_held_width;
  while (width < 64 && 2 * width * threads <= (widens ? held_threads : usual_held_threads)) {
    width *= 2;
  }
  const int line = size < 4 || is_little ? 32 : 64;
  const int most = (size < 4 && !is_little ? held_threads : more_held_threads) / threads;
  while (width * size < line && 2 * width <= most) width *= 2;
  return width;
}

/// Bytes of results up to which they are held, on a GPU of so many multiprocessors as have been
/// measured: with more, who has them else is faster.
/// (bench/NOTES.md, "Few columns in registers", H100, 2026-11-28.)
constexpr std::int64_t most_held_bytes(const held_plan& plan, const column_sizes& sizes,
                                       std::int64_t inner, bool fill_sectors) {
  constexpr std::int64_t KiB = 1 << 10, MiB = 1 << 20;
  const bool narrow = sizes.widest() < 4, paired = are_paired(sizes);
  const bool recurs = sizes.inputs > 1;
  const int threads = plan.column_threads, runs = plan.thread_runs;
  switch (plan.order.of) {
    case column_carrier::strips:
      if (!fill_sectors && inner < 64) return (narrow || threads > 32 ? 1 : 4) * MiB;
      if (narrow) return (threads <= 8 ? 28 : threads <= 16 ? 16 : threads <= 32 ? 9 : 5) * MiB / 2;
      if (recurs) return (threads <= 32 ? 12 : 6) * MiB;
      return (threads <= 8 ? 40 : threads <= 16 ? 20 : threads <= 32 ? 13 : 8) * MiB;
    case column_carrier::walks:
      if (narrow && recurs) return (runs > 1 ? 2048 : 700) * KiB;
      if (narrow) return runs == 1 ? 7 * MiB / 4 : runs == 2 ? 4 * MiB : 256 * KiB;
      if (recurs) return (runs == 1 ? 3 : runs == 2 ? 8 : 11) * MiB / 2;
      if (sizes.widest() > 4) return (runs <= 2 ? 5 : 8) * MiB;
      return (runs == 1 ? 7 : runs == 2 ? 14 : runs == 4 ? 32 : 6) * MiB / 4;
    default:
      if (!fill_sectors && inner < 32 && threads > 32) return 128 * KiB;
      if (inner * sizes.widest() < 64) return (paired && fill_sectors ? 4 : 1) * MiB;
      if (paired) return 8 * MiB;
      if (threads <= plan.order.tile_runs) return std::int64_t{1} << 40;
      if (sizes.in != sizes.out) return (threads > 24 ? 1 : 8) * MiB;
      return (fill_sectors ? 32 : 8) * MiB;
  }
}

/// How a tensor's columns are held, if they are. `fill_sectors`: rows of results begin and end with
/// sectors of memory.
constexpr held_plan hold_columns(const column_order& order, const column_sizes& sizes,
                                 const tensor_shape& shape, bool fill_sectors, int sm_count) {
  constexpr int measured_sms = 132;
  held_plan plan = hold_rows(order, sizes, shape.length);
  if (plan.column_threads == 0) return plan;
  const std::int64_t bytes = shape.outer * shape.length * shape.inner * sizes.widest();
  plan.width = held_width(plan, sizes, shape, bytes, fill_sectors, sm_count);
  const std::int64_t most = most_held_bytes(plan, sizes, shape.inner, fill_sectors);
  if (plan.shared_bytes(sizes.value) > most_held_shared_bytes) plan.column_threads = 0;
  if (bytes > most / measured_sms * sm_count || shape.outer > INT32_MAX / shape.inner) {
    plan.column_threads = 0;
  }
  return plan;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
