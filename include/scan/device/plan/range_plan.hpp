// How segments that lie anywhere are dealt out to blocks and warps.
#ifndef SCAN_DEVICE_PLAN_RANGE_PLAN_HPP
#define SCAN_DEVICE_PLAN_RANGE_PLAN_HPP

#include <algorithm>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/device/plan/walk_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block has the warps of a tile. A segment of up to a tile is a warp's, any other the block's:
/// the length alone decides, and both fold in one order.
inline constexpr int range_threads = tile_chunks * chunk_vectors;
/// Blocks of a multiprocessor that registers have to suffice for.
constexpr int range_blocks_per_sm(int value_bytes) {
  return value_bytes <= 8 ? 4 : value_bytes <= 16 ? 3 : 1;
}

/// Segments of a block: consecutive ones, a lane each at most. Of long ones a block has one, of
/// short ones as many as are worth a block's start (64 KiB), while there are blocks for all
/// multiprocessors; and so many of any that the start of blocks is not all that is done. Nobody
/// knows the lengths, but that they are `num_items` in all where nothing overlaps. The result does
/// not depend on it.
constexpr int range_block_segments(std::int64_t num_segments, std::int64_t num_items,
                                   int vector_items, int sm_count) {
  constexpr std::int64_t most = tile_chunks * 32, worth_vectors = 4096;
  const std::int64_t vectors = num_items / num_segments / vector_items + 1;
  const std::int64_t for_all = std::int64_t{sm_count} * 8, too_many = for_all * 32;
  const std::int64_t by_length = std::min(worth_vectors / vectors, num_segments / for_all);
  return static_cast<int>(
      std::clamp(std::max(by_length, num_segments / too_many), std::int64_t{1}, most));
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
