// The heads of a tile: a bit an item in shared memory, set where a segment begins.
#ifndef SCAN_DEVICE_SEGMENT_HEAD_BITS_CUH
#define SCAN_DEVICE_SEGMENT_HEAD_BITS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/segment/head_sources.cuh"
#include "scan/protocol/shared_words.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Words of the bits of `num_items` items, and one more: who reads across a word reads two.
__host__ __device__ constexpr int head_words(int num_items) { return (num_items + 31) / 32 + 1; }

/// The bits of `count` consecutive items of a tile.
template <int count>
struct item_heads {
  static constexpr int num_words = (count + 31) / 32;
  unsigned words[num_words];

  item_heads() = default;
  /// Those from item `first` on. `within`: they are in one word.
  template <bool within = (count < 32 && 32 % count == 0)>  // where `first` is a multiple of it
  __device__ item_heads(const unsigned* bits, int first, std::bool_constant<within> = {}) {
    const unsigned* const from = bits + first / 32;
    const int shift = first % 32;
    unsigned low = from[0];
#pragma unroll
    for (int i = 0; i < num_words; ++i) {
      const unsigned high = within ? 0 : from[i + 1];
      words[i] = __funnelshift_r(low, high, shift);
      low = high;
    }
    if constexpr (count % 32 != 0) words[num_words - 1] &= (1u << count % 32) - 1;
  }
  __device__ bool operator[](int i) const { return (words[i / 32] >> i % 32 & 1) != 0; }
  /// Those from item `i` on, up to 32.
  __device__ unsigned from(int i) const {
    unsigned low = 0, high = 0;
#pragma unroll
    for (int w = 0; w < num_words; ++w) {
      if (w == i / 32) low = words[w];
      if (w == i / 32 + 1) high = words[w];
    }
    return __funnelshift_r(low, high, i % 32);
  }
  __device__ void set(int i) {
#pragma unroll
    for (int w = 0; w < num_words; ++w) words[w] |= w == i / 32 ? 1u << i % 32 : 0u;
  }
  __device__ int num_heads() const {
    int of_all = 0;
#pragma unroll
    for (const unsigned word : words) of_all += __popc(word);
    return of_all;
  }
  /// The first one, if there is one.
  __device__ int first() const {
    int found = 0;
#pragma unroll
    for (int w = num_words - 1; w >= 0; --w) {
      if (words[w] != 0) found = w * 32 + __ffs(static_cast<int>(words[w])) - 1;
    }
    return found;
  }
  /// The last one, or -1.
  __device__ int last() const {
    int found = -1;
#pragma unroll
    for (int w = 0; w < num_words; ++w) {
      if (words[w] != 0) found = w * 32 + 31 - __clz(static_cast<int>(words[w]));
    }
    return found;
  }
  __device__ bool any() const {
    unsigned all = 0;
#pragma unroll
    for (const unsigned word : words) all |= word;
    return all != 0;
  }
};

/// Four bytes that are 0 or 1 as bits 0 to 3.
__device__ inline unsigned bits_of_bytes(unsigned bytes) { return bytes * 0x10204080u >> 28; }
/// Sixteen of them as bits 0 to 15.
__device__ inline unsigned bits_of_bytes(const uint4& bytes) {
  return bits_of_bytes(bytes.x) | bits_of_bytes(bytes.y) << 4 | bits_of_bytes(bytes.z) << 8 |
         bits_of_bytes(bytes.w) << 12;
}

/// As many bytes as a vector has items.
__device__ inline unsigned bits_of(const memory_word<16>& marks) {
  return bits_of_bytes(uint4{marks.data[0], marks.data[1], marks.data[2], marks.data[3]});
}
__device__ inline unsigned bits_of(const memory_word<8>& marks) {
  return bits_of_bytes(marks.data[0]) | bits_of_bytes(marks.data[1]) << 4;
}
__device__ inline unsigned bits_of(const memory_word<4>& marks) {
  return bits_of_bytes(marks.data[0]);
}
__device__ inline unsigned bits_of(const memory_word<2>& marks) {
  return (marks.data | marks.data >> 7) & 3u;
}
__device__ inline unsigned bits_of(const memory_word<1>& marks) { return marks.data; }

// ---- Heads of a tile as bytes in shared memory, where boundaries are marked in any order, and as
// bits.

/// Where boundaries lie in a tile of `num_valid` items from item `first` on. (Of an offset far out,
/// 32 bits may say that it lies within: that harms nothing.)
template <class Boundaries>
struct tile_places {
  using word = std::make_unsigned_t<typename Boundaries::element>;
  word begin, num_valid;

  __device__ tile_places(const Boundaries& here, std::int64_t first, int num_valid)
      : begin(static_cast<word>(here.offset_of(first))), num_valid(static_cast<word>(num_valid)) {}
  /// Not less than `num_valid` where it does not.
  __device__ word operator()(typename Boundaries::element offset) const {
    const auto own = static_cast<word>(offset);
    return Boundaries::is_reversed ? begin - own : own - begin;
  }
};

/// Sets the bits, which are clear, of those of the `count` boundaries at `here` that lie in the
/// tile; by a warp. For a few: where many are in one word they wait for each other.
template <class Boundaries>
__device__ void mark_bits(const Boundaries& here, int count,
                          const tile_places<Boundaries>& place_of, unsigned* bits) {
#pragma unroll 1
  for (int i = lane_index(); i < count; i += warp_size) {
    const auto place = place_of(here.array[i]);
    if (place < place_of.num_valid) set_bit(bits, static_cast<unsigned>(place));
  }
}

/// Bytes that are 1 where a segment begins; all 0 before a tile and after gather().
template <int tile_items>
struct head_bytes {
  static constexpr int num_groups = (tile_items + 15) / 16;
  alignas(16) unsigned char of[num_groups * 16];

  /// By `num_threads` threads, of which `thread` is one; here and below.
  __device__ void clear(int thread, int num_threads) {
    for (int i = thread; i < num_groups; i += num_threads) group(i) = {};
  }
  /// Bytes to bits; then they are clear again.
  __device__ void gather(unsigned* bits, int thread, int num_threads) {
#pragma unroll 1
    for (int i = thread; i < num_groups; i += num_threads) {
      const uint4 bytes = group(i);
      group(i) = {};
      reinterpret_cast<std::uint16_t*>(bits)[i] = static_cast<std::uint16_t>(bits_of_bytes(bytes));
    }
  }

  /// Marks those of the `count` boundaries at `here` that lie in the tile, whatever the others are;
  /// by a warp.
  template <class Boundaries>
  __device__ void mark(const Boundaries& here, int count, const tile_places<Boundaries>& place_of) {
    constexpr int at_once = 16;
    if (count == 0) return;
    for (int i = 0; i < count; i += at_once * warp_size) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int held = min(i + k * warp_size + lane_index(), count - 1);
        const auto place = place_of(here.array[held]);
        if (place < place_of.num_valid) of[place] = 1;
      }
    }
  }

 private:
  __device__ uint4& group(int i) { return reinterpret_cast<uint4*>(of)[i]; }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
