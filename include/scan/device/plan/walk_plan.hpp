// How sequences are walked: the tiles, groups and spans in whose order they are folded, and how
// many warps walk one. (bench/NOTES.md, "Walks")
//
// Only the length and the size of the elements enter into the order, so a sequence has the same
// bits however many warps walk it, and whatever else is in the call.
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

/// Warps that walk a sequence of so many vectors together: one a chunk. A power of two.
constexpr int walk_warps_for(std::int64_t num_vectors) {
  int warps = 1;
  while (warps < tile_chunks && warps * chunk_vectors < num_vectors) warps *= 2;
  return warps;
}
/// Threads of a multiprocessor that registers have to suffice for: with fewer there is less memory
/// under way, with more what a thread holds is spilled. `value_bytes`: of what has been folded;
/// `in_granules`: what is read comes by two granules a vector.
constexpr int walk_threads_per_sm(int num_inputs, int value_bytes, bool in_granules = false) {
  return num_inputs == 1 && value_bytes <= 4 && !in_granules ? 1536
         : value_bytes <= 16                                 ? 1024
                                                             : 512;
}

/// Short rows of which a lane has a vector each at the same time.
constexpr int short_walk_rows(int num_inputs, int value_bytes) {
  return value_bytes > 16 ? 1 : num_inputs > 1 || value_bytes > 8 ? 2 : 4;
}

// ---- Columns: sequences whose elements are `inner` apart. A lane has one column, or some narrow
// ones beside each other, of which it folds a run of rows; a warp has a run for each of `lane_runs`
// parts of its lanes; a tile is one of each warp.

/// Columns of a lane: as many as are 4 bytes, of which a warp's lanes have a line of 128; one where
/// shared memory would not last for more, of values that a function has made of narrow elements.
constexpr int walk_lane_columns(int element_bytes, int value_bytes) {
  return element_bytes >= 4 || value_bytes > 8 ? 1 : 4 / element_bytes;
}
/// Rows of a run, which a thread holds, with those of the next: 32 bytes of all arrays.
constexpr int walk_run_rows(int element_bytes, int num_inputs) {
  const int bytes = (element_bytes < 4 ? 4 : element_bytes) * num_inputs;
  return bytes >= 32 ? 1 : 32 / bytes;
}
/// Warps of a block at most: shared memory has to last for a value a warp and column.
constexpr int most_column_warps(int value_bytes) { return value_bytes <= 16 ? 8 : 2; }

/// How the columns of a slab are dealt out.
struct walk_strips {
  int width;      // columns of a strip, but of the last
  int lane_runs;  // runs of each of them that a warp has: of few columns several
  std::int64_t per_slab;
};
/// `lane_columns` above 1 is for inner > 32. (Where an element's bytes are a power of two a strip
/// begins where a sector of memory does, if its slab does.)
constexpr walk_strips walk_strips_of(std::int64_t inner, int element_bytes, int lane_columns) {
  if (inner <= 32) return {static_cast<int>(inner), 32 / static_cast<int>(inner), 1};
  const int most = 32 * lane_columns, sector = element_bytes >= 32 ? 1 : 32 / element_bytes;
  const std::int64_t strips = (inner - 1) / most + 1;
  const std::int64_t width = ((inner - 1) / strips / sector + 1) * sector;
  const int within = width < most ? static_cast<int>(width) : most;
  return {within, 1, (inner - 1) / within + 1};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
