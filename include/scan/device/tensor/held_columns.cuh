// Tiles of columns whose threads hold their rows in registers, from memory and back to it without
// shared memory in between: where a strip is one tile, of several groups. The cut, the groups and
// their folds are those of column_kernel, and so are the bits.
#ifndef SCAN_DEVICE_TENSOR_HELD_COLUMNS_CUH
#define SCAN_DEVICE_TENSOR_HELD_COLUMNS_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/items.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/tensor/column_cut.cuh"
#include "scan/device/tensor/column_prefix.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A thread's rows of one column. `Problem` is a column_cut.
template <class Problem>
class held_rows {
 public:
  using T = typename Problem::T;
  using in_type = typename Problem::in_type;
  static constexpr int num_inputs = Problem::num_inputs;
  static constexpr int most_rows = Problem::tuned.group_rows;

  /// Asks for the rows of `part`, if it has any; without, nothing else is called.
  __device__ held_rows(const Problem& scan, const column_place& at, const column_part& part)
      : scan_(scan), count_(part.count) {
    const std::int64_t row = scan.backwards ? scan.shape.length - 1 - part.first : part.first;
    const std::int64_t slab = at.slab + part.slab;
    const std::int64_t first = row * scan.shape.inner + at.column + part.column;
    step_ = scan.backwards ? -scan.shape.inner : scan.shape.inner;
    to_ = scan.out.data + slab * scan.shape.out_pitch + first;
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      const in_type* from = scan.input(k) + slab * scan.shape.in_pitch + first;
#pragma unroll
      for (int i = 0; i < most_rows; ++i) {
        if (i < count_) rows_[k][i] = *from;
        from += step_;
        asm("" : "+l"(from));  // (else the compiler keeps all rows' distances in registers)
      }
    }
  }

  /// `is_first`: see run_of.
  __device__ T fold(bool is_first) const {
    auto op = scan_.op;
    T value = run_of<T>(take(0), is_first);
#pragma unroll
    for (int i = 1; i < most_rows; ++i) {
      if (i < count_) value = op(value, take(i));
    }
    return value;
  }
  /// Stores the results; returns the fold of `before` and the rows.
  __device__ prefix<T> scan(prefix<T> before) {
#pragma unroll
    for (int i = 0; i < most_rows; ++i) {
      if (i < count_) *to_ = scan_item(scan_, item(i), before);
      to_ += step_;
      asm("" : "+l"(to_));
    }
    return before;
  }

 private:
  __device__ item_of<Problem> item(int i) const {
    item_of<Problem> of{};
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) of.elements[k] = rows_[k][i];
    return of;
  }
  __device__ auto take(int i) const { return device::take(scan_, item(i)); }

  const Problem& scan_;
  const int count_;
  std::int64_t step_;
  typename Problem::out_type* to_;
  in_type rows_[num_inputs][most_rows];
};

/// A tile a block; `Problem` is a column_cut whose strips are one tile of several groups.
template <class Problem>
__global__ void __launch_bounds__(Problem::threads)
    held_column_kernel(const __grid_constant__ Problem scan) {
  using T = typename Problem::T;
  __shared__ shared_array<T, Problem::threads> folds, other_folds;
  admit_later_kernels();
  const column_place at = scan.place(blockIdx.x);
  const column_part part = scan.part(at, static_cast<int>(threadIdx.x));
  const bool is_first = part.first == 0 && !scan.has_init();
  await_earlier_kernels();
  held_rows<Problem> rows(scan, at, part);
  T fold;
  if (part.count > 0) fold = rows.fold(is_first);
  scan_groups(scan, part, fold, folds, other_folds);
  if (part.count == 0) return;
  const auto sequence = scan.sequence_of(at, part);
  prefix<T> before = sequence.start();
  if (part.first == 0) sequence.write_start(before);
  before = join(before, groups_before(scan, part, folds), scan.op);
  const prefix<T> end = rows.scan(before);
  if (part.first + part.count == at.rows) sequence.write_end(end);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
