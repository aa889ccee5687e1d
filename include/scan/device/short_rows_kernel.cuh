// The kernel for tensors of short rows: tiles of whole rows, so nobody waits for another block.
#ifndef SCAN_DEVICE_SHORT_ROWS_KERNEL_CUH
#define SCAN_DEVICE_SHORT_ROWS_KERNEL_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/dependent_launch.cuh"
#include "scan/device/device_limits.hpp"
#include "scan/device/enqueue.cuh"
#include "scan/device/prepared.cuh"
#include "scan/device/short_rows_tile.cuh"
#include "scan/device/slice_problem.cuh"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a short_rows_problem; block i scans tile `first_tile` + i.
template <class Problem>
__global__ void __launch_bounds__(Problem::num_threads, Problem::blocks_per_sm)
    short_rows_kernel(const __grid_constant__ Problem scan, std::int64_t first_tile) {
  __shared__ typename short_rows_tile<Problem>::shared memory;
  admit_later_kernels();
  await_earlier_kernels();
  short_rows_tile<Problem> rows(scan, first_tile + blockIdx.x, memory);
  rows.load();
  __syncthreads();
  if (left_alone(scan)) return;  // (before the loads it would cost small tensors 0.3 us)
  rows.scan();
  __syncthreads();
  rows.store();
}

/// Whether a tensor has short rows, of at most as many elements as a warp's vectors.
template <class Tensor>
bool has_short_rows(const Tensor& scan) {
  return scan.shape.inner == 1 && scan.shape.length > 0 &&
         scan.shape.length <= warp_size * short_rows_problem<Tensor>::vector_items;
}

/// Scans the rows of a tensor that has_short_rows.
template <class Tensor>
status launch_short_rows(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                         const device_limits& limits) noexcept {
  using rows = short_rows_problem<Tensor>;
  const rows tiled(scan, opts.complete, limits.sm_count);
  constexpr std::int64_t most_blocks = INT32_MAX;  // of a grid
  for (std::int64_t first = 0; first < tiled.num_tiles; first += most_blocks) {
    grid blocks{std::min(tiled.num_tiles - first, most_blocks), rows::num_threads};
    blocks.overlaps = is_compiled_for_90<short_rows_kernel<rows>>(limits);
    const status launched = enqueue(short_rows_kernel<rows>, blocks, opts.stream, tiled, first);
    if (!launched.ok()) return launched;
  }
  return {};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
