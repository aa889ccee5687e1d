// Launch shapes: plain numbers, chosen by element size in one place.
#ifndef SCAN_DEVICE_TUNING_HPP
#define SCAN_DEVICE_TUNING_HPP

#include <cstdint>

#include "scan/host_device.hpp"

namespace scan::device {

/// Shape of the look-back kernel. A thread holds `rows` vectors of `vector_items` elements; a warp
/// row is 32 such vectors, contiguous in memory.
struct tuning {
  int threads_per_block;
  int blocks_per_sm;
  int rows;
  int vector_items;

  SCAN_HOST_DEVICE constexpr int warps_per_block() const { return threads_per_block / 32; }
  SCAN_HOST_DEVICE constexpr int row_items() const { return 32 * vector_items; }
  SCAN_HOST_DEVICE constexpr int warp_items() const { return rows * row_items(); }
  SCAN_HOST_DEVICE constexpr int tile_items() const { return warps_per_block() * warp_items(); }
};

/// The shape for elements of at most `element_bytes` bytes (the larger of input and output).
///
/// A tile is 32 KiB (for elements of up to 16 bytes) and a block has two of them in registers, two
/// blocks an SM. H200, 2026-11-21, share of copy speed at 1 GiB / 16 MiB, sums (bench/NOTES.md):
///   4 bytes: 512 x 4 rows 0.84 / 0.59, 256 x 8 rows 0.81 / 0.67
///   1 byte:  512 x 4 rows 0.66 / 0.49, 256 x 8 rows 0.67 / 0.53
///   8 bytes: 512 x 4 rows 0.68 / 0.48, 256 x 8 rows 0.75 / 0.61
constexpr tuning tuning_for(int element_bytes) {
  const int threads = element_bytes == 4 ? 512 : 256;
  const int thread_bytes = 32 * 1024 / threads;
  int vector_items = 1;
  while (2 * vector_items * element_bytes <= 16) vector_items *= 2;
  return {threads, 2, thread_bytes / (element_bytes > 16 ? element_bytes : 16), vector_items};
}

/// The shape as a type, for templates; a type with another `shape` is how one is tried out.
template <int element_bytes>
struct tuned {
  static constexpr tuning shape = tuning_for(element_bytes);
};

/// Tiles of a scan of `num_items` elements; num_items > 0.
constexpr std::int64_t num_tiles(std::int64_t num_items, const tuning& shape) {
  return (num_items - 1) / shape.tile_items() + 1;
}

}  // namespace scan::device

#endif
