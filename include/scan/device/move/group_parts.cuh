// Moves parts of an array between global and shared memory, where they follow each other as far off
// granules of 16 bytes as they are in global memory.
#ifndef SCAN_DEVICE_MOVE_GROUP_PARTS_CUH
#define SCAN_DEVICE_MOVE_GROUP_PARTS_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// One array's part of a group: `count` parts of `bytes` bytes, one if there are no gaps, `pitch`
/// bytes after each other in global memory and `slot` in shared memory.
template <class T>
struct group_parts {
  using byte = unsigned char;
  byte* first;
  std::int64_t pitch;
  int count, bytes, slot;

  __device__ byte* part(int i) const { return first + i * pitch; }
  __device__ static int off(const byte* address) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) % granule);
  }
  /// Where in shared memory part `i` is.
  __device__ int place(int i) const { return i * slot + off(part(i)); }

  /// Starts loading; all threads, after `done` has been initialised for a warp. [begin, end) may be
  /// read.
  __device__ void load(byte* to, const T* begin, const T* end, phase_barrier& done) const {
#if __CUDA_ARCH__ >= 900
    if (warp_index() == 0) {
#pragma unroll 1
      for (int i = lane_index(); i < count; i += warp_size) {
        const granules whole(part(i), bytes, begin, end);
        if (whole.size <= 0) continue;
        done.expect(whole.size);
        load_bulk(to + i * slot + whole.skipped, whole.first, whole.size, done);
      }
      done.arrive();
    }
#endif
    const crew mine(count);
    for (int i = mine.first; i < count; i += mine.step) {
      const granules whole(part(i), bytes, begin, end);
#if !(__CUDA_ARCH__ >= 900)
#pragma unroll 4
      for (int at = mine.index * granule; at < whole.size; at += mine.size * granule) {
        *reinterpret_cast<uint4*>(to + i * slot + whole.skipped + at) =
            *reinterpret_cast<const uint4*>(whole.first + at);
      }
#endif
      // What shares a granule with what may not be read.
      const byte* const from = part(i);
      for (int at = mine.index; at < bytes && from + at < whole.first; at += mine.size) {
        to[place(i) + at] = from[at];
      }
      const int past = max(static_cast<int>(whole.first - from) + whole.size, 0);
      for (int at = past + mine.index; at < bytes; at += mine.size) {
        to[place(i) + at] = from[at];
      }
    }
  }

  /// Stores; all threads, each of which has written to shared memory before the last barrier and,
  /// where there are bulk copies, published that.
  __device__ void store(const byte* from) const {
    const crew crewed(count);
    for (int i = crewed.first; i < count; i += crewed.step) {
      byte* const to = part(i);
      const byte* const mine = from + place(i);
      const int head = min((granule - off(to)) % granule, bytes);
      const int size = (bytes - head) / granule * granule;
#if __CUDA_ARCH__ >= 900
      if (crewed.index == 0 && size > 0) store_bulk(to + head, mine + head, size);
#else
#pragma unroll 4
      for (int at = crewed.index * granule; at < size; at += crewed.size * granule) {
        *reinterpret_cast<uint4*>(to + head + at) =
            *reinterpret_cast<const uint4*>(mine + head + at);
      }
#endif
      // Others own the rest of the granules at the ends.
      const int lane = crewed.index;
      const int at = lane < granule ? lane : head + size + lane - granule;
      if (lane < 2 * granule && (lane < granule ? at < head : at < bytes)) to[at] = mine[at];
    }
#if __CUDA_ARCH__ >= 900
    if (lane_index() == 0) {
      commit_bulk();
      await_bulk_reads<0>();
    }
#endif
  }

 private:
  /// Who moves a part: a warp, or where there is one part the block.
  struct crew {
    int first, step, index, size;
    __device__ explicit crew(int count)
        : first(count == 1 ? 0 : warp_index()),
          step(static_cast<int>(blockDim.x) / warp_size),
          index(count == 1 ? static_cast<int>(threadIdx.x) : lane_index()),
          size(count == 1 ? static_cast<int>(blockDim.x) : warp_size) {}
  };
  /// The granules of a part that are inside of what may be read.
  struct granules {
    const byte* first;
    int size, skipped;
    __device__ granules(const byte* part, int bytes, const T* begin, const T* end) {
      const byte* past = part + bytes;
      first = part - off(part);
      past += (granule - off(past)) % granule;
      skipped = 0;
      if (first < reinterpret_cast<const byte*>(begin)) {
        first += granule;
        skipped = granule;
      }
      if (past > reinterpret_cast<const byte*>(end)) past -= granule;
      size = static_cast<int>(past - first);
    }
  };
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
