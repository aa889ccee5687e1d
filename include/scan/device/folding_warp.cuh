// A warp that looks through what the ranks of a scan across GPUs have told.
#ifndef SCAN_DEVICE_FOLDING_WARP_CUH
#define SCAN_DEVICE_FOLDING_WARP_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/warp.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

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
