// How rows are cut into rounds: what a block has of a row at once, and what each of its lanes.
//
// Only the length and the size of the elements, how many arrays are read, and whether the device
// has a ring enter into a row's order of operations; the number of rows decides how many of them a
// block has. (bench/NOTES.md, "Rows in rounds", H100 and H200, 2026-11-26.)
#ifndef SCAN_DEVICE_PLAN_ROUND_PLAN_HPP
#define SCAN_DEVICE_PLAN_ROUND_PLAN_HPP

#include <algorithm>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/plan/tuning.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Vectors of a lane at most, as in the ring; of three arrays registers last for fewer.
constexpr int most_round_run(int num_inputs) { return num_inputs > 2 ? 3 : 5; }
/// Warps of a block at most, of which, where rows may be several tiles, two are on a
/// multiprocessor: as many as registers last for, where there is no ring as many as have their
/// vectors in what is granted of shared memory unasked, which are those of tiles that look back,
/// too, where they are not the ring's.
constexpr int most_round_warps(int element_bytes) { return element_bytes > 4 ? 10 : 16; }
inline constexpr int tile_warps = 8;
/// Warps of a block that has several rows.
inline constexpr int round_block_warps = 4;
/// Blocks of a multiprocessor that registers have to suffice for. Who holds runs in them has as
/// many as these take: with 64, by two blocks, there were spills, and half the speed.
constexpr int round_blocks_per_sm(int most_warps, bool looks_back) {
  if (!looks_back) return most_warps > round_block_warps ? 1 : 8;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return 1024 / (32 * most_warps);
#else
  return 2;
#endif
}

struct round_plan {
  int run;    // vectors of a lane, which follow each other
  int warps;  // that have a tile of a row, a chunk each of 32 runs
  std::int64_t tiles_per_row;
  bool in_clusters = false;  // a row's tiles, instead of looking back
};
/// Rows of several tiles have the ring's where it takes them, else tiles that are alike. (Of runs
/// of two vectors lanes meet in the same banks, which costs less than lanes without any; of four
/// more.)
constexpr round_plan plan_rounds(std::int64_t num_vectors, int element_bytes, int num_inputs,
                                 bool has_ring) {
  const int most_run = most_round_run(num_inputs);
  const int most_warps = has_ring ? most_round_warps(element_bytes) : tile_warps;
  const std::int64_t chunks = tiles_of(num_vectors, 32 * most_run);
  const bool is_rings = has_ring && num_inputs <= 2;
  if (chunks > most_warps) {
    const std::int64_t tiles = tiles_of(chunks, tile_warps);
    const int warps = is_rings ? recurrence_ring_tuning_for(element_bytes).scan_warps
                               : static_cast<int>((chunks - 1) / tiles + 1);
    return {most_run, warps, tiles_of(chunks, warps)};
  }
  const auto warps = static_cast<int>(chunks);
  const std::int64_t each = tiles_of(num_vectors, 32 * warps);
  return {each > 3 ? most_run : each > 2 ? 3 : 2, warps, 1};
}
/// Whether rows are held in registers, of which one block of more warps takes more than half of a
/// multiprocessor's: not many of these. (bench/NOTES.md, "Rows in registers", H200, 2026-11-28)
constexpr bool are_rows_held(const round_plan& plan, std::int64_t num_rows, int sm_count) {
  return plan.tiles_per_row == 1 && (plan.warps <= 12 || num_rows <= sm_count);
}
/// Rows of a block, of one tile each: so that it has four warps, as long as there are several such
/// blocks a multiprocessor.
constexpr int round_block_rows(const round_plan& plan, std::int64_t num_rows, int sm_count) {
  const bool are_many = plan.tiles_per_row == 1 && num_rows * plan.warps >= 16 * sm_count;
  return are_many ? std::max(round_block_warps / plan.warps, 1) : 1;
}

/// Whether rows of several tiles are faster by clusters than by blocks that look back: in calls
/// that are not large; by more than eight blocks, of which few clusters run at once, in small ones.
/// Of narrow elements not where there is about a block a multiprocessor: clusters, each on its own
/// part of the device, leave some of them free and have two blocks on others.
constexpr bool are_clusters_faster(const round_plan& plan, std::int64_t num_rows,
                                   std::int64_t num_bytes, int element_bytes, int sm_count) {
  const bool wide = plan.tiles_per_row > most_cluster_blocks;
  if (plan.tiles_per_row == 1 || plan.tiles_per_row > most_wide_cluster_blocks) return false;
  if (num_bytes >= (wide ? most_clustered_bytes / 3 : most_clustered_bytes)) return false;
  const std::int64_t num_blocks = num_rows * plan.tiles_per_row;
  return element_bytes >= 4 || 4 * num_blocks <= 3 * sm_count || num_blocks > 2 * sm_count;
}

/// Whether rows that may have any order are faster by rounds than by who holds them as the wave
/// would: in calls of up to 24 MiB where these are `several` tiles a row; in larger ones where
/// results lie otherwise than items, which are not `alike` then, or in rows of some vectors, if
/// they are `whole` granules of not too many, with which lanes are filled. (H200, and of few bytes
/// H100, 2026-11-26; of 12 to 24 MiB H200, 2026-11-29.)
constexpr bool is_round_faster(std::int64_t num_rows, std::int64_t length, int element_bytes,
                               bool whole, bool alike, bool several) {
  const std::int64_t vectors = vectors_of(length, element_bytes);
  const std::int64_t room = tiles_of(vectors, 160) * 160;
  const std::int64_t num_bytes = num_rows * length * element_bytes;
  if (num_bytes < 12 << 20 || (several && num_bytes < most_clustered_bytes)) return several;
  return vectors > (alike ? 96 : 32) && (!whole || (vectors <= 1536 && 20 * vectors >= 17 * room));
}

/// Whether rows of several tiles are faster by the ring than by a block a tile: many bytes, in rows
/// of `whole` granules, or, since what is left of a row costs it more where they are not, of many
/// tiles. (H200, 2026-11-26.)
constexpr bool is_ring_faster_for_long(const round_plan& plan, std::int64_t num_bytes,
                                       int element_bytes, bool whole) {
  const int least_tiles = whole ? 2 : element_bytes < 4 ? 14 : element_bytes == 4 ? 6 : 3;
  const int mebibytes = element_bytes > (whole ? 2 : 4) ? 12 : 24;
  return plan.tiles_per_row >= least_tiles && num_bytes >= std::int64_t{mebibytes} << 20;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
