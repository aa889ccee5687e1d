// Reads the marks of a thread's own vectors: by keys and flags, where segments begin in them.
#ifndef SCAN_DEVICE_ROUND_MARKS_CUH
#define SCAN_DEVICE_ROUND_MARKS_CUH

#include "scan/device/head_sources.cuh"
#include "scan/device/row_io.cuh"
#include "scan/device/tile_io.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Heads of a vector: a bit an item.
struct own_heads {
  unsigned bits;
  __device__ bool operator[](int i) const { return (bits >> i & 1) != 0; }
  __device__ bool any() const { return bits != 0; }
};

/// Which vector of its tile a thread holds in row `row`: see wave_tile.
template <int rows>
__device__ int own_vector(int row) {
  return (warp_index() * rows + row) * warp_size + lane_index();
}

/// Of the tile of `num_valid` items from item `first` on, of `num_items`; `first` is a multiple of
/// `vector_items`.
template <class Marks, int rows, int vector_items, bool reversed>
struct round_marks {
  Marks marks;
  int num_items;
  int first;
  int num_valid;

  /// A bit an item: of the thread's vectors that are whole, and of the tile's items after these,
  /// where the warp holds them.
  __device__ void bits(unsigned (&of_row)[rows], unsigned& of_rest) const {
    of_rest = rest_bits();
    if constexpr (is_word<mark>) {
      const mark* const boundary = marks.array + (reversed ? num_items : 0);
      if ((Marks::of_two || !reversed) && vector_aligned(boundary, vector_items)) {
        vector_bits(boundary, of_row);
        return;
      }
    }
    if constexpr (std::is_same_v<Marks, bit_marks>) {
      word_bits(of_row);
    } else {
      lone_bits(of_row);
    }
  }

 private:
  using mark = typename Marks::mark;
  template <class U>
  static constexpr bool is_word =
      !std::is_same_v<Marks, bit_marks> && (sizeof(U) & (sizeof(U) - 1)) == 0 &&
      sizeof(U) * vector_items <= 16;

  __device__ bool is_whole(int row) const {
    return own_vector<rows>(row) < num_valid / vector_items;
  }
  __device__ int item_of(int row) const { return first + own_vector<rows>(row) * vector_items; }
  /// (Item 0 has no mark of one: where the scan is reversed that would lie behind the array.)
  __device__ mark read(int item) const {
    return marks.read(reversed ? num_items - (Marks::of_two ? 1 : 0) - item : item);
  }
  __device__ bool is_head(int item) const {
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
    if (place / (rows * warp_size) != warp_index() || rest == 0) return 0;
    const bool head = lane_index() < rest && is_head(first + place * vector_items + lane_index());
    return __ballot_sync(all_lanes, head);
  }

  /// Vectors of marks; the mark before each is a neighbour's.
  __device__ void vector_bits(const mark* boundary, unsigned (&of_row)[rows]) const {
    using io = row_io<mark, vector_items, reversed, 1, 1>;
    typename io::vector own[rows];
    mark before[rows];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      if (!is_whole(row)) continue;
      const int item = item_of(row);
      own[row] =
          *reinterpret_cast<const typename io::vector*>(io::at(boundary, item / vector_items));
      if (Marks::of_two && lane_index() == 0 && item > 0) before[row] = read(item - 1);
    }
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const auto items = io::items::unpack(own[row]);
      mark previous = items[vector_items - 1];
      if constexpr (Marks::of_two) previous = shuffle_up(previous, 1);
      if (lane_index() == 0) previous = before[row];
      unsigned bits = 0;
      if (is_whole(row)) {
        const bool is_first = item_of(row) == 0;
#pragma unroll
        for (int i = 0; i < vector_items; ++i) {
          const bool head = (i == 0 && is_first) || marks.begins(previous, items[i]);
          bits |= head ? 1u << i : 0u;
          previous = items[i];
        }
      }
      of_row[row] = bits;
    }
  }

  /// A vector's bits lie in one word of them or two.
  __device__ void word_bits(unsigned (&of_row)[rows]) const {
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      of_row[row] = 0;
      if (!is_whole(row)) continue;
      const int item = item_of(row);
      // Reversed, the mark of an item is the one behind it.
      const int lowest = reversed ? num_items - item - (vector_items - 1) : item;
      const int highest = min(lowest + vector_items - 1, num_items - 1);
      const unsigned low = marks.array[lowest / 32];
      const unsigned high = reversed ? marks.array[highest / 32] : low;
      unsigned bits = reversed && lowest / 32 != highest / 32
                          ? __funnelshift_r(low, high, lowest % 32)
                          : low >> lowest % 32;
      if (reversed) bits = __brev(bits) >> (32 - vector_items);
      of_row[row] = (bits & ((1u << vector_items) - 1)) | (item == 0 ? 1 : 0);
    }
  }

  /// Marks anywhere, of any size.
  __device__ void lone_bits(unsigned (&of_row)[rows]) const {
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      of_row[row] = 0;
      if (!is_whole(row)) continue;
      const int item = item_of(row);
#pragma unroll 4
      for (int i = 0; i < vector_items; ++i) of_row[row] |= is_head(item + i) ? 1u << i : 0u;
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
