// Heads of a tile as bytes in shared memory, where boundaries are marked in any order, and as bits.
#ifndef SCAN_DEVICE_HEAD_BYTES_CUH
#define SCAN_DEVICE_HEAD_BYTES_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/head_bits.cuh"
#include "scan/device/head_sources.cuh"

namespace scan::device {

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
    for (int i = thread; i < num_groups; i += num_threads) {
      const uint4 bytes = group(i);
      group(i) = {};
      reinterpret_cast<std::uint16_t*>(bits)[i] = static_cast<std::uint16_t>(bits_of_bytes(bytes));
    }
  }

  /// Marks those of the `count` boundaries at `here` that lie within `num_valid` items of item
  /// `first`, whatever the others are; by a warp. (Of an offset far out, 32 bits may say that it
  /// lies within: that harms nothing.)
  template <class Boundaries>
  __device__ void mark(const Boundaries& here, int count, std::int64_t first, int num_valid) {
    constexpr int at_once = 16;
    if (count == 0) return;
    using word = std::make_unsigned_t<typename Boundaries::element>;
    const auto begin = static_cast<word>(here.offset_of(first));
    for (int i = 0; i < count; i += at_once * warp_size) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int held = min(i + k * warp_size + lane_index(), count - 1);
        const auto offset = static_cast<word>(here.array[held]);
        const auto place =
            static_cast<word>(Boundaries::is_reversed ? begin - offset : offset - begin);
        if (place < static_cast<word>(num_valid)) of[place] = 1;
      }
    }
  }

 private:
  __device__ uint4& group(int i) { return reinterpret_cast<uint4*>(of)[i]; }
};

}  // namespace scan::device

#endif
