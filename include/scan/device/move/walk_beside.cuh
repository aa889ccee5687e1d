// Walks whose steps read, of some arrays, the element beside their own. Where a sequence's vectors
// are all in a warp's lanes, each hands one element to the next; else what is read lies one element
// off.
#ifndef SCAN_DEVICE_MOVE_WALK_BESIDE_CUH
#define SCAN_DEVICE_MOVE_WALK_BESIDE_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/operands/accumulator.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// 1, of what factors are made of. Of other elements nobody asks for it, and there may be none.
template <class T>
__device__ T one_of() {
  if constexpr (std::is_floating_point_v<T> || is_narrow_float<T>) {
    return convert<T>(1.0f);
  } else {
    alignas(T) const unsigned char nothing[sizeof(T)] = {};
    return *reinterpret_cast<const T*>(nothing);
  }
}

/// Of columns, which begin and end with elements of their own: whether there is none beside row
/// `row` of the `count` from a thread's first on, of `length` in all.
template <class Problem>
__device__ bool is_none_beside(int input, int row, int count, std::int64_t length) {
  if (Problem::beside(input) == 0) return false;
  return Problem::beside(input) < 0 ? row == 0 && count == length : row == count - 1;
}
template <class Line>
__device__ typename Line::packed ones() {
  Line line;
#pragma unroll
  for (auto& each : line.element) each = one_of<std::decay_t<decltype(each)>>();
  return line.pack();
}

/// Of vectors whose elements have been read beside their steps': 1 for the first of the sequence,
/// before which there is none. (What the last has behind it nobody asks for.)
template <class Problem, int vector_items, class Vectors>
__device__ void begin_beside(Vectors& vectors, bool is_first) {
  using in_type = typename Problem::in_type;
  using items = vector_elements<in_type, vector_items, Problem::reversed>;
#pragma unroll
  for (int i = 0; i < Problem::num_inputs; ++i) {
    if (Problem::beside(i) >= 0) continue;
    items read = items::unpack(vectors.of[i]);
    if (is_first) read[0] = one_of<in_type>();
    vectors.of[i] = read.pack();
  }
}

/// Makes of vectors that lie side by side, a lane each, what the steps of `Problem` read.
/// `is_first`, `is_last`: of their sequence. All lanes.
template <class Problem, int vector_items, class Vectors>
__device__ void meet_beside(Vectors& vectors, bool is_first, bool is_last) {
  using in_type = typename Problem::in_type;
  using items = vector_elements<in_type, vector_items, Problem::reversed>;
#pragma unroll
  for (int i = 0; i < Problem::num_inputs; ++i) {
    if (Problem::beside(i) == 0) continue;
    const items mine = items::unpack(vectors.of[i]);
    items met;
    if (Problem::beside(i) < 0) {
      const in_type handed = shuffle_up(mine[vector_items - 1], 1);
      met[0] = is_first ? one_of<in_type>() : handed;
#pragma unroll
      for (int k = 1; k < vector_items; ++k) met[k] = mine[k - 1];
    } else {
      const in_type handed = shuffle(mine[0], (lane_index() + 1) % warp_size);
      met[vector_items - 1] = is_last ? one_of<in_type>() : handed;
#pragma unroll
      for (int k = 1; k < vector_items; ++k) met[k - 1] = mine[k];
    }
    vectors.of[i] = met.pack();
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
