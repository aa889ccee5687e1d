// The kernel of segments that lie anywhere: a block has some that follow each other in the caller's
// numbers. Its warps scan the short ones, each its own, then all of them together each long one.
#ifndef SCAN_DEVICE_WALK_RANGE_KERNEL_CUH
#define SCAN_DEVICE_WALK_RANGE_KERNEL_CUH

#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/walk/range_pack.cuh"
#include "scan/device/walk/range_walk.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Cut` is a range_cut.
template <class Cut>
__global__ void __launch_bounds__(range_threads, Cut::blocks_per_sm)
    range_kernel(const __grid_constant__ Cut scan) {
  __shared__ segment_place places[tile_chunks][warp_size];
  __shared__ unsigned long_ones[tile_chunks];
  __shared__ range_walk_shared<typename Cut::T> of_walk;
  admit_later_kernels();
  await_earlier_kernels();
  // ---- where they are, a lane each ----
  const int warp = warp_index(), lane = lane_index();
  const int each = (scan.block_segments + tile_chunks - 1) / tile_chunks;
  const std::int64_t block_first = std::int64_t{blockIdx.x} * scan.block_segments;
  const std::int64_t segment = block_first + warp * each + lane;
  const bool is_mine =
      lane < each && warp * each + lane < scan.block_segments && segment < scan.where.num_segments;
  segment_place place;
  if (is_mine) {
    find_segment(scan.where, segment, place);
    if (place.length == 0) scan.write_total(segment, scan.start_of(segment));
  }
  places[warp][lane] = place;
  const bool is_long = Cut::num_vectors(place.length) > range_threads;
  long_ones[warp] = __ballot_sync(all_lanes, is_long);
  const bool any = __syncthreads_or(is_long);
  // ---- the short ones ----
  range_pack<Cut>(scan, places[warp], segment - lane,
                  is_long ? 0 : static_cast<int>(Cut::num_vectors(place.length)))
      .run();
  if (!any) return;
    // ---- the long ones ----
#pragma unroll 1
  for (int i = 0; i < tile_chunks; ++i) {
#pragma unroll 1
    for (unsigned rest = long_ones[i]; rest != 0; rest &= rest - 1) {
      const int which = __ffs(static_cast<int>(rest)) - 1;
      walk_segment(scan, of_walk, places[i][which], block_first + i * each + which);
    }
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
