// Lines of some columns beside each other, of which a lane has one a row.
#ifndef SCAN_DEVICE_MOVE_WALK_LINES_CUH
#define SCAN_DEVICE_MOVE_WALK_LINES_CUH

#include <cstdint>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// More than one column lies at a multiple of its size: see columns_lie_together.
template <int lane_columns>
struct walk_lines {
  /// Whether a line may go as a word: it fills that, and lies at multiples of its size.
  template <class Line, class Element>
  static constexpr bool goes_as_word = lane_columns > 1 ||
                                       (sizeof(typename Line::packed) == sizeof(Element) &&
                                        alignof(typename Line::packed) <= alignof(Element));
  template <class Line, class Element>
  __device__ static typename Line::packed load(const Element* from) {
    if constexpr (goes_as_word<Line, Element>) {
      return *reinterpret_cast<const typename Line::packed*>(from);
    } else {
      return Line{{*from}}.pack();
    }
  }
  template <class Line, class Element>
  __device__ static void store(Element* to, const Line& from) {
    if constexpr (goes_as_word<Line, Element>) {
      *reinterpret_cast<typename Line::packed*>(to) = from.pack();
    } else {
      *to = from.element[0];
    }
  }
};

/// From row to row of an array in global memory. (Else the compiler keeps the distances of all
/// rows of a run in registers; which is why it has to be told what it has seen before.)
template <class Element>
__device__ void step_row(Element*& at, std::int64_t row) {
  at += row;
  asm("" : "+l"(at));
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  __builtin_assume(__isGlobal(at));
#endif
}

/// Where a row of a line is, of each array; from row to row.
template <class Element, int count>
struct line_rows {
  Element* at[count];

  /// `columns` from the first line on.
  __device__ line_rows(Element* const (&first)[count], int columns) {
#pragma unroll
    for (int i = 0; i < count; ++i) at[i] = first[i] + columns;
  }
  __device__ void step(std::int64_t row) {
#pragma unroll
    for (int i = 0; i < count; ++i) step_row(at[i], row);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
