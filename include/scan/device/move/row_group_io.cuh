// Moves a group of tiles of rows between global and shared memory, where the rows, or a row's
// tiles, follow each other as far off granules of 16 bytes as they are in global memory.
#ifndef SCAN_DEVICE_MOVE_ROW_GROUP_IO_CUH
#define SCAN_DEVICE_MOVE_ROW_GROUP_IO_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/tensor/row_cut.cuh"

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

// ---- A group of tiles of rows in shared memory: where everything is, and its way there and back.

/// `Problem` is a row_cut.
template <class Problem>
class row_arrays {
 public:
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  using byte = unsigned char;
  static constexpr int vector_items = Problem::vector_items, num_inputs = Problem::num_inputs;
  static constexpr int run = Problem::run;

  /// Shared memory of one array of a group: all runs, a part of a granule at both ends of each
  /// part, and room around because vectors that exist in part are read whole.
  SCAN_HOST_DEVICE static constexpr int array_bytes(int num_threads, std::size_t vector_bytes) {
    return (num_threads * run * static_cast<int>(vector_bytes) + 127) / 128 * 128 +
           32 * Problem::most_tiles + 256;
  }
  SCAN_HOST_DEVICE static constexpr int in_bytes(int num_threads) {
    return array_bytes(num_threads, sizeof(in_type) * vector_items);
  }
  SCAN_HOST_DEVICE static constexpr int required_bytes(int num_threads) {
    return num_inputs * in_bytes(num_threads) +
           (Problem::one_place ? 0 : array_bytes(num_threads, sizeof(out_type) * vector_items));
  }

  __device__ row_arrays(const Problem& scan, const row_group& group, byte* arrays)
      : scan_(scan), group_(group), arrays_(arrays) {}

  /// All threads: starts loading.
  __device__ void load(phase_barrier& loaded) const {
    const std::int64_t span = (scan_.shape.outer - 1) * scan_.shape.in_pitch + scan_.shape.length;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const in_type* const array = scan_.input(which);
      byte* const to = input(which);
      if (Problem::one_place && !scan_.alike) {
        load_elements(array, to);
      } else {
        parts_of(array, scan_.shape.in_pitch, scan_.in_dense).load(to, array, array + span, loaded);
      }
    }
  }
  /// All threads.
  __device__ void store() const {
    parts_of(scan_.out.data, scan_.shape.out_pitch, scan_.out_dense).store(output());
  }

 protected:
  __device__ std::int64_t tile_items() const {
    return std::int64_t{scan_.tile_vectors} * vector_items;
  }
  /// Room before each array's first part, see array_bytes.
  static constexpr int room = 128;
  __device__ byte* input(int which) const {
    return arrays_ + which * in_bytes(static_cast<int>(blockDim.x)) + room;
  }
  __device__ byte* output() const {
    return Problem::one_place
               ? input(0)
               : arrays_ + num_inputs * in_bytes(static_cast<int>(blockDim.x)) + room;
  }

  /// Items of the group that follow each other without gaps, and how often.
  __device__ std::int64_t group_items() const {
    if (group_.is_rows) return scan_.shape.length;
    const std::int64_t left = scan_.shape.length - group_.first_tile * tile_items();
    const std::int64_t most = group_.count * tile_items();
    return left < most ? left : most;
  }
  template <class U>
  __device__ auto parts_of(U* data, std::int64_t pitch, bool dense) const {
    constexpr int size = static_cast<int>(sizeof(U));
    using V = std::remove_const_t<U>;
    group_parts<V> parts;
    U* first = data + group_.first_row * pitch;
    const int items = static_cast<int>(group_items());
    if (!group_.is_rows) {
      first += Problem::reversed ? scan_.shape.length - group_.first_tile * tile_items() - items
                                 : group_.first_tile * tile_items();
    }
    parts.first = reinterpret_cast<byte*>(const_cast<V*>(first));
    parts.pitch = pitch * size;
    parts.count = group_.is_rows && !dense ? group_.count : 1;
    parts.bytes = (group_.is_rows && dense ? group_.count * items : items) * size;
    parts.slot = (items * size + 15) / 16 * 16 + 16;
    return parts;
  }
  /// Where in shared memory a tile begins, or ends.
  template <class Parts>
  __device__ int place_of(const Parts& parts, bool dense, std::size_t size, int tile) const {
    const int bytes = static_cast<int>(size);
    if (group_.is_rows) {
      const int row_bytes = static_cast<int>(scan_.shape.length) * bytes;
      const int begin = dense ? parts.place(0) + tile * row_bytes : parts.place(tile);
      return Problem::reversed ? begin + row_bytes : begin;
    }
    const int before = static_cast<int>(tile * tile_items()) * bytes;
    return Problem::reversed ? parts.place(0) + parts.bytes - before : parts.place(0) + before;
  }
  /// Where results will be: items are not as far off granules as these.
  __device__ void load_elements(const in_type* array, byte* to) const {
    const auto parts = parts_of(scan_.out.data, scan_.shape.out_pitch, scan_.out_dense);
    const auto from = parts_of(array, scan_.shape.in_pitch, scan_.in_dense);
    const int items = static_cast<int>(group_items()),
              rows_here = group_.is_rows ? group_.count : 1;
    for (int row = 0; row < rows_here; ++row) {
      const in_type* const begin =
          reinterpret_cast<const in_type*>(from.first) + row * scan_.shape.in_pitch;
      const int place = scan_.out_dense
                            ? parts.place(0) + row * items * static_cast<int>(sizeof(in_type))
                            : parts.place(row);
      in_type* const mine = reinterpret_cast<in_type*>(to + place);
#pragma unroll 4
      for (int i = static_cast<int>(threadIdx.x); i < items; i += static_cast<int>(blockDim.x)) {
        mine[i] = begin[i];
      }
    }
  }

  const Problem& scan_;
  row_group group_;
  byte* arrays_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
