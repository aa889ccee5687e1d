// Walk i/o: moves a chunk, a warp's 32 vectors of a sequence that lies anywhere, between global
// memory and registers, where it is asked for one step before it is wanted.
//
// Vectors are as in stripe_io.cuh, of which a chunk is one stripe.
#ifndef SCAN_DEVICE_MOVE_WALK_IO_CUH
#define SCAN_DEVICE_MOVE_WALK_IO_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/prefetch.cuh"
#include "scan/device/move/stripe_io.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Misaligned elements of as many bytes or more are moved one by one: their loads need no
/// neighbour's, so they are under way as early as whole vectors are.
inline constexpr int walk_lone_bytes = 4;

/// One array of a walk, from which is read, as a lane goes along it. `aligned`: vectors lie at
/// multiples of their size.
template <class T, int vector_items, bool reversed, bool aligned>
class walk_input {
  using stripe = stripe_io<T, vector_items, reversed, 1, walk_lone_bytes>;
  static constexpr bool in_granules = !aligned && stripe::in_granules;
  using byte = unsigned char;

 public:
  using vector = typename stripe::vector;
  /// What a lane has asked for: its vector, or the granule that it begins in and, of the lane whose
  /// vector is the last in memory, the next one.
  struct fetched {
    vector of[in_granules ? 2 : 1];
  };
  /// What may be read.
  struct range {
    const T *begin, *end;
  };

  walk_input() = default;
  /// Of the `length` elements at `first`; `index`: of the lane's first vector.
  __device__ walk_input(const T* first, std::int64_t length, std::int64_t index)
      : mine_(stripe::at(reversed ? first + length : first, index)) {}

  /// Asks the L2 for the lines of the warp's vectors `distance` vectors on, of those that there are
  /// of `left`.
  __device__ void prefetch(int left, int distance) const {
    constexpr int line = 128, line_vectors = line / static_cast<int>(sizeof(vector));
    const int mine = lane_index() * line_vectors;
    if (mine >= warp_size || distance + mine >= left) return;
    // (The lane's own vector is lane_index() vectors on already.)
    prefetch_line(
        stripe::at(reversed ? mine_ + vector_items : mine_, distance + mine - lane_index()));
  }
  /// Asks for the warp's first `count` vectors, and goes `step` vectors on. All lanes.
  __device__ fetched fetch(int count, int step, const range& readable) {
    fetched result;
    if constexpr (in_granules) {
      const byte* const mine = reinterpret_cast<const byte*>(mine_) - offset();
      if (lane_index() < count) result.of[0] = granule_at(mine, readable);
      if (lane_index() == last_in_memory(count) && offset() != 0) {
        result.of[1] = granule_at(mine + sizeof(vector), readable);
      }
    } else if (lane_index() < count) {
      if constexpr (aligned) {
        result.of[0] = *reinterpret_cast<const vector*>(mine_);
        result.of[0].keep_packed();
      } else {
        vector_elements<T, vector_items, false> elements;
#pragma unroll
        for (int i = 0; i < vector_items; ++i) elements[i] = mine_[i];
        result.of[0] = elements.pack();
        result.of[0].keep_packed();
      }
    }
    mine_ = stripe::at(reversed ? mine_ + vector_items : mine_, step);
    return result;
  }

  /// The element before the lane's vector, of which it asks next, or behind it.
  __device__ const T* beside(int by) const {
    return (by < 0) == reversed ? mine_ + vector_items : mine_ - 1;
  }

  /// The lane's vector of what has been asked for, `count` vectors. All lanes.
  __device__ vector arrived(const fetched& from, int count) const {
    if constexpr (in_granules) {
      const int next = lane_index() + (reversed ? warp_size - 1 : 1);
      const vector beside = shuffle(from.of[0], next % warp_size);
      const vector high = stripe::chosen(lane_index() == last_in_memory(count), from.of[1], beside);
      return shifted<stripe::within_words>(from.of[0], high, offset());
    } else {
      return from.of[0];
    }
  }

 private:
  /// (The same for all of a sequence's vectors.)
  __device__ int offset() const { return stripe::offset_of(mine_); }
  __device__ static int last_in_memory(int count) { return reversed ? 0 : count - 1; }
  /// Of what may not be read there is nothing in it, and nobody wants it.
  __device__ static vector granule_at(const byte* from, const range& readable) {
    const byte* const begin = reinterpret_cast<const byte*>(readable.begin);
    const byte* const end = reinterpret_cast<const byte*>(readable.end);
    if (from >= begin && from + sizeof(vector) <= end) {
      return *reinterpret_cast<const vector*>(from);
    }
    constexpr int num_words = sizeof(vector) / 4;
    unsigned words[num_words] = {};
#pragma unroll 1
    for (int i = static_cast<int>(sizeof(vector)) - 1; i >= 0; --i) {  // (cold: no room for it)
#pragma unroll
      for (int k = num_words - 1; k > 0; --k) {
        words[k] = __funnelshift_l(words[k - 1], words[k], 8);
      }
      words[0] = words[0] << 8 | (from + i >= begin && from + i < end ? from[i] : 0u);
    }
    vector result;
    memcpy(&result, words, sizeof(result));
    return result;
  }

  const T* mine_;
};

/// The array to which is written, likewise.
template <class T, int vector_items, bool reversed, bool aligned>
class walk_output {
  using stripe = stripe_io<T, vector_items, reversed, 1, walk_lone_bytes>;
  static constexpr bool in_granules = !aligned && stripe::in_granules;

 public:
  using vector = typename stripe::vector;

  walk_output() = default;
  __device__ walk_output(T* first, std::int64_t length, std::int64_t index)
      : mine_(stripe::at(reversed ? first + length : first, index)) {}

  /// Stores the warp's first `count` vectors, and goes `step` vectors on. All lanes; `ends`: the
  /// warp's own.
  __device__ void store(const vector& from, int count, int step, granule_ends& ends) {
    if (in_granules && stripe::offset_of(mine_) != 0) {
      store_granules(from, count, ends);
    } else if (lane_index() < count) {
      if constexpr (aligned || in_granules) {
        *reinterpret_cast<vector*>(mine_) = from;
      } else {
        const auto elements = vector_elements<T, vector_items, false>::unpack(from);
#pragma unroll
        for (int i = 0; i < vector_items; ++i) mine_[i] = elements[i];
      }
    }
    mine_ = stripe::at(reversed ? mine_ + vector_items : mine_, step);
  }

 private:
  /// Vectors that do not lie at multiples of their size.
  __device__ void store_granules([[maybe_unused]] const vector& from, [[maybe_unused]] int count,
                                 [[maybe_unused]] granule_ends& ends) const {
    if constexpr (in_granules) {
      __syncwarp();  // the ends of the last chunk have been stored
      T* const boundary = reversed ? mine_ + (lane_index() + 1) * vector_items
                                   : mine_ - lane_index() * vector_items;
      typename stripe::granule_store granules{boundary, 0, count, ends, {}};
      granules.store(0, from);
      granules.store_ends();
    }
  }

  T* mine_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
