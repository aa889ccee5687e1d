// Folds of a row's tiles in shared memory that a block finds in tile states, where cluster_folds
// are what other blocks put there.
#ifndef SCAN_DEVICE_FOLD_LOOKED_FOLDS_CUH
#define SCAN_DEVICE_FOLD_LOOKED_FOLDS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/cluster_folds.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// One after another, all threads: the block puts its own, look(), a barrier, scan_parts(), a
/// barrier, fold().
template <class T, int most>
class looked_folds {
 public:
  ticket mine;  // the block's

  __device__ T& operator[](int place) { return folds_[place]; }

  /// The first `count`, which are other blocks': waits until these, who run already, have published
  /// them, from state `first` on.
  __device__ void look(const tile_states<T>& states, std::int64_t first, int count) {
    each_part(count, [&](int part, int in_part) {
      const int place = part + min(lane_index(), in_part - 1);
      observation<T> seen;
      bool ready = false;
#pragma unroll 1
      for (int attempt = 0; !ready; ++attempt) {
        if (attempt > 0) __nanosleep(warp_look_pause_ns(attempt));
        seen = states.observe(first + place);
        ready = __all_sync(all_lanes, seen.ready) != 0;
      }
      if (lane_index() < in_part) folds_[place] = seen.value;
    });
  }
  /// Scans each 32 of the first `count` in their places.
  template <class Op>
  __device__ void scan_parts(int count, Op op) {
    each_part(count, [&](int part, int in_part) {
      const int place = part + min(lane_index(), in_part - 1);
      const T scanned = warp_inclusive_scan(T(folds_[place]), warp_size, op);
      __syncwarp();
      if (lane_index() < in_part) folds_[place] = scanned;
    });
  }
  /// F of the first `count` > 0, of cluster_folds: what the parts come to is folded step by step as
  /// warp_inclusive_scan does.
  template <class Op>
  __device__ T fold(int, int count, Op op) {
    static_assert(most <= 5 * warp_size);
    const auto both = [&](const T& a, const T& b) { return static_cast<T>(op(a, b)); };
    const auto all = [&](int part) { return T(folds_[(part + 1) * warp_size - 1]); };
    const T last = folds_[count - 1];
    const int whole = (count - 1) / warp_size;
    if (whole == 0) return last;
    if (whole == 1) return both(all(0), last);
    if (whole == 2) return both(all(0), both(all(1), last));
    if (whole == 3) return both(both(all(0), all(1)), both(all(2), last));
    return both(all(0), both(both(all(1), all(2)), both(all(3), last)));
  }

 private:
  /// Calls do_part(first, how many) for each 32 of `count`, by a warp each.
  template <class DoPart>
  __device__ static void each_part(int count, DoPart do_part) {
    const int step = static_cast<int>(blockDim.x);
#pragma unroll 1
    for (int first = uniform_warp_index() * warp_size; first < count; first += step) {
      do_part(first, min(count - first, warp_size));
    }
  }

  shared_array<T, most> folds_;
};

/// Folds of a row's tiles, by those who look back or not.
template <class T, int most, bool looks_back>
using row_folds = std::conditional_t<looks_back, looked_folds<T, most>, cluster_folds<T, most>>;

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
