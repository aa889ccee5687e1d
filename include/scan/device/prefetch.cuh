// Asks for input before it is known which block will take it.
#ifndef SCAN_DEVICE_PREFETCH_CUH
#define SCAN_DEVICE_PREFETCH_CUH

#include <cstdint>

namespace scan::device {

/// Brings the first `rounds` tiles a block of the grid into the L2, as if tiles went to blocks by
/// their index. They do not; but by the time a block has its ticket, memory has been at work for
/// one trip to the L2. All threads; `scan` is a problem.
template <class Problem>
__device__ void prefetch_tiles(const Problem& scan, int tile_items, int rounds) {
  constexpr int line = 128, item_bytes = static_cast<int>(sizeof(typename Problem::in_type));
  const auto* begin = reinterpret_cast<const unsigned char*>(scan.in.data);
  const std::int64_t end = scan.num_items * item_bytes;
  const int tile_bytes = tile_items * item_bytes;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t tile = blockIdx.x + std::int64_t{round} * gridDim.x;
    for (int i = threadIdx.x * line; i < tile_bytes; i += blockDim.x * line) {
      const std::int64_t at = tile * tile_bytes + i;
      if (at >= end) return;
      const void* const wanted = begin + (Problem::reversed ? end - 1 - at : at);
      // There is no intrinsic for it. Touches no state that C++ knows of.
      asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(wanted)));
    }
  }
}

}  // namespace scan::device

#endif
