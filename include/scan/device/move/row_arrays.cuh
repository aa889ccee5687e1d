// Moves parts of rows between global and shared memory, where the rows, or a row's tiles,
// follow each other as far off granules of 16 bytes as they are in global memory.
#ifndef SCAN_DEVICE_MOVE_ROW_ARRAYS_CUH
#define SCAN_DEVICE_MOVE_ROW_ARRAYS_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/group_parts.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether items and results of each row are as far off granules.
template <class Tensor>
bool rows_are_alike(const Tensor& scan) noexcept {
  const auto off = [&](const auto* data) {
    return (reinterpret_cast<std::uintptr_t>(data) -
            reinterpret_cast<std::uintptr_t>(scan.out.data)) %
           granule;
  };
  bool alike = true;
  for (int which = 0; which < Tensor::num_inputs; ++which) {
    alike = alike && off(scan.input(which)) == 0;
  }
  const std::int64_t pitches = (scan.shape.in_pitch - scan.shape.out_pitch) *
                               static_cast<std::int64_t>(sizeof(typename Tensor::in_type));
  return alike && (scan.shape.outer < 2 || pitches % granule == 0);
}

/// Whether every row of every array begins and ends at a granule.
template <class Tensor>
bool rows_are_whole(const Tensor& scan) noexcept {
  const auto lie = [&](const auto* data, std::int64_t pitch) {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(*data));
    return reinterpret_cast<std::uintptr_t>(data) % granule == 0 &&
           scan.shape.length * bytes % granule == 0 &&
           (scan.shape.outer < 2 || pitch * bytes % granule == 0);
  };
  bool whole = lie(scan.out.data, scan.shape.out_pitch);
  for (int which = 0; which < Tensor::num_inputs; ++which) {
    whole = whole && lie(scan.input(which), scan.shape.in_pitch);
  }
  return whole;
}

/// Where a thread's run begins: the part's tile, and which of its vectors.
struct run_place {
  int tile, first;
};

// ---- A part in shared memory: where everything is, and its way there and back.

/// `Problem` is a row_cut, `Part` a row_group.
template <class Problem, class Part>
class row_arrays {
 public:
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  using byte = unsigned char;
  static constexpr int vector_items = Problem::vector_items, num_inputs = Problem::num_inputs;
  static constexpr int run = Problem::run;

  /// Shared memory of one array of a part: all runs, a part of a granule at both ends of each row,
  /// and room around because vectors that exist in part are read whole.
  SCAN_HOST_DEVICE static constexpr int array_bytes(int num_threads, std::size_t vector_bytes) {
    return (num_threads * run * static_cast<int>(vector_bytes) + 127) / 128 * 128 +
           32 * Problem::most_rows + 256;
  }
  SCAN_HOST_DEVICE static constexpr int in_bytes(int num_threads) {
    return array_bytes(num_threads, sizeof(in_type) * vector_items);
  }
  SCAN_HOST_DEVICE static constexpr int required_bytes(int num_threads) {
    return num_inputs * in_bytes(num_threads) +
           (Problem::one_place ? 0 : array_bytes(num_threads, sizeof(out_type) * vector_items));
  }

  __device__ row_arrays(const Problem& scan, const Part& part, byte* arrays)
      : scan_(scan), part_(part), arrays_(arrays) {}

  /// All threads: asks the L2 for a part that is one row's.
  __device__ void prefetch() const {
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const auto parts = parts_of(scan_.input(which), scan_.shape.in_pitch, true);
      prefetch_bytes(parts.first, parts.bytes, static_cast<int>(threadIdx.x),
                     static_cast<int>(blockDim.x));
    }
  }
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

  /// Items of the part that are one row's.
  __device__ std::int64_t row_items() const {
    if (part_.is_rows) return scan_.shape.length;
    const std::int64_t left = scan_.shape.length - part_.first_tile * tile_items();
    const std::int64_t most = part_.count * tile_items();
    return left < most ? left : most;
  }
  template <class U>
  __device__ auto parts_of(U* data, std::int64_t pitch, bool dense) const {
    constexpr int size = static_cast<int>(sizeof(U));
    using V = std::remove_const_t<U>;
    group_parts<V> parts;
    U* first = data + part_.first_row * pitch;
    const int items = static_cast<int>(row_items());
    if (!part_.is_rows) {
      first += Problem::reversed ? scan_.shape.length - part_.first_tile * tile_items() - items
                                 : part_.first_tile * tile_items();
    }
    parts.first = reinterpret_cast<byte*>(const_cast<V*>(first));
    parts.pitch = pitch * size;
    parts.count = dense ? 1 : part_.rows;
    parts.bytes = (dense ? part_.rows : 1) * items * size;
    parts.slot = (items * size + 15) / 16 * 16 + 16;
    return parts;
  }
  /// Where in shared memory a tile begins, or ends.
  template <class Parts>
  __device__ int place_of(const Parts& parts, bool dense, std::size_t size, int tile) const {
    const int bytes = static_cast<int>(size), row = part_.row_of(tile);
    const int row_bytes = static_cast<int>(row_items()) * bytes;
    const int begin = dense ? parts.place(0) + row * row_bytes : parts.place(row);
    const int before =
        static_cast<int>((part_.tile_of(tile) - part_.first_tile) * tile_items()) * bytes;
    return Problem::reversed ? begin + row_bytes - before : begin + before;
  }
  /// Where results will be: items are not as far off granules as these.
  __device__ void load_elements(const in_type* array, byte* to) const {
    const auto parts = parts_of(scan_.out.data, scan_.shape.out_pitch, scan_.out_dense);
    const auto from = parts_of(array, scan_.shape.in_pitch, scan_.in_dense);
    const int items = static_cast<int>(row_items());
    for (int row = 0; row < part_.rows; ++row) {
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
  Part part_;
  byte* arrays_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
