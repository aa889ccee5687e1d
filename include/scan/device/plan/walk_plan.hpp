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

/// Warps that have a chunk each of a tile of a sequence of so many vectors: a power of two.
constexpr int walk_warps_of(std::int64_t num_vectors, int most = tile_chunks) {
  int warps = 1;
  while (warps < most && warps * chunk_vectors < num_vectors) warps *= 2;
  return warps;
}
/// Warps that walk rows together: of many rows fewer each, down to one, so that nobody waits for
/// others.
constexpr int walk_warps_for(std::int64_t num_vectors, std::int64_t num_rows, int sm_count) {
  const std::int64_t tiles = (num_vectors - 1) / (tile_chunks * chunk_vectors) + 1;
  const std::int64_t each = num_rows / sm_count;  // a multiprocessor's
  const int most = each >= 96 ? 1 : each < 16 || tiles >= 16 ? tile_chunks : tiles == 1 ? 2 : 4;
  return walk_warps_of(num_vectors, most);
}
/// Stages of so many bytes that a block has in shared memory: there are always one fewer on their
/// way than these.
constexpr int walk_stages(int stage_bytes) { return 3 * stage_bytes <= 40 * 1024 ? 3 : 2; }
/// Rows of a block: of short ones several, so that one's chunks come while another's are scanned.
constexpr int walk_block_rows(std::int64_t num_rows, std::int64_t num_vectors, int warps,
                              int sm_count) {
  constexpr std::int64_t worth_steps = 16, most_warps_per_sm = 64;
  const std::int64_t steps = (num_vectors - 1) / (warps * chunk_vectors) + 1;
  const std::int64_t fair = num_rows * warps / (most_warps_per_sm * sm_count);
  return static_cast<int>(
      std::clamp<std::int64_t>(fair, 1, std::max<std::int64_t>(worth_steps / steps, 1)));
}
/// Threads of a multiprocessor that registers have to suffice for.
constexpr int walk_threads_per_sm(int num_inputs, int value_bytes) {
  return num_inputs == 1 && value_bytes <= 4 ? 1280
         : num_inputs > 2                    ? 768
         : value_bytes <= 16                 ? 1024
                                             : 512;
}

/// Vectors of short rows that a lane has at the same time: 64 bytes of them, while registers last.
constexpr int short_walk_steps(int num_inputs, int vector_bytes, int value_bytes) {
  const int steps = 64 / (num_inputs * vector_bytes);
  return value_bytes > 16 || steps < 1       ? 1
         : value_bytes > 8 || num_inputs > 1 ? 2
         : steps > 8                         ? 8
                                             : steps;
}

/// Short rows in shared memory, bytes: of a warp's rows; of a block, so that all of it ends soon;
/// of the rows of all lanes at most, else some have none. (bench/NOTES.md)
inline constexpr int stretch_bytes = 4096, stretch_block_bytes = 16 * 1024;
inline constexpr int most_stretch_bytes = 40 * 1024;
/// Folds that a lane keeps there of a row, where registers would not last: see short_row_lane.
constexpr int short_row_lines(int row_vectors) {
  return row_vectors <= 8 ? 0 : row_vectors <= 16 ? 8 : 24;
}

// ---- Rows of which few are there, or that begin anywhere: blocks hold chunks of them in shared
// memory, of one row or of several whole ones.

/// Vectors that a thread scans one after another, and threads of a block at most.
constexpr int relay_run_vectors(int element_bytes, int num_inputs) {
  return element_bytes > 16 ? 1 : element_bytes > 8 || num_inputs > 1 ? 4 : 8;
}
inline constexpr int most_relay_threads = 256;
/// Blocks of a multiprocessor that registers have to suffice for: told of fewer, nvcc 13.0 holds
/// more at once than it has use for.
constexpr int relay_blocks_per_sm(int num_inputs, int value_bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr int most = 4;
#else
  constexpr int most = 6;
#endif
  const int wanted = value_bytes > 16  ? 1
                     : num_inputs > 1  ? 5
                     : value_bytes > 8 ? 3
                     : value_bytes > 4 ? 4
                                       : 6;
  return wanted < most ? wanted : most;
}

/// A tile of a wave.
struct wave_place {
  int row, tile;
};
/// How they are dealt out.
struct relay_plan {
  int tile_chunks;    // of a tile with room for no more: fewer where rows are shorter
  int tiles_per_row;  // INT32_MAX: so many or more, which nothing takes
  int block_tiles;    // of one row, all of a part in one group; or of whole rows
  int parts_per_row;  // blocks that have tiles of it; 1: a block has rows
  int part_chunks;    // of a row that a block has room for
  std::int64_t num_blocks;

  SCAN_HOST_DEVICE constexpr bool looks_back() const { return parts_per_row > 1; }
  /// Of a wave the first tile of each row, then the second of each ..
  SCAN_HOST_DEVICE constexpr wave_place tile_of(int index, std::int64_t num_rows) const {
    if (!looks_back()) return {index, 0};
    const auto rows = static_cast<unsigned>(num_rows);
    const unsigned tile = static_cast<unsigned>(index) / rows;
    return {index - static_cast<int>(tile * rows), static_cast<int>(tile)};
  }
  constexpr int threads(int chunk_threads) const {
    return (looks_back() ? 1 : rows_per_block()) * part_chunks * chunk_threads;
  }
  constexpr int rows_per_block() const { return looks_back() ? 1 : block_tiles / tiles_per_row; }
  /// Words that a row's blocks publish: of tiles, or of groups where blocks have whole ones; then
  /// two for each span that another follows.
  SCAN_HOST_DEVICE constexpr std::int64_t words_per_row() const {
    return looks_back() ? folds_per_row() + std::int64_t{2} * spans_followed() : 0;
  }
  SCAN_HOST_DEVICE constexpr int folds_per_row() const {
    return block_tiles == group_tiles ? (tiles_per_row - 1) / group_tiles + 1 : tiles_per_row;
  }
  SCAN_HOST_DEVICE constexpr int spans_followed() const {
    return (tiles_per_row - 1) / (group_tiles * span_groups);
  }
};
/// `num_vectors`: of a row, the last may be partial.
constexpr relay_plan plan_relay(std::int64_t num_rows, std::int64_t num_vectors, int most_chunks,
                                int sm_count) {
  relay_plan plan{};
  const std::int64_t chunks = (num_vectors - 1) / chunk_vectors + 1;
  plan.tile_chunks = static_cast<int>(std::min<std::int64_t>(chunks, tile_chunks));
  const std::int64_t tiles = (chunks - 1) / plan.tile_chunks + 1;
  plan.tiles_per_row = static_cast<int>(std::min<std::int64_t>(tiles, INT32_MAX));
  // As long as there are not four blocks a multiprocessor they are smaller.
  int room = most_chunks;
  while (room > tile_chunks && num_rows * chunks / room < 4 * sm_count) room /= 2;
  if (chunks <= most_chunks && num_rows >= sm_count && room < chunks) {
    room = static_cast<int>(chunks);
  }
  if (chunks <= room) {
    const auto rows = static_cast<int>(room / chunks);
    plan.part_chunks = static_cast<int>(chunks);
    plan.block_tiles = rows * plan.tiles_per_row;
    plan.parts_per_row = 1;
    plan.num_blocks = (num_rows - 1) / rows + 1;
  } else {
    plan.block_tiles = room / tile_chunks;
    if (tiles <=
        group_tiles) {  // parts may be alike then, where else they are equal parts of groups
      const std::int64_t parts = (tiles - 1) / plan.block_tiles + 1;
      plan.block_tiles = static_cast<int>((tiles - 1) / parts + 1);
    }
    plan.part_chunks = plan.block_tiles * tile_chunks;
    plan.parts_per_row = (plan.tiles_per_row - 1) / plan.block_tiles + 1;
    plan.num_blocks = num_rows * plan.parts_per_row;
  }
  return plan;
}

/// Of a wave, which has a tile a block.
constexpr relay_plan plan_wave_rows(std::int64_t num_rows, std::int64_t num_vectors) {
  relay_plan plan{};
  plan.tile_chunks = tile_chunks;
  const std::int64_t tiles = (num_vectors - 1) / (tile_chunks * chunk_vectors) + 1;
  plan.tiles_per_row = static_cast<int>(std::min<std::int64_t>(tiles, INT32_MAX));
  plan.block_tiles = 1;
  plan.parts_per_row = plan.tiles_per_row;
  plan.num_blocks = num_rows * plan.tiles_per_row;
  return plan;
}

/// Rows of a multiprocessor from which on sums of integers walk, where results lie otherwise than
/// items. (bench/NOTES.md, "Walks": H100, 2026-11-25.)
inline constexpr int least_walked_rows = 128;

// ---- Long rows of recurrences, on devices with the ring: in its order, or as one tile of that
// kind (bench/NOTES.md, "Rows in rounds", H100, 2026-11-26). ----

/// Vectors of a chunk, as the ring has them.
constexpr int round_chunk_vectors(int element_bytes) {
  return 32 * recurrence_ring_tuning_for(element_bytes).vectors_per_thread;
}
/// Chunks of a row that is one tile, one a warp of its block: as many as registers last for. (Of
/// two blocks a multiprocessor.)
constexpr int most_round_warps(int element_bytes) { return element_bytes > 4 ? 10 : 16; }
struct round_plan {
  int warps;  // of a block, each with a chunk
  std::int64_t tiles_per_row;
};
constexpr round_plan plan_rounds(std::int64_t num_vectors, int element_bytes) {
  const std::int64_t chunks = tiles_of(num_vectors, round_chunk_vectors(element_bytes));
  if (chunks <= most_round_warps(element_bytes)) return {static_cast<int>(chunks), 1};
  const int warps = recurrence_ring_tuning_for(element_bytes).scan_warps;
  return {warps, tiles_of(chunks, warps)};
}
/// Whether rows are cut so: those that are longer than a walk's tile.
constexpr bool is_long_row(std::int64_t length, int element_bytes) {
  return vectors_of(length, element_bytes) > tile_chunks * chunk_vectors;
}
/// Whether rows of several tiles are faster by the ring than by a block a tile: many bytes, in rows
/// of `whole` granules, or, since what is left of a row costs it more where they are not, of many
/// tiles. (H200, 2026-11-26.)
constexpr bool is_ring_faster_for_long(const round_plan& plan, std::int64_t num_bytes,
                                       int element_bytes, bool whole) {
  const int least_tiles = whole ? 2 : element_bytes < 4 ? 10 : 4;
  return plan.tiles_per_row >= least_tiles && num_bytes >= std::int64_t{24} << 20;
}

/// Who takes rows: blocks that go along some, a block a tile while nearly all are on the device at
/// once, or blocks that hold parts of them.
enum class row_carrier { walk, wave, relay };
/// (bench/NOTES.md, "Walks". In the same order, so that all that is not a row's own may decide.)
/// `alike`: results can take the items' place in shared memory, or have one of their own; `relays`:
/// a relay has room for the arrays.
constexpr row_carrier row_carrier_for(std::int64_t num_rows, std::int64_t num_vectors,
                                      int num_inputs, bool alike, bool relays, int sm_count) {
  const std::int64_t tiles = (num_vectors - 1) / (tile_chunks * chunk_vectors) + 1;
  const std::int64_t each = num_rows / sm_count;  // a multiprocessor's
  if (num_rows * tiles <= std::int64_t{8} * sm_count) return row_carrier::wave;
  const bool is_counted = num_vectors < INT32_MAX / 2;  // (by int)
  if (!relays && each == 0 && is_counted) return row_carrier::wave;
  const bool walks = tiles == 1 ? !alike || each < 48
                     : alike    ? each >= 7 && tiles > 4 && num_inputs > 1
                                : each >= 3;
  return !relays || (walks && is_counted) ? row_carrier::walk : row_carrier::relay;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
