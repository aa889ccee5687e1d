// A warp as the lanes of a look-back.
#ifndef SCAN_DEVICE_WARP_LANES_CUH
#define SCAN_DEVICE_WARP_LANES_CUH

#include "scan/device/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A batch is one tile a lane. `batches`: how many a look takes; of 6 nearly all that blocks have
/// under way, fewer take fewer registers.
template <class T, int batches = 6>
struct warp_lanes {
  static constexpr int count = warp_size;
  static constexpr int batches_at_once = batches;

  __device__ int index() const { return lane_index(); }
  __device__ bool looks(int) const { return true; }
  /// Of aggregates, or of what they are made of.
  template <class U, class Op>
  __device__ U fold(const U& value, int num_valid, Op op) const {
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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
