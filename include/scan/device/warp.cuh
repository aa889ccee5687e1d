// Warp primitives: shuffles and scans of any trivially copyable type. Every function is called by
// all 32 lanes.
#ifndef SCAN_DEVICE_WARP_CUH
#define SCAN_DEVICE_WARP_CUH

#include "scan/segment_fold.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane_index() { return static_cast<int>(threadIdx.x) % warp_size; }
__device__ inline int warp_index() { return static_cast<int>(threadIdx.x) / warp_size; }

/// Runs `shuffle` on the 32-bit words of `value`.
template <class T, class Shuffle>
__device__ T shuffle_words(const T& value, Shuffle shuffle) {
  constexpr int num_words = (sizeof(T) + 3) / 4;
  unsigned words[num_words] = {};
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < num_words; ++i) words[i] = shuffle(words[i]);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

/// The value of lane `lane_index() - delta`; lanes below `delta` keep their own.
template <class T>
__device__ T shuffle_up(const T& value, int delta) {
  return shuffle_words(value,
                       [=](unsigned word) { return __shfl_up_sync(all_lanes, word, delta); });
}

/// The value of lane `source`.
template <class T>
__device__ T shuffle(const T& value, int source) {
  return shuffle_words(value, [=](unsigned word) { return __shfl_sync(all_lanes, word, source); });
}

/// The scan below of segment folds: operation by operation that of their operator, with a ballot in
/// place of the shuffles of has_head.
template <class V, class Op>
__device__ segment_fold<V> warp_segment_scan(segment_fold<V> value, int num_valid, Op op) {
  const unsigned up_to_mine = all_lanes >> (warp_size - 1 - lane_index());
  const unsigned heads = __ballot_sync(all_lanes, value.has_head != 0) & up_to_mine;
  const int first = heads == 0 ? 0 : warp_size - 1 - __clz(static_cast<int>(heads));
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const V earlier = shuffle_up(value.value, delta);
    if (lane_index() - delta >= first && lane_index() < num_valid) {
      value.value = op(earlier, value.value);
    }
  }
  value.has_head = heads != 0 ? 1 : 0;
  return value;
}

/// Lane i gets value(0) op ... op value(i), for i < num_valid; other lanes' results mean nothing
/// and their values never reach the operator (the partner of a valid lane is a lower, so valid
/// one).
template <class T, class Op>
__device__ T warp_inclusive_scan(T value, int num_valid, Op op) {
  if constexpr (has_absorbing<Op>) {
    return warp_segment_scan(value, num_valid, op.op);
  } else {
#pragma unroll
    for (int delta = 1; delta < warp_size; delta *= 2) {
      const T earlier = shuffle_up(value, delta);
      if (lane_index() >= delta && lane_index() < num_valid) value = op(earlier, value);
    }
    return value;
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
