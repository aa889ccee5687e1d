// The kernel for tensors of few rows of some hundred vectors: a block a row, which holds it in
// registers as the one-sequence call's single block does. So all of the row's loads are under way
// at once, and there are two barriers; a large tensor is better off in shared memory
// (row_kernel.cuh), where a thread has many vectors.
#ifndef SCAN_DEVICE_ROW_WAVE_CUH
#define SCAN_DEVICE_ROW_WAVE_CUH

#include <cstdint>

#include "scan/device/dependent_launch.cuh"
#include "scan/device/row_plan.hpp"
#include "scan/device/slice_problem.cuh"
#include "scan/device/wave_tile.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block a row, which is one tile; `Tensor` is a tensor_problem, `Shape` a row_wave_shape.
template <class Shape, class Tensor>
__global__ void __launch_bounds__(Shape::most_threads, 2)
    row_wave_kernel(const __grid_constant__ Tensor scan, int tile_vectors) {
  using row_problem = wave_problem<Shape, typename Tensor::Problem>;
  __shared__ typename wave_tile<row_problem>::shared memory;
  admit_later_kernels();
  await_earlier_kernels();
  const row_problem row(scan.sequence(blockIdx.x, 0), tile_vectors);
  const auto start = row.start();
  wave_tile<row_problem> tile(row, 0, memory);
  if (left_alone(scan)) return;
  if (threadIdx.x == 0) row.write_start(start);
  tile.store(start);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
