// Which kernel scans an input, and in which launch shape: plain numbers, chosen by element size and
// number of elements in one place. Nothing else enters, so the order of operations depends on
// nothing else (but on whether the GPU has what the ring kernel needs).
#ifndef SCAN_DEVICE_TUNING_HPP
#define SCAN_DEVICE_TUNING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/host_device.hpp"
#include "scan/options.hpp"

namespace scan::device {

/// Shape of the kernels that hold tiles in registers. A thread holds `rows` vectors of
/// `vector_items` elements; a warp row is 32 such vectors, contiguous in memory.
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

/// Shape of the ring kernel. A tile is `scan_warps` chunks, each scanned by a warp of its own after
/// one of `reduce_warps` others has reduced it; a thread's run of a chunk is `vectors_per_thread`
/// consecutive vectors of `vector_items` elements.
struct ring_tuning {
  int scan_warps;
  int reduce_warps;
  int vectors_per_thread;  // odd: lanes that read their runs side by side meet different banks
  int vector_items;
  int look_delay_ns;  // from a tile's own aggregate to the look for the others'

  SCAN_HOST_DEVICE constexpr int run_items() const { return vectors_per_thread * vector_items; }
  SCAN_HOST_DEVICE constexpr int warp_items() const { return 32 * run_items(); }
  SCAN_HOST_DEVICE constexpr int tile_items() const { return scan_warps * warp_items(); }
  SCAN_HOST_DEVICE constexpr int threads_per_block() const {
    return 32 * (scan_warps + reduce_warps + 3);
  }
};

/// Elements of a 16-byte vector, at least one.
constexpr int vector_items_for(int element_bytes) {
  int items = 1;
  while (2 * items * element_bytes <= 16) items *= 2;
  return items;
}

/// The look-back kernel's shape for elements of at most `element_bytes` bytes (the larger of input
/// and output).
///
/// A tile is 32 KiB (16 KiB for elements of more than 32 bytes, whose prefixes would not fit shared
/// memory); a block has two of them in registers, two blocks an SM. H200, 2026-11-21, share of copy
/// speed at 1 GiB / 16 MiB, sums (bench/NOTES.md); the shapes with more than 8 rows or 512 threads
/// spill registers, and lose on small inputs what they win on large ones. 7 rows for 8-byte
/// elements, which spill in none of their operators, make every power of two end in a partial tile:
/// 16 MiB 0.53 against 0.66, 8 MiB 0.45 against 0.57.
///   1 byte:  256 x 8 rows 0.62 / 0.51, 512 x 4 rows 0.61 / 0.48
///   4 bytes: 256 x 8 rows 0.83 / 0.70, 512 x 4 rows 0.84 / 0.65, 512 x 5 rows 0.87 / 0.58
///   8 bytes: 256 x 8 rows 0.78 / 0.66, 512 x 4 rows 0.78 / 0.62, 256 x 9 rows 0.80 / 0.55
constexpr tuning tuning_for(int element_bytes) {
  const int thread_bytes = element_bytes <= 32 ? 128 : 64;
  return {256, 2, thread_bytes / (element_bytes > 16 ? element_bytes : 16),
          vector_items_for(element_bytes)};
}

/// The shape of the wave kernel and of the cluster kernel: the largest block; a tile is what the
/// block at hand holds, 32 bytes a thread. H200, 2026-11-21, int32: 1 KiB in 32 threads, 16 KiB in
/// 512: 1.7 and 2.0 us, as single tiles of 1024 threads 2.6 and 2.7.
constexpr tuning wave_tuning_for(int element_bytes) {
  const tuning shape = tuning_for(element_bytes);
  if (element_bytes > 16) return shape;
  return {element_bytes <= 4 ? 1024 : 512, 1, 2, shape.vector_items};
}

/// The ring kernel's shape: tiles of 35 KiB (16-byte elements: 42). H200, 2026-11-21, scan warps x
/// vectors, share of copy speed at 1 GiB / 256 MiB / 64 MiB (bench/NOTES.md):
///   4 bytes: 10 x 7 0.957 / 0.914 / 0.79, 8 x 7 0.912 (no delay: 0.943), 12 x 5 0.949 / 0.904,
///            16 x 5 0.937 / 0.898
///   8 bytes: 10 x 7 0.930 / 0.900 / 0.80, 11 x 7 0.946 / 0.909 / 0.80; before words in pairs
///            10 x 7 0.909 / 0.873, 8 x 7 0.872 / 0.839, 12 x 5 0.865 / 0.834
///   1 byte:  10 x 7 0.942 / 0.893 / 0.75, 12 x 5 0.898 / 0.860 / 0.74, 13 x 5 0.832 / 0.794 / 0.69
///   16 bytes (affine maps): 12 x 7 with 4 reducing 0.884 / 0.846, 10 x 7 0.835 / 0.797 (no delay:
///            0.876), 8 x 7 0.727, 14 x 7 0.722, 12 x 5 0.685
constexpr ring_tuning ring_tuning_for(int element_bytes) {
  const int vector_items = vector_items_for(element_bytes);
  if (element_bytes > 8) return {12, 4, 7, vector_items, 300};
  return {10, 5, 7, vector_items, 300};
}

/// Whether the ring kernel takes elements of these sizes, computed with in `value_bytes`: vectors
/// of them have to fill granules of 16 bytes.
constexpr bool ring_takes(std::size_t in_bytes, std::size_t out_bytes, std::size_t value_bytes) {
  const std::size_t widest = in_bytes > out_bytes ? in_bytes : out_bytes;
  return (in_bytes & (in_bytes - 1)) == 0 && (out_bytes & (out_bytes - 1)) == 0 && widest <= 16 &&
         value_bytes <= 16;
}

/// The shapes as types, for templates; a type with other shapes is how these are tried out.
template <int element_bytes_>
struct tuned {
  static constexpr int element_bytes = element_bytes_;
  static constexpr tuning shape = tuning_for(element_bytes);
  static constexpr ring_tuning ring = ring_tuning_for(element_bytes);
  struct wave {
    static constexpr tuning shape = wave_tuning_for(element_bytes);
  };
};

/// Tiles of a scan of `num_items` elements; num_items > 0.
SCAN_HOST_DEVICE constexpr std::int64_t tiles_of(std::int64_t num_items, int tile_items) {
  return (num_items - 1) / tile_items + 1;
}

/// Blocks of a cluster at most: as many as every device with clusters takes.
inline constexpr int most_cluster_blocks = 8;
/// Warps of a block that look back together, one tile a lane.
inline constexpr int look_back_warps = 8;
/// The wave kernel has no more tiles than this before its blocks are as large as they get: they
/// keep a large GPU's multiprocessors busy with one or two each.
inline constexpr int most_small_tiles = 128;

/// Threads of the wave kernel's blocks for `num_items` elements. A single block as long as 512
/// threads do; then a cluster of blocks of up to 512, then 256 and more. H200, 2026-11-21, int32: a
/// cluster takes 2.7 us for 64 KiB and 3.2 for 128, blocks with tickets 3.3 and 4.6; for 256 KiB
/// (with 1024 threads) 4.1 against 4.0.
constexpr int wave_threads(std::int64_t num_items, const tuning& shape) {
  const int warp_items = shape.warp_items(), most = shape.threads_per_block;
  const auto tiles_with = [&](int threads) {
    return tiles_of(num_items, threads / 32 * warp_items);
  };
  const int alone = most < 512 ? most : 512;
  if (num_items == 0) return 32;
  if (tiles_with(alone) == 1) return 32 * static_cast<int>(tiles_with(32));
  if (tiles_with(alone) <= most_cluster_blocks) {
    return tiles_with(256) <= most_cluster_blocks ? 256 : alone;
  }
  int threads = 256;
  while (threads < most && tiles_with(threads) > most_small_tiles) threads *= 2;
  return threads;
}

/// The kernel for `num_items` elements. H200, 2026-11-21, us as wave / look-back / ring:
///   1 byte:  4 MiB 6.5 / 6.8, 8 MiB - / 9.0 / 11.2, 12 MiB + 1 - / 15.4 / 14.0
///   2 bytes: 4 MiB 6.4 / 6.5, 24 MiB - / 19.9 / 21.0, 32 MiB - / 26.0 / 25.4
///   4 bytes: 2 MiB 4.7 / 4.5, 4 MiB 6.1 / 5.6, 24 MiB - / 18.0 / 20.1, 32 MiB - / 23.7 / 24.7, and
///            with misaligned pointers 35 / 28, for which the ring begins below 32
///   8 bytes: 2 MiB 5.0 / 5.1, 4 MiB 7.2 / 6.2, 32 MiB - / 25.2 / 25.1
constexpr algorithm algorithm_for(std::int64_t num_items, int element_bytes, bool has_ring) {
  const std::int64_t num_bytes = num_items * element_bytes, mib = std::int64_t{1} << 20;
  const int wave_mib = element_bytes == 1 ? 4 : 2;
  const int look_back_mib = element_bytes == 1 ? 8 : 28;
  if (num_bytes <= wave_mib * mib) return algorithm::wave;
  return has_ring && num_bytes > look_back_mib * mib ? algorithm::ring : algorithm::look_back;
}

/// No scan of up to `num_items` elements has more tiles, whatever its kernel.
constexpr std::int64_t most_tiles(std::int64_t num_items, int element_bytes) {
  if (num_items == 0) return 0;
  const tuning wave = wave_tuning_for(element_bytes), other = tuning_for(element_bytes);
  const std::int64_t small =
      std::min<std::int64_t>(most_small_tiles, tiles_of(num_items, 256 / 32 * wave.warp_items()));
  return std::max({small, tiles_of(num_items, wave.tile_items()),
                   tiles_of(num_items, other.tile_items()),
                   tiles_of(num_items, ring_tuning_for(element_bytes).tile_items())});
}

}  // namespace scan::device

#endif
