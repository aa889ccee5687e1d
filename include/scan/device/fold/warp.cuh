// What a warp does together: shuffles and scans of any trivially copyable type, looks at earlier
// tiles, folds of what ranks have told. Every function is called by all 32 lanes.
#ifndef SCAN_DEVICE_FOLD_WARP_CUH
#define SCAN_DEVICE_FOLD_WARP_CUH

#include <algorithm>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/call/compaction_fold.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/device/fold/named_barrier.cuh"
#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane_index() { return static_cast<int>(threadIdx.x) % warp_size; }
__device__ inline int warp_index() { return static_cast<int>(threadIdx.x) / warp_size; }
__device__ inline unsigned lanes_below() { return (1u << lane_index()) - 1; }

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

/// What is one number, or one answer, in all lanes, so that compilers know it is, too: else each
/// shuffle and vote behind a branch on it is there twice, once for a warp that has parted, with a
/// test of whether it has: a quarter of the code of a ring with segments.
template <class T>
__device__ T uniform(const T& value) {
  return shuffle(value, 0);
}
__device__ inline bool uniform(bool value) { return __any_sync(all_lanes, value) != 0; }
__device__ inline int uniform_warp_index() { return uniform(warp_index()); }

/// The sum, and the greatest, of the lanes' numbers. (GPUs before 8.0 have no instruction for it.)
__device__ inline int warp_sum(int of_lane) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, of_lane);
#else
  for (int d = 16; d > 0; d /= 2) of_lane += __shfl_xor_sync(all_lanes, of_lane, d);
  return of_lane;
#endif
}
__device__ inline int warp_max(int of_lane) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all_lanes, of_lane);
#else
  for (int d = 16; d > 0; d /= 2) of_lane = max(of_lane, __shfl_xor_sync(all_lanes, of_lane, d));
  return of_lane;
#endif
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

/// The same of the folds of compactions: counts by themselves, and values from the last run's
/// beginning on. Lanes behind the last one that has any elements have what that one has.
template <class Int, class V, class Op>
__device__ kept_fold<Int, V> warp_kept_scan(const kept_fold<Int, V>& value, int num_valid, Op op) {
  const bool has_any = lane_index() < num_valid && value.has_any();
  const int num_any = __popc(__ballot_sync(all_lanes, has_any));
  if (num_any == 0) return kept_fold<Int, V>::none();
  const V open =
      warp_segment_scan(segment_fold<V>{value.open, value.count > 0 ? 1u : 0u}, num_any, op).value;
  Int count = has_any ? value.count : 0;
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const Int earlier = shuffle_up(count, delta);
    if (lane_index() >= delta) count += earlier;
  }
  const V last = shuffle(open, num_any - 1);
  return {count, has_any ? open : last};
}

/// Lane i gets value(0) op ... op value(i), for i < num_valid; other lanes' results mean nothing
/// and their values never reach the operator (the partner of a valid lane is a lower, so valid
/// one).
template <class T, class Op>
__device__ T warp_inclusive_scan(T value, int num_valid, Op op) {
  if constexpr (has_absorbing<Op>) {
    return warp_segment_scan(value, num_valid, op.op);
  } else if constexpr (joins_folds<Op>) {
    return warp_kept_scan(value, num_valid, op.op);
  } else {
#pragma unroll
    for (int delta = 1; delta < warp_size; delta *= 2) {
      const T earlier = shuffle_up(value, delta);
      if (lane_index() >= delta && lane_index() < num_valid) value = op(earlier, value);
    }
    return value;
  }
}

/// The same of few values, in no more steps than these take; `num_valid` is one number in all
/// lanes.
template <class T, class Op>
__device__ T warp_scan_of_few(T value, int num_valid, Op op) {
#pragma unroll 1
  for (int delta = 1; delta < num_valid; delta *= 2) {
    const T earlier = shuffle_up(value, delta);
    const bool has_earlier = lane_index() >= delta && lane_index() < num_valid;
    if (has_earlier) value = static_cast<T>(op(earlier, value));
  }
  return value;
}

// ---- A warp that looks back.

/// A batch is one tile a lane. `batches`: how many a look takes.
template <class T, int batches = most_warp_batches>
struct warp_lookers {
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
    if (attempt > 0) __nanosleep(warp_look_pause_ns(attempt));
  }
};

// ---- A warp that looks through what the ranks of a scan across GPUs have told.

/// Values that a folding warp has at hand, in shared memory: some rounds of one a lane, as many as
/// are folded while the next come from memory.
template <class T>
inline constexpr int folding_rounds = std::clamp(2048 / (warp_size * static_cast<int>(sizeof(T))),
                                                 1, 4);
template <class T>
struct folding_room {
  alignas(T) unsigned char bytes[std::size_t{warp_size} * folding_rounds<T> * sizeof(T)];
};

/// A warp with a room of its own; find_refusal asks for none.
struct folding_warp {
  static constexpr int count = warp_size;
  unsigned char* room;

  __device__ int index() const { return lane_index(); }
  __device__ int least(int value) const {
    for (int distance = 16; distance > 0; distance /= 2) {
      value = min(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    return value;
  }

  /// L(running, values[0], ..., values[count - 1]), which all lanes fold; `stride`: from value to
  /// value. One after another they take the time of the operator alone: a trip to memory is under
  /// way while what the last one brought is folded.
  template <class T, class Op>
  __device__ prefix<T> fold(prefix<T> running, const T* values, std::int64_t num_values, Op op,
                            std::int64_t stride = 1) const {
    constexpr int rounds = folding_rounds<T>, step = rounds * warp_size;
    T* const at_hand = reinterpret_cast<T*>(room);
    T next[std::size_t{rounds}];
    const auto load = [&](std::int64_t begin) {
#pragma unroll
      for (int k = 0; k < rounds; ++k) {
        const std::int64_t at = begin + k * warp_size + lane_index();
        if (at < num_values) next[k] = values[at * stride];
      }
    };
    load(0);
    for (std::int64_t begin = 0; begin < num_values; begin += step) {
      __syncwarp();  // all are through with what was there
#pragma unroll
      for (int k = 0; k < rounds; ++k) at_hand[k * warp_size + lane_index()] = next[k];
      __syncwarp();
      load(begin + step);
      int i = 0, end = static_cast<int>(min(num_values - begin, std::int64_t{step}));
      if (!running.exists) running = {at_hand[i++], true};
      // (Unrolled, so that values are read while others are folded.)
      for (; i + warp_size <= end; i += warp_size) {
#pragma unroll
        for (int k = 0; k < warp_size; ++k) {
          running.value = static_cast<T>(op(running.value, at_hand[i + k]));
        }
      }
#pragma unroll 4
      for (; i < end; ++i) running.value = static_cast<T>(op(running.value, at_hand[i]));
    }
    return running;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
