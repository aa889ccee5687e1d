// The kernel for wide columns on capability 9.0 and newer: a ring of tiles, as
// column_ring_kernel.cuh has narrow ones. Persistent blocks, one a multiprocessor, whose warps have
// roles; a tile is some rows of a strip of columns, and has an aggregate a column:
//
//   load      waits for a free stage, claims a tile, has its lines copied
//   reduce    (several warps) fold the runs
//   publish   puts the runs' folds together, and publishes the tile's aggregates
//   look back (several warps, in turn) find what precedes the tile (strip_looks.cuh)
//   scan      (a warp a run) scan the runs, and store them from registers
//
// Between a claim and the publication nothing waits for another block.
#ifndef SCAN_DEVICE_TENSOR_STRIP_RING_KERNEL_CUH
#define SCAN_DEVICE_TENSOR_STRIP_RING_KERNEL_CUH

#include <cstddef>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/strip_ring.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans any number of tiles; the grid may have any number of blocks. `states_memory`: see
/// tile_states, of strip_states_bytes. The dynamic shared memory is that of the stages.
template <class Cut>
__global__ void __launch_bounds__(Cut::ring.threads_per_block(), 1)
    strip_ring_kernel(const __grid_constant__ Cut scan, void* states_memory,
                      std::size_t states_bytes, int num_stages) {
#if __CUDA_ARCH__ >= 900
  using block_type = strip_ring<Cut>;
  constexpr strip_tuning ring = Cut::ring;
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ typename block_type::shared memory;
  admit_later_kernels();
  const block_type block(scan, memory, stages, num_stages);
  block.initialise();
  await_earlier_kernels();
  if (uniform(left_alone(scan))) return;
  typename block_type::states_type states(states_memory, states_bytes);
  constexpr int load_warp = ring.scan_warps + ring.reduce_warps;
  const int warp = uniform_warp_index();
  if (warp < ring.scan_warps) {
    block.scan_tiles(warp);
  } else if (warp < load_warp) {
    block.reduce_tiles(warp - ring.scan_warps);
  } else if (warp == load_warp) {
    block.load_tiles(states);
  } else if (warp == load_warp + 1) {
    block.publish_tiles(states);
  } else {
    block.look_back_for_tiles(states, warp - (load_warp + 2));
  }
  // Who claimed knows the epoch; nobody looks any more.
  __syncthreads();
  if (threadIdx.x == load_warp * warp_size) states.retire(gridDim.x);
#endif
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
