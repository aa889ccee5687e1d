// Reads the marks of a thread's own vectors: by keys and flags, where segments begin in them.
#ifndef SCAN_DEVICE_SEGMENT_VECTOR_MARKS_CUH
#define SCAN_DEVICE_SEGMENT_VECTOR_MARKS_CUH

#include "scan/device/move/stripe_io.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/segment/head_sources.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Heads of a vector: a bit an item.
struct own_heads {
  unsigned bits;
  __device__ bool operator[](int i) const { return (bits >> i & 1) != 0; }
  __device__ bool any() const { return bits != 0; }
};

/// Which vector of its tile a thread holds in stripe `stripe`: see wave_tile.
template <int stripes>
__device__ int own_vector(int stripe) {
  return (warp_index() * stripes + stripe) * warp_size + lane_index();
}

/// Of the tile of `num_valid` items from item `first` on, of `num_items`; `first` is a multiple of
/// `vector_items`.
template <class Marks, int stripes, int vector_items, bool reversed, class Index>
struct vector_marks {
  Marks marks;
  Index num_items;
  Index first;
  int num_valid;

  /// A bit an item: of the thread's vectors that are whole, and of the tile's items after these,
  /// where the warp holds them.
  __device__ void bits(unsigned (&of_stripe)[stripes], unsigned& of_rest) const {
    of_rest = rest_bits();
    if constexpr (is_word<mark>) {
      const mark* const boundary = marks.array + (reversed ? num_items : 0);
      if ((Marks::of_two || !reversed) && vector_aligned(boundary, vector_items)) {
        vector_bits(boundary, of_stripe);
        return;
      }
    }
    if constexpr (std::is_same_v<Marks, bit_marks>) {
      word_bits(of_stripe);
    } else {
      lone_bits(of_stripe);
    }
  }

 private:
  using mark = typename Marks::mark;
  template <class U>
  static constexpr bool is_word =
      !std::is_same_v<Marks, bit_marks> && !are_through_cursor<Marks> &&
      (sizeof(U) & (sizeof(U) - 1)) == 0 && sizeof(U) * vector_items <= 16;

  __device__ bool is_whole(int stripe) const {
    return own_vector<stripes>(stripe) < num_valid / vector_items;
  }
  __device__ Index item_of(int stripe) const {
    return first + own_vector<stripes>(stripe) * vector_items;
  }
  /// (Item 0 has no mark of one: where the scan is reversed that would lie behind the array.)
  __device__ mark read(Index item) const {
    return marks.read(reversed ? num_items - (Marks::of_two ? 1 : 0) - item : item);
  }
  __device__ bool is_head(Index item) const {
    if (item == 0) return true;
    const mark own = read(item);
    if constexpr (Marks::of_two) {
      return marks.begins(read(item - 1), own);
    } else {
      return marks.begins(own, own);
    }
  }

  __device__ unsigned rest_bits() const {
    const int place = num_valid / vector_items, rest = num_valid % vector_items;
    if (uniform(place / (stripes * warp_size) != warp_index() || rest == 0)) return 0;
    const bool head = lane_index() < rest && is_head(first + place * vector_items + lane_index());
    return __ballot_sync(all_lanes, head);
  }

  /// Vectors of marks; the mark before each is a neighbour's.
  __device__ void vector_bits(const mark* boundary, unsigned (&of_stripe)[stripes]) const {
    using io = stripe_io<mark, vector_items, reversed, 1, 1>;
    typename io::vector own[stripes];
    mark before[stripes];
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      if (!is_whole(stripe)) continue;
      const Index item = item_of(stripe);
      own[stripe] =
          *reinterpret_cast<const typename io::vector*>(io::at(boundary, item / vector_items));
      if (Marks::of_two && lane_index() == 0 && item > 0) before[stripe] = read(item - 1);
    }
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      const auto items = io::items::unpack(own[stripe]);
      mark previous = items[vector_items - 1];
      if constexpr (Marks::of_two) previous = shuffle_up(previous, 1);
      if (lane_index() == 0) previous = before[stripe];
      unsigned bits = 0;
      if (is_whole(stripe)) {
        const bool is_first = item_of(stripe) == 0;
#pragma unroll
        for (int i = 0; i < vector_items; ++i) {
          const bool head = (i == 0 && is_first) || marks.begins(previous, items[i]);
          bits |= head ? 1u << i : 0u;
          previous = items[i];
        }
      }
      of_stripe[stripe] = bits;
    }
  }

  /// A vector's bits lie in one word of them or two.
  __device__ void word_bits(unsigned (&of_stripe)[stripes]) const {
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      of_stripe[stripe] = 0;
      if (!is_whole(stripe)) continue;
      const Index item = item_of(stripe);
      // Reversed, the mark of an item is the one behind it.
      const Index lowest = reversed ? num_items - item - (vector_items - 1) : item;
      const Index highest = min(lowest + vector_items - 1, num_items - 1);
      const unsigned low = marks.array[lowest / 32];
      const unsigned high = reversed ? marks.array[highest / 32] : low;
      unsigned bits = reversed && lowest / 32 != highest / 32
                          ? __funnelshift_r(low, high, static_cast<unsigned>(lowest % 32))
                          : low >> lowest % 32;
      if (reversed) bits = __brev(bits) >> (32 - vector_items);
      of_stripe[stripe] = (bits & ((1u << vector_items) - 1)) | (item == 0 ? 1 : 0);
    }
  }

  /// Marks anywhere, of any size.
  __device__ void lone_bits(unsigned (&of_stripe)[stripes]) const {
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      of_stripe[stripe] = 0;
      if (!is_whole(stripe)) continue;
      const Index item = item_of(stripe);
#pragma unroll 4
      for (int i = 0; i < vector_items; ++i) of_stripe[stripe] |= is_head(item + i) ? 1u << i : 0u;
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
