// The kernel for many rows of a tensor: a block takes a group of tiles, of one row or of several
// short ones.
#ifndef SCAN_DEVICE_ROW_KERNEL_CUH
#define SCAN_DEVICE_ROW_KERNEL_CUH

#include "scan/device/dependent_launch.cuh"
#include "scan/device/row_tile.cuh"
#include "scan/device/slice_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a row_problem; a block a group. `states_memory`: see tile_states, or null where no
/// row has several groups. Dynamic shared memory: row_tiles::required_bytes of the block's threads.
template <class Problem>
__global__ void __launch_bounds__(Problem::most_threads)
    row_kernel(const __grid_constant__ Problem scan, void* states_memory,
               std::size_t states_bytes) {
  using T = typename Problem::T;
  __shared__ typename row_tiles<Problem>::shared memory;
  extern __shared__ __align__(128) unsigned char arrays[];
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  admit_later_kernels();
  await_earlier_kernels();
  tile_states<T> states(states_memory, states_bytes);
  std::int64_t index = blockIdx.x;
  if (scan.looks_back) {
    if (left_alone(scan)) return;
    if (leader) memory.mine = states.claim(gridDim.x);
    __syncthreads();
    index = memory.mine.tile;
    states.enter(memory.mine.epoch);
  }
  const row_group group(scan, index);
  row_tiles<Problem> tiles(scan, group, memory, arrays);
  if (leader) tiles.initialise();
  __syncthreads();

  // ---- load, scan inside shares, inside tiles, publish ----
  tiles.load(memory.loaded);
  if (threadIdx.x < group.count) tiles.start(static_cast<int>(threadIdx.x));
  __syncthreads();
  tiles.await_loads();
  if (!scan.looks_back && left_alone(scan)) return;  // (here it costs less)
  tiles.fold_shares();
  __syncthreads();
  const int num_warps = static_cast<int>(blockDim.x) / warp_size;
  row_look_back<Problem> look_back(scan, group, memory.look_back);
  for (int tile = warp_index(); tile < group.count; tile += num_warps) {
    const T aggregate = tiles.scan_tile(tile);
    if (!group.is_rows) look_back.put(tile, aggregate, states);
  }
  __syncthreads();

  // ---- look back ----
  if (!group.is_rows) {
    look_back.look(states, memory.before_tile[0]);
    for (int tile = warp_index(); tile < group.count; tile += num_warps) {
      const prefix<T> before = look_back.before(tile);
      if (lane_index() == 0) memory.before_tile[tile] = before;
    }
    if (warp_index() == 0) look_back.publish_batch(states);
    __syncthreads();
    if (scan.looks_back && leader) states.retire(gridDim.x);
  }

  // ---- apply, store ----
  tiles.find_starts();
  tiles.apply();
  tiles.publish_results();
  __syncthreads();
  tiles.store();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
