// The heads of a tile: a bit an item in shared memory, set where a segment begins.
#ifndef SCAN_DEVICE_HEAD_BITS_CUH
#define SCAN_DEVICE_HEAD_BITS_CUH

#include "scan/device/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Words of the bits of `num_items` items, and one more: who reads across a word reads two.
__host__ __device__ constexpr int head_words(int num_items) { return (num_items + 31) / 32 + 1; }

/// Sets bit `place`, while others may set other bits of its word.
__device__ inline void set_bit(unsigned* bits, unsigned place) {
  // Relaxed: pairs with the other warps' only so that none is lost, which atomicity alone gives;
  // who reads waits for all of them at a barrier. Read and written apart, two heads could become
  // one.
  atomicOr(bits + place / 32, 1u << place % 32);
}

/// The bits of `count` consecutive items of a tile.
template <int count>
struct item_heads {
  static constexpr int num_words = (count + 31) / 32;
  unsigned words[num_words];

  /// Those from item `first` on.
  __device__ item_heads(const unsigned* bits, int first) {
    const unsigned* const from = bits + first / 32;
    const int shift = first % 32;
    constexpr bool within = count < 32 && 32 % count == 0;  // and `first` a multiple of it
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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
