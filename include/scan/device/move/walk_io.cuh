// Walk i/o: moves a chunk, a warp's 32 vectors of a sequence that lies anywhere, between global
// memory and registers: there by way of shared memory, some steps before it is wanted.
//
// Vectors are as in stripe_io.cuh, of which a chunk is one stripe.
#ifndef SCAN_DEVICE_MOVE_WALK_IO_CUH
#define SCAN_DEVICE_MOVE_WALK_IO_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/stripe_io.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// One array of a walk, from which is read: a warp's chunks of it in shared memory, as far off
/// granules as they are in global memory, from where they come by asynchronous copies of granules.
template <class T, int vector_items, bool reversed>
struct chunk_stage {
  using byte = unsigned char;
  using elements = vector_elements<T, vector_items, reversed>;
  using vector = typename elements::packed;
  static constexpr int vector_bytes = static_cast<int>(sizeof(T)) * vector_items;
  static constexpr int chunk_bytes = warp_size * vector_bytes;
  /// What may be read.
  struct range {
    const T *begin, *end;
  };

  static constexpr std::size_t alignment = alignof(T) > granule ? alignof(T) : granule;

  alignas(alignment) byte bytes[chunk_bytes + granule];
  int offset;  // how far the chunk is off

  /// The element of the chunk whose address is the lowest, if the chunk is whole; `index`: which of
  /// the `length` elements at `first` it begins with.
  __device__ static const T* lowest(const T* first, std::int64_t length, std::int64_t index) {
    constexpr int items = warp_size * vector_items;
    return reversed ? first + length - items - index : first + index;
  }
  /// Starts copying the chunk's first `count` items, for one __pipeline_commit. All lanes, which
  /// are through with what was here.
  __device__ void load(const T* lowest, int count, const range& readable) {
    constexpr int size = sizeof(T), items = warp_size * vector_items;
    const int off = static_cast<int>(reinterpret_cast<std::uintptr_t>(lowest) % granule);
    const int begin = off + (reversed ? (items - count) * size : 0);
    const int end = off + (reversed ? items : count) * size;
    const byte* const from = reinterpret_cast<const byte*>(lowest) - off;
    const bool is_inside = from + begin / granule * granule >= bytes_at(readable.begin) &&
                           from + (end + granule - 1) / granule * granule <= bytes_at(readable.end);
    if (lane_index() == 0) offset = off;
    constexpr int rounds = (chunk_bytes + granule) / granule / warp_size + 1;
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
      const int at = (round * warp_size + lane_index()) * granule;
      if (at >= end || at + granule <= begin) continue;
      if (is_inside) {
        __pipeline_memcpy_async(bytes + at, from + at, granule);
      } else {
        load_part(at, from, begin, end, readable);
      }
    }
  }

  /// The lane's vector of a chunk that has come.
  __device__ vector read() const {
    const int at = offset + (reversed ? warp_size - 1 - lane_index() : lane_index()) * vector_bytes;
    if constexpr (vector_bytes == 4 || vector_bytes == 8 || vector_bytes == 16) {
      const int shift = offset % vector_bytes;
      const vector* const low = reinterpret_cast<const vector*>(bytes + at - shift);
      if (shift == 0) return low[0];
      return shifted<(alignof(T) < 4)>(low[0], low[1], shift);
    } else {
      return elements::read(reinterpret_cast<const T*>(bytes + at));
    }
  }
  /// Item `index` of the chunk.
  __device__ const T& item(int index) const {
    constexpr int last = warp_size * vector_items - 1;
    return reinterpret_cast<const T*>(bytes + offset)[reversed ? last - index : index];
  }

 private:
  __device__ static const byte* bytes_at(const T* data) {
    return reinterpret_cast<const byte*>(data);
  }
  /// Of a granule what is wanted and may be read. (Cold: where an array begins or ends. With
  /// bounds, as copy_parts of row_stretch.cuh has them, gradients take four registers more and up
  /// to 5 % longer.)
  __device__ void load_part(int at, const byte* from, int begin, int end, const range& readable) {
    constexpr int size = alignof(T) < granule ? static_cast<int>(alignof(T)) : granule;
    struct alignas(size) part {
      byte bytes[size];
    };
#pragma unroll 1
    for (int i = max(at, begin); i < min(at + granule, end); i += size) {
      const byte* const one = from + i;
      if (one < bytes_at(readable.begin) || one >= bytes_at(readable.end)) continue;
      *reinterpret_cast<part*>(bytes + i) = *reinterpret_cast<const part*>(one);
    }
  }
};

/// Misaligned elements of as many bytes or more are moved one by one by who has one chunk: that
/// needs no neighbour's, and is soonest through.
inline constexpr int lone_chunk_bytes = 4;

/// The same of who has one chunk: it goes to registers at once. `guarded`: elements at its ends
/// may not be there.
template <class T, int vector_items, bool reversed, bool guarded>
class chunk_load {
  using stripe = stripe_io<T, vector_items, reversed, 1, lone_chunk_bytes>;
  using byte = unsigned char;

 public:
  using vector = typename stripe::vector;
  using range = typename chunk_stage<T, vector_items, reversed>::range;

  chunk_load() = default;
  /// Asks for the `count` vectors from `lowest` on, the chunk's if it is whole: see chunk_stage.
  __device__ chunk_load(const T* lowest, int count, const range& readable) {
    const T* const mine =
        lowest + (reversed ? warp_size - 1 - lane_index() : lane_index()) * vector_items;
    offset_ = stripe::offset_of(mine);
    if constexpr (stripe::in_granules) {
      const byte* const from = reinterpret_cast<const byte*>(mine) - offset_;
      if (lane_index() < count) asked_[0] = granule_at(from, readable);
      if (lane_index() == last_in_memory(count) && offset_ != 0) {
        asked_[1] = granule_at(from + sizeof(vector), readable);
      }
    } else if (lane_index() < count) {
      const bool is_inside =
          !guarded || (mine >= readable.begin && mine + vector_items <= readable.end);
      if (is_inside && vector_aligned(mine, vector_items)) {
        asked_[0] = *reinterpret_cast<const vector*>(mine);
      } else {
        vector_elements<T, vector_items, false> elements;
#pragma unroll
        for (int i = 0; i < vector_items; ++i) {
          if (is_inside || (mine + i >= readable.begin && mine + i < readable.end)) {
            elements[i] = mine[i];
          }
        }
        asked_[0] = elements.pack();
      }
      asked_[0].keep_packed();
    }
  }

  /// The lane's vector of `count`. All lanes.
  __device__ vector arrived(int count) const {
    if constexpr (stripe::in_granules) {
      const int next = lane_index() + (reversed ? warp_size - 1 : 1);
      const vector beside = shuffle(asked_[0], next % warp_size);
      const vector high = stripe::chosen(lane_index() == last_in_memory(count), asked_[1], beside);
      return shifted<stripe::within_words>(asked_[0], high, offset_);
    } else {
      return asked_[0];
    }
  }

 private:
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

  // The lane's vector, or the granule that it begins in and, of the lane whose vector is the last
  // in memory, the next one.
  vector asked_[stripe::in_granules ? 2 : 1];
  int offset_ = 0;
};

/// The array to which is written, likewise. Misaligned elements of `lone_bytes` bytes or more are
/// stored one by one.
template <class T, int vector_items, bool reversed, int lone_bytes>
class walk_output {
  using stripe = stripe_io<T, vector_items, reversed, 1, lone_bytes>;
  static constexpr bool in_granules = stripe::in_granules;

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
      if (in_granules || vector_aligned(mine_, vector_items)) {
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
