// Warp primitives: shuffles and scans of any trivially copyable type. Every function is called by
// all 32 lanes.
#ifndef SCAN_DEVICE_WARP_CUH
#define SCAN_DEVICE_WARP_CUH

namespace scan::device {

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

/// Lane i gets value(0) op ... op value(i), for i < num_valid; other lanes' results mean nothing
/// and their values never reach the operator (the partner of a valid lane is a lower, so valid
/// one).
template <class T, class Op>
__device__ T warp_inclusive_scan(T value, int num_valid, Op op) {
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const T earlier = shuffle_up(value, delta);
    if (lane_index() >= delta && lane_index() < num_valid) value = op(earlier, value);
  }
  return value;
}

}  // namespace scan::device

#endif
