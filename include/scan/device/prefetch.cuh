// Asks for input before it is known which block will take it.
#ifndef SCAN_DEVICE_PREFETCH_CUH
#define SCAN_DEVICE_PREFETCH_CUH

#include <cstdint>

#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Asks the L2 for the line of `wanted`, which may be anywhere.
__device__ inline void prefetch_line(const void* wanted) {
  // There is no intrinsic for it. Touches no state that C++ knows of.
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(wanted)));
}

/// Brings the first tile of each block of the grid into the L2, as if tiles went to blocks by their
/// index. They do not; but by the time a block has its ticket, memory has been at work for one trip
/// to the L2. All threads; `scan` is a problem.
///
/// Nothing if the input is no array, or that is more than 6 MiB: then the tickets wait behind what
/// was asked for, by more than is won (bench/NOTES.md).
template <class Problem>
__device__ void prefetch_tiles(const Problem& scan, int tile_items) {
  if constexpr (is_array<decltype(Problem::in)>) {
    constexpr int line = 128, item_bytes = static_cast<int>(sizeof(typename Problem::in_type));
    constexpr std::int64_t most_bytes = 6 << 20;
    const auto* begin = reinterpret_cast<const unsigned char*>(scan.in.data);
    const std::int64_t end = scan.num_items * item_bytes;
    const int tile_bytes = tile_items * item_bytes;
    if (std::int64_t{gridDim.x} * tile_bytes > most_bytes) return;
    for (int i = threadIdx.x * line; i < tile_bytes; i += blockDim.x * line) {
      const std::int64_t at = std::int64_t{blockIdx.x} * tile_bytes + i;
      if (at >= end) return;
      prefetch_line(begin + (Problem::reversed ? end - 1 - at : at));
    }
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
