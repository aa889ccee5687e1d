// Heads of a tile as bytes in shared memory, where boundaries are marked in any order, and as bits.
#ifndef SCAN_DEVICE_HEAD_BYTES_CUH
#define SCAN_DEVICE_HEAD_BYTES_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/head_bits.cuh"
#include "scan/device/head_sources.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

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
