// The scan of a warp's 32 values across lanes that hold several of them each.
#ifndef SCAN_DEVICE_VALUE_SCAN_CUH
#define SCAN_DEVICE_VALUE_SCAN_CUH

#include "scan/device/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// As warp_inclusive_scan, operation by operation, of sequences of 32 values that 32 / held lanes
/// hold: value i is value i % held of the sequence's lane i / held. So a warp scans `held`
/// sequences at once, with fewer shuffles for each. `num_valid`: of the lane's values; those beyond
/// never reach the operator.
template <int held, class T, class Op>
__device__ void scan_values(T (&values)[held], int num_valid, Op op) {
  const int lane = lane_index() % (warp_size / held);
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const int lanes = delta < held ? 1 : delta / held;
    // What comes from another lane, before any of it changes.
    T earlier[held];
#pragma unroll
    for (int i = 0; i < held; ++i) {
      if (i < delta) earlier[i] = shuffle_up(values[(i + held * lanes - delta) % held], lanes);
    }
    const bool has_earlier = lane >= lanes;
#pragma unroll
    for (int i = held - 1; i >= 0; --i) {
      if (i >= num_valid) continue;
      if (i >= delta) {
        values[i] = op(values[i - delta], values[i]);
      } else if (has_earlier) {
        values[i] = op(earlier[i], values[i]);
      }
    }
  }
}

/// values[i] becomes values[(i + by) % count]; count is a power of two.
template <int count, class T>
__device__ void rotate(T (&values)[count], int by) {
  constexpr int num_words = (sizeof(T) + 3) / 4;
#pragma unroll
  for (int step = 1; step < count; step *= 2) {
    unsigned words[count][num_words] = {};
#pragma unroll
    for (int i = 0; i < count; ++i) memcpy(words[i], &values[i], sizeof(T));
#pragma unroll
    for (int i = 0; i < count; ++i) {
      unsigned chosen[num_words];
#pragma unroll
      for (int k = 0; k < num_words; ++k) {
        chosen[k] = (by & step) != 0 ? words[(i + step) % count][k] : words[i][k];
      }
      memcpy(&values[i], chosen, sizeof(T));
    }
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
