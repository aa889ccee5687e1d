// Asks for input before it is known which block will take it.
#ifndef SCAN_DEVICE_PREFETCH_CUH
#define SCAN_DEVICE_PREFETCH_CUH

#include <cstdint>

namespace scan::device {

/// Brings the first tile of each block of the grid into the L2, as if tiles went to blocks by their
/// index. They do not; but by the time a block has its ticket, memory has been at work for one trip
/// to the L2. All threads; `scan` is a problem.
///
/// Nothing if that is more than 6 MiB: then the tickets wait behind what was asked for. H200,
/// 2026-11-21, int32: ticket after 0.7 us at 1 MiB, 0.9 at 4, 1.4 at 8, 2.9 at 16; look-back kernel
/// with one tile a block and without, 4 MiB 5.6 and 5.7 us, 6 MiB 6.9 and 7.0, 8 MiB 9.1 and 8.1,
/// 16 MiB 13.0 and 12.8 (two tiles a block 14.0).
template <class Problem>
__device__ void prefetch_tiles(const Problem& scan, int tile_items) {
  constexpr int line = 128, item_bytes = static_cast<int>(sizeof(typename Problem::in_type));
  constexpr std::int64_t most_bytes = 6 << 20;
  const auto* begin = reinterpret_cast<const unsigned char*>(scan.in.data);
  const std::int64_t end = scan.num_items * item_bytes;
  const int tile_bytes = tile_items * item_bytes;
  if (std::int64_t{gridDim.x} * tile_bytes > most_bytes) return;
  for (int i = threadIdx.x * line; i < tile_bytes; i += blockDim.x * line) {
    const std::int64_t at = std::int64_t{blockIdx.x} * tile_bytes + i;
    if (at >= end) return;
    const void* const wanted = begin + (Problem::reversed ? end - 1 - at : at);
    // There is no intrinsic for it. Touches no state that C++ knows of.
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(wanted)));
  }
}

}  // namespace scan::device

#endif
