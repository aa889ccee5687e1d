// Makes words of head bits of marks, a warp by itself.
#ifndef SCAN_DEVICE_SEGMENT_HEAD_WORDS_CUH
#define SCAN_DEVICE_SEGMENT_HEAD_WORDS_CUH

#include <cstdint>

#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/head_sources.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The words of `count` items, of which the first one's mark is element `base` of `marks` and the
/// next one's, where the scan is reversed, the one before. `is_first`: there is no item before, and
/// the first one is a head whatever its mark; then its mark may not exist. `in_shared`: marks are
/// in shared memory, where something may be read beyond them.
template <class Marks, bool reversed, bool in_shared = true>
struct head_words_maker {
  static constexpr int step = reversed ? -1 : 1;
  Marks marks;
  int base;
  int count;
  bool is_first;

  __device__ void make(unsigned* to) const {
    if constexpr (in_vectors) {
      if (reinterpret_cast<std::uintptr_t>(marks.array + base + (reversed ? 1 : 0)) % 16 == 0) {
        return make_of_vectors(to);
      }
    }
    make_of_marks(to);
  }
  /// The same of a whole chunk behind another: all items there are have one before them.
  template <int num_words>
  __device__ void make_inside(unsigned* to) const {
    constexpr int at_once = sizeof(typename Marks::mark) > 8 ? 2 : 10;
#pragma unroll 1
    for (int word = 0; word < num_words; word += at_once) {
      typename Marks::mark own[at_once], before[at_once];
      const int first = base + step * (word * 32 + lane_index());
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (num_words % at_once != 0 && word + i >= num_words) break;
        own[i] = marks.read(first + step * 32 * i);
        if constexpr (Marks::of_two) before[i] = marks.read(first + step * (32 * i - 1));
      }
      unsigned mine = 0;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (num_words % at_once != 0 && word + i >= num_words) break;
        const bool head = marks.begins(Marks::of_two ? before[i] : own[i], own[i]);
        const unsigned made = __ballot_sync(all_lanes, head);
        if (lane_index() == i) mine = made;
      }
      if (lane_index() < min(at_once, num_words - word)) to[word + lane_index()] = mine;
    }
  }

 private:
  using mark = typename Marks::mark;
  static constexpr bool in_vectors =
      in_shared && Marks::of_two && sizeof(mark) == 4 && alignof(mark) == 4;

  /// Whether items are to be told apart: of keys that the call has, and has one before.
  __device__ bool is_asked(int item) const {
    return Marks::takes_any_bits || (item < count && (item > 0 || !is_first));
  }

  /// A lane makes a byte of two vectors and the mark before them.
  __device__ void make_of_vectors(unsigned* to) const {
    constexpr int at_once = 3, vector_items = 4, lane_items = 2 * vector_items;
    constexpr int stripe_items = warp_size * lane_items;
    struct alignas(16) vector {
      mark of[vector_items];
    };
    auto* const bytes = reinterpret_cast<unsigned char*>(to);
    const int last_vector = (count - 1) / vector_items * vector_items;
    for (int stripe = 0; stripe < count; stripe += at_once * stripe_items) {
      vector own[at_once][2];
      mark first_before[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        // (Vectors beyond the last are read as that: what follows the piece is not theirs.)
        const int lead = stripe + i * stripe_items;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int item = min(lead + lane_index() * lane_items + half * vector_items, last_vector);
          own[i][half] = *reinterpret_cast<const vector*>(marks.array + base + step * item -
                                                          (reversed ? 3 : 0));
        }
        first_before[i] =
            marks.read(base + step * max(min(lead, last_vector) - 1, is_first ? 0 : -1));
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const auto at = [&](int k) -> const mark& {
          return own[i][k / vector_items].of[reversed ? 3 - k % vector_items : k % vector_items];
        };
        mark before = shuffle_up(at(lane_items - 1), 1);
        if (lane_index() == 0) before = first_before[i];
        const int item = stripe + i * stripe_items + lane_index() * lane_items, left = count - item;
        unsigned bits = is_asked(item) && marks.begins(before, at(0)) ? 1 : 0;
#pragma unroll
        for (int k = 1; k < lane_items; ++k)
          bits |= is_asked(item + k) && marks.begins(at(k - 1), at(k)) ? 1u << k : 0u;
        if (left < lane_items) bits &= (1u << max(left, 0)) - 1;
        if (is_first && item == 0) bits |= 1;
        if (item < (count + 31) / 32 * 32) {
          bytes[item / lane_items] = static_cast<unsigned char>(bits);
        }
      }
    }
  }

  /// No branches, so that the loads of several words overlap.
  __device__ void make_of_marks(unsigned* to) const {
    constexpr int at_once = 8;
    const int lowest = reversed && is_first && !Marks::of_two ? 1 : 0;
    const int lowest_before = is_first ? 0 : -1;
    for (int word = 0; word * 32 < count; word += at_once) {
      unsigned made[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int item = (word + i) * 32 + lane_index(), held = min(item, count - 1);
        const auto own = marks.read(base + step * max(held, lowest));
        auto before = own;
        if constexpr (Marks::of_two)
          before = marks.read(base + step * max(held - 1, lowest_before));
        made[i] =
            __ballot_sync(all_lanes, item < count && is_asked(item) && marks.begins(before, own));
      }
      unsigned mine = made[0] | (is_first && word == 0 ? 1 : 0);
#pragma unroll
      for (int i = 1; i < at_once; ++i) mine = lane_index() == i ? made[i] : mine;
      if (lane_index() < at_once && (word + lane_index()) * 32 < count)
        to[word + lane_index()] = mine;
    }
  }
};

/// Bits are words already: those at any bit, or turned around.
template <bool reversed, bool in_shared>
struct head_words_maker<bit_marks, reversed, in_shared> {
  bit_marks marks;
  int base;
  int count;
  bool is_first;

  __device__ void make(unsigned* to) const {
    for (int word = lane_index(); word * 32 < count; word += warp_size) {
      const int left = count - word * 32;
      // The first bit in memory of those that are valid.
      const int bit = reversed ? base - word * 32 - (min(left, 32) - 1) : base + word * 32;
      const int last = bit + min(left, 32) - 1;
      // (Reversed, the first item of all has none.)
      const int there = reversed && is_first && word == 0 ? last - 1 : last;
      const unsigned low = marks.array[min(bit, there) / 32], high = marks.array[there / 32];
      unsigned made =
          last / 32 == bit / 32 ? low >> bit % 32 : __funnelshift_r(low, high, bit % 32);
      if (left < 32) made &= (1u << left) - 1;
      if (reversed) made = __brev(made) >> (32 - min(left, 32));
      to[word] = made | (is_first && word == 0 ? 1 : 0);
    }
  }
};

/// A lane makes half a word of sixteen bytes.
template <bool reversed>
struct head_words_maker<byte_marks, reversed, true> {
  byte_marks marks;
  int base;
  int count;
  bool is_first;

  __device__ void make(unsigned* to) const {
    auto* const halves = reinterpret_cast<std::uint16_t*>(to);
    const int num_halves = (count + 31) / 32 * 2;
#pragma unroll 1
    for (int half = lane_index(); half < num_halves; half += warp_size) {
      const int left = count - half * 16;
      unsigned made = 0;
      if (left > 0) {
        const int item = reversed ? base - half * 16 - 15 : base + half * 16;
        made = nonzero_of(marks.array + item);
        if (reversed) made = __brev(made) >> 16;
        if (left < 16) made &= (1u << left) - 1;
      }
      halves[half] = static_cast<std::uint16_t>(made | (is_first && half == 0 ? 1 : 0));
    }
  }

 private:
  __device__ static unsigned nonzero(unsigned bytes) {
    return bits_of_bytes(__vcmpne4(bytes, 0) & 0x01010101);
  }
  /// Which of sixteen bytes anywhere are not 0. (Beyond those of the piece there is shared memory
  /// too: what it holds is left out.)
  __device__ static unsigned nonzero_of(const std::uint8_t* bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes);
    if (address % 16 == 0) {
      const uint4 words = *reinterpret_cast<const uint4*>(bytes);
      return nonzero(words.x) | nonzero(words.y) << 4 | nonzero(words.z) << 8 |
             nonzero(words.w) << 12;
    }
    const auto* const words = reinterpret_cast<const unsigned*>(bytes - address % 4);
    const int shift = static_cast<int>(address % 4) * 8;
    unsigned bits = 0, low = words[0];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned high = words[i + 1];
      bits |= nonzero(__funnelshift_r(low, high, shift)) << 4 * i;
      low = high;
    }
    return bits;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
