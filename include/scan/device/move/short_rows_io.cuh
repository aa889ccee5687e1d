// Moves a tile of rows between global and shared memory, where its rows follow each other.
#ifndef SCAN_DEVICE_MOVE_SHORT_ROWS_IO_CUH
#define SCAN_DEVICE_MOVE_SHORT_ROWS_IO_CUH

#include <cstdint>

#include "scan/device/tensor/short_rows_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// For blocks of `num_threads` threads, tiles of up to `most_items` elements. Rows without gaps are
/// moved as what they are together: granules of 16 bytes at multiples of 16. They are as far off
/// these in shared memory as in global memory.
template <class T, int most_items, int num_threads>
struct short_rows_io {
  using byte = unsigned char;
  static constexpr int granule_bytes = 16, line_bytes = 64;
  static constexpr int item_bytes = static_cast<int>(sizeof(T));
  static constexpr int most_granules = (most_items * item_bytes + 15) / granule_bytes + 1;
  /// As many as a thread has under way at once.
  static constexpr int rounds = (most_granules + num_threads - 1) / num_threads;

  /// Lines of room before and behind, because vectors are read whole that exist in part.
  struct shared {
    alignas(line_bytes) byte bytes[line_bytes * ((most_items * item_bytes + 63) / 64 + 3)];
  };

  /// Where in shared memory the tile is whose first element is `first`.
  __device__ static int begin_of(const T* first, const row_layout& rows) {
    return line_bytes + (rows.dense ? below(first, line_bytes) : 0);
  }

  /// All threads. [array, array_end) may be read.
  __device__ static void load(const T* first, int num_rows, const row_layout& rows, const T* array,
                              const T* array_end, shared& memory) {
    byte* const to = memory.bytes + begin_of(first, rows);
    if (rows.dense) {
      load_dense(as_bytes(first), num_rows * rows.columns * item_bytes, as_bytes(array),
                 as_bytes(array_end), to);
    } else if (rows.in_granules) {
      move_rows<uint4>(num_rows, rows, [&](int i, std::int64_t place) {
        reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(first)[place];
      });
    } else {
      move_rows<T>(num_rows, rows,
                   [&](int i, std::int64_t place) { reinterpret_cast<T*>(to)[i] = first[place]; });
    }
  }

  /// All threads.
  __device__ static void store(T* first, int num_rows, const row_layout& rows,
                               const shared& memory) {
    const byte* const from = memory.bytes + begin_of(first, rows);
    if (rows.dense) {
      store_dense(reinterpret_cast<byte*>(first), num_rows * rows.columns * item_bytes, from);
    } else if (rows.in_granules) {
      move_rows<uint4>(num_rows, rows, [&](int i, std::int64_t place) {
        reinterpret_cast<uint4*>(first)[place] = reinterpret_cast<const uint4*>(from)[i];
      });
    } else {
      move_rows<T>(num_rows, rows, [&](int i, std::int64_t place) {
        first[place] = reinterpret_cast<const T*>(from)[i];
      });
    }
  }

 private:
  __device__ static const byte* as_bytes(const T* data) {
    return reinterpret_cast<const byte*>(data);
  }
  __device__ static int below(const void* address, int multiple) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) % multiple);
  }

  __device__ static void load_dense(const byte* first, int num_bytes, const byte* array,
                                    const byte* array_end, byte* to) {
    const int off = below(first, granule_bytes);
    first -= off;
    to -= off;
    const int end = off + num_bytes, thread = static_cast<int>(threadIdx.x);
    // Of the granules from `first` on, those that are inside of the array.
    const std::int64_t array_left = array_end - first - (granule_bytes - 1);
    const int moved_begin = first < array ? granule_bytes : 0;
    const int moved_end = array_left < end ? static_cast<int>(array_left) : end;
    uint4 granules[rounds];
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const int at = (i * num_threads + thread) * granule_bytes;
      if (at >= (i == 0 ? moved_begin : 0) && at < moved_end) {
        granules[i] = *reinterpret_cast<const uint4*>(first + at);
      }
    }
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const int at = (i * num_threads + thread) * granule_bytes;
      if (at >= (i == 0 ? moved_begin : 0) && at < moved_end) {
        *reinterpret_cast<uint4*>(to + at) = granules[i];
      }
    }
    // The ends of the array by bytes: the tile's first granule, and its last one, where they have
    // not been moved.
    if (thread < 2 * granule_bytes && (moved_begin > 0 || moved_end < end)) {
      const int last = (end - 1) / granule_bytes * granule_bytes;
      const bool in_first = thread < granule_bytes;
      const bool wanted =
          in_first ? moved_begin > 0 || moved_end <= 0 : moved_end <= last && last > 0;
      const int at = (in_first ? 0 : last) + thread % granule_bytes;
      if (wanted && at >= off && at < end) to[at] = first[at];
    }
  }

  __device__ static void store_dense(byte* first, int num_bytes, const byte* from) {
    const int off = below(first, granule_bytes);
    first -= off;
    from -= off;
    const int end = off + num_bytes, thread = static_cast<int>(threadIdx.x);
#pragma unroll 4
    for (int at = thread * granule_bytes; at < end; at += num_threads * granule_bytes) {
      if (at >= off && at + granule_bytes <= end) {
        *reinterpret_cast<uint4*>(first + at) = *reinterpret_cast<const uint4*>(from + at);
      }
    }
    // Other blocks own the rest of the granules at the ends.
    const int last = (end - 1) / granule_bytes * granule_bytes;
    if (thread < 2 * granule_bytes && (off > 0 || last + granule_bytes > end)) {
      const int at = (thread < granule_bytes ? 0 : last) + thread % granule_bytes;
      if (at >= off && at < end) first[at] = from[at];
    }
  }

  /// Calls `move(i, place)` for unit i of the tile, which is `place` units after its first one.
  template <class Unit, class Move>
  __device__ static void move_rows(int num_rows, const row_layout& rows, Move move) {
    constexpr int unit_bytes = static_cast<int>(sizeof(Unit));
    const int row_units = rows.columns * item_bytes / unit_bytes;
    const std::int64_t pitch = rows.pitch * item_bytes / unit_bytes;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < num_rows * row_units; i += num_threads) {
      const int row = rows.by_units.quotient(i);
      move(i, row * pitch + (i - row * row_units));
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
