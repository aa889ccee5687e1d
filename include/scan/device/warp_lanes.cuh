// A warp as the lanes of a look-back.
#ifndef SCAN_DEVICE_WARP_LANES_CUH
#define SCAN_DEVICE_WARP_LANES_CUH

#include "scan/device/warp.cuh"

namespace scan::device {

/// A batch is one tile a lane.
template <class T>
struct warp_lanes {
  static constexpr int count = warp_size;
  static constexpr int batches_at_once = 6;  // more tiles than blocks: one look takes nearly all

  __device__ int index() const { return lane_index(); }
  __device__ bool looks(int) const { return true; }
  template <class Op>
  __device__ T fold(const T& value, int num_valid, Op op) const {
    return shuffle(warp_inclusive_scan(value, num_valid, op), num_valid - 1);
  }
  /// The warp stays together while it waits.
  __device__ bool all(bool ready) const { return __all_sync(all_lanes, ready); }
  /// The last lane that says so, or -1.
  __device__ int last(bool says) const {
    return warp_size - 1 - __clz(static_cast<int>(__ballot_sync(all_lanes, says)));
  }
  /// Leaves the memory system to those we wait for.
  __device__ void back_off(int attempt) const {
    if (attempt > 0) __nanosleep(attempt < 4 ? 20u << attempt : 200u);
  }
};

}  // namespace scan::device

#endif
