// Launch shapes: plain numbers, chosen by element size in one place.
#ifndef SCAN_DEVICE_TUNING_HPP
#define SCAN_DEVICE_TUNING_HPP

#include <cstdint>

#include "scan/host_device.hpp"

namespace scan::device {

/// Shape of a kernel. A thread holds `rows` vectors of `vector_items` elements; a warp
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
/// A tile is 32 KiB (16 KiB for elements of more than 32 bytes, whose prefixes would not fit shared
/// memory); a block has two of them in registers, two blocks an SM. H200, 2026-11-21, share of copy
/// speed at 1 GiB / 16 MiB, sums (bench/NOTES.md); the shapes with more than 8 rows or 512 threads
/// spill registers, and lose on small inputs what they win on large ones:
///   1 byte:  256 x 8 rows 0.62 / 0.51, 512 x 4 rows 0.61 / 0.48
///   4 bytes: 256 x 8 rows 0.83 / 0.70, 512 x 4 rows 0.84 / 0.65, 512 x 5 rows 0.87 / 0.58
///   8 bytes: 256 x 8 rows 0.78 / 0.66, 512 x 4 rows 0.78 / 0.62, 256 x 9 rows 0.80 / 0.55
constexpr tuning tuning_for(int element_bytes) {
  const int thread_bytes = element_bytes <= 32 ? 128 : 64;
  int vector_items = 1;
  while (2 * vector_items * element_bytes <= 16) vector_items *= 2;
  return {256, 2, thread_bytes / (element_bytes > 16 ? element_bytes : 16), vector_items};
}

/// The shape for scans that fit one tile: as large a tile, spread over more threads, because a
/// single block takes as long as its threads' chains of operations. Single bytes, 16 to a vector,
/// spill registers with 1024 threads.
constexpr tuning one_tile_tuning_for(int element_bytes) {
  const tuning shape = tuning_for(element_bytes);
  if (element_bytes > 16) return shape;
  const int threads = element_bytes == 1 ? 512 : 1024;
  return {threads, 1, 2048 / threads, shape.vector_items};
}

/// The shapes as types, for templates; a type with other shapes is how these are tried out.
template <int element_bytes>
struct tuned {
  static constexpr tuning shape = tuning_for(element_bytes);
  struct one_tile {
    static constexpr tuning shape = one_tile_tuning_for(element_bytes);
  };
};

/// Tiles of a scan of `num_items` elements; num_items > 0.
constexpr std::int64_t num_tiles(std::int64_t num_items, const tuning& shape) {
  return (num_items - 1) / shape.tile_items() + 1;
}

}  // namespace scan::device

#endif
