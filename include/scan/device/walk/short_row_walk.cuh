// Short rows of whole vectors, each of which a part of a warp has at once: a lane a vector. There
// is nothing to walk, and no other thread to meet.
#ifndef SCAN_DEVICE_WALK_SHORT_ROW_WALK_CUH
#define SCAN_DEVICE_WALK_SHORT_ROW_WALK_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/walk_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Rows of at most 32 vectors, all of them whole and at multiples of their size; `Tensor` is a
/// tensor_problem.
template <class Tensor>
struct short_row_walk_cut : Tensor {
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int element_bytes = static_cast<int>(
      std::max({sizeof(in_type), sizeof(out_type), sizeof(typename Tensor::value_type)}));
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int num_threads = 256;
  /// Rows of a lane, whose loads are under way together.
  static constexpr int rows_at_once = short_walk_rows(Tensor::num_inputs, sizeof(T));

  int row_vectors;
  int warp_rows;  // beside each other

  explicit short_row_walk_cut(const Tensor& scan)
      : Tensor(scan),
        row_vectors(static_cast<int>(scan.shape.length / vector_items)),
        warp_rows(warp_size / row_vectors) {}

  std::int64_t num_blocks() const {
    const int rows = warp_rows * rows_at_once * (num_threads / warp_size);
    return (this->shape.outer - 1) / rows + 1;
  }
};

/// What a lane does for a row. `Cut` is a short_row_walk_cut.
template <class Cut>
class short_row_walk {
 public:
  using T = typename Cut::T;
  using vectors = walk_vectors<Cut, Cut::vector_items>;

  /// Asks for vector `place` of row `row`, or nothing where there is none.
  __device__ void fetch(const Cut& scan, std::int64_t row, int place) {
    row_ = row;
    if (!exists(scan)) return;
    const auto mine = scan.sequence(row, 0);
#pragma unroll
    for (int i = 0; i < Cut::num_inputs; ++i) {
      items_.of[i] = *reinterpret_cast<const typename vectors::in_vector*>(
          vector_at(scan, mine.input(i), place));
      items_.of[i].keep_packed();
    }
  }

  /// Scans and stores it. All lanes.
  __device__ void finish(const Cut& scan, int place) {
    const auto mine = scan.sequence(row_, 0);
    const bool is_there = exists(scan);
    const prefix<T> start = is_there ? mine.start() : prefix<T>{};
    T scanned = vectors_.fold(scan, items_, is_there, place == 0 && !start.exists);
    for (int delta = 1; delta < scan.row_vectors; delta *= 2) {
      const T earlier = shuffle_up(scanned, delta);
      if (is_there && place >= delta) scanned = scan.op(earlier, scanned);
    }
    const T before = shuffle_up(scanned, 1);
    if (!is_there) return;
    typename vectors::out_vector results;
    const prefix<T> end =
        vectors_.scan(scan, items_, join(start, {before, place > 0}, scan.op), results);
    *reinterpret_cast<typename vectors::out_vector*>(vector_at(scan, mine.out.data, place)) =
        results;
    if (place == 0) mine.write_start(start);
    if (place == scan.row_vectors - 1) mine.write_end(end);
  }

 private:
  __device__ bool exists(const Cut& scan) const { return row_ < scan.shape.outer; }
  template <class Element>
  __device__ static Element* vector_at(const Cut& scan, Element* data, int place) {
    const int vector = Cut::reversed ? scan.row_vectors - 1 - place : place;
    return data + vector * Cut::vector_items;
  }

  std::int64_t row_;
  vectors vectors_;
  typename vectors::vectors items_;
};

/// `Cut` is a short_row_walk_cut.
template <class Cut>
__global__ void __launch_bounds__(Cut::num_threads)
    short_row_walk_kernel(const __grid_constant__ Cut scan) {
  constexpr int rows_at_once = Cut::rows_at_once;
  admit_later_kernels();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  const int beside = lane_index() / scan.row_vectors;
  const int place = lane_index() - beside * scan.row_vectors;
  const std::int64_t warp =
      std::int64_t{blockIdx.x} * (Cut::num_threads / warp_size) + warp_index();
  const std::int64_t first = warp * rows_at_once * scan.warp_rows + beside;
  const auto row = [&](int i) {
    return beside < scan.warp_rows ? first + i * scan.warp_rows : scan.shape.outer;
  };
  short_row_walk<Cut> rows[rows_at_once];
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) rows[i].fetch(scan, row(i), place);
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) rows[i].finish(scan, place);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
