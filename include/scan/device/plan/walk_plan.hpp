// Numbers of walks: the tiles, groups and spans in whose order those fold who go along segments
// with gaps, and short rows. (bench/NOTES.md, "Walks")
#ifndef SCAN_DEVICE_PLAN_WALK_PLAN_HPP
#define SCAN_DEVICE_PLAN_WALK_PLAN_HPP

#include <algorithm>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/plan/tuning.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A chunk is a warp's 32 vectors, a tile so many chunks, a group so many tiles (of vectors of 16
/// bytes: 32 KiB), a span so many groups (1 MiB).
inline constexpr int chunk_vectors = 32, tile_chunks = 8, group_tiles = 8, span_groups = 32;

/// Threads of a multiprocessor that registers have to suffice for.
constexpr int walk_threads_per_sm(int num_inputs, int value_bytes) {
  return num_inputs > 2 ? 576 : value_bytes <= 16 ? 1024 : 512;
}

/// Vectors of short rows that a lane has at the same time: 64 bytes of them, while registers last.
constexpr int short_walk_steps(int num_inputs, int vector_bytes, int value_bytes) {
  const int steps = 64 / (num_inputs * vector_bytes);
  return value_bytes > 16 || steps < 1       ? 1
         : value_bytes > 8 || num_inputs > 1 ? 2
         : steps > 8                         ? 8
                                             : steps;
}

/// Whether short rows that lie anywhere are a lane's each: not while there are few of many vectors,
/// which a lane has one after another. (H100, 2026-11-26: 520 x 65 of float recurrences 5.0 -> 2.6
/// us, 4000 x 65 6.4 -> 4.8.)
constexpr bool is_lanes_row(std::int64_t num_rows, int row_vectors, bool is_recurrence,
                            int sm_count) {
  const std::int64_t few = 4 * std::int64_t{sm_count}, many = (is_recurrence ? 16 : 12) * few;
  return row_vectors <= (num_rows <= few ? 6 : is_recurrence ? 10 : 16) || num_rows >= many;
}

/// Whether short rows of recurrences that lie anywhere are a warp's each (held_row.cuh), at some
/// 0.6 to 0.8 ns a row: not many rows of few vectors; or where gaps are what others take long for.
/// (H200, 2026-11-29, rows a vector; bench/NOTES.md, "Gradients of short rows")
constexpr bool is_warp_row(std::int64_t num_rows, int row_vectors, bool has_gaps, int num_inputs,
                           int element_bytes, int sm_count) {
  constexpr int measured_sms = 132;
  const bool is_gradient = num_inputs > 2;
  int most = 300;
  if (is_gradient) {
    if (row_vectors > (has_gaps ? 16 : 24)) return true;
    most = !has_gaps ? 650 : row_vectors < 10 ? 1700 : 3500;
  } else if (has_gaps && row_vectors > 16) {
    if (element_bytes >= 4 && row_vectors >= 24) return true;
    most = 800;
  } else if (row_vectors > 24) {
    most = 600;
  }
  return num_rows <= std::int64_t{most} * row_vectors * sm_count / measured_sms;
}

/// Short rows in shared memory, bytes: of a warp's rows; of a block, so that all of it ends soon;
/// of the rows of all lanes at most, else some have none. (bench/NOTES.md)
inline constexpr int stretch_bytes = 4096, stretch_block_bytes = 16 * 1024;
inline constexpr int most_stretch_bytes = 40 * 1024;
/// Folds that a lane keeps there of a row, where registers would not last: see short_row_lane.
constexpr int short_row_lines(int row_vectors) {
  return row_vectors <= 8 ? 0 : row_vectors <= 16 ? 8 : 24;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
