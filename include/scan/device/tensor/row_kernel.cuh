// The kernel for many rows of a tensor: a block takes a group of tiles, of one row or of several
// short ones.
#ifndef SCAN_DEVICE_TENSOR_ROW_KERNEL_CUH
#define SCAN_DEVICE_TENSOR_ROW_KERNEL_CUH

#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/plan/row_plan.hpp"
#include "scan/device/sequence/wave_tile.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/row_tile.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a row_cut; a block a group. `states_memory`: see tile_states, or null where no
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
  std::int64_t index = blockIdx.x;
  if (scan.prefetches) row_tiles<Problem>(scan, {scan, index}, memory, arrays).prefetch();
  await_earlier_kernels();
  tile_states<T> states(states_memory, states_bytes);
  if (scan.looks_back) {
    if (uniform(left_alone(scan))) return;
    if (leader) memory.mine = states.claim(gridDim.x);
    __syncthreads();
    index = memory.mine.tile;
    states.enter(memory.mine.epoch);
  }
  const row_group group(scan, index);
  row_tiles<Problem> tiles(scan, group, memory, arrays);
  if (leader) tiles.initialise(memory.loaded);
  __syncthreads();

  // ---- load, scan inside shares, inside tiles, publish ----
  tiles.load(memory.loaded);
  if (threadIdx.x < group.count) tiles.start(static_cast<int>(threadIdx.x));
  __syncthreads();
  tiles.await_loads(memory.loaded);
  if (!scan.looks_back && uniform(left_alone(scan))) return;  // (here it costs less)
  tiles.fold_shares();
  __syncthreads();
  const int num_warps = static_cast<int>(blockDim.x) / warp_size;
  row_look_back<Problem> look_back(scan, group, memory.look_back);
  const int warp = uniform_warp_index();
  for (int tile = warp; tile < group.count; tile += num_warps) {
    const T aggregate = tiles.scan_tile(tile);
    if (!group.is_rows) look_back.put(tile, aggregate, states);
  }
  __syncthreads();

  // ---- look back ----
  if (!group.is_rows) {
    look_back.look(states, memory.before_tile[0]);
    for (int tile = warp; tile < group.count; tile += num_warps) {
      const prefix<T> before = look_back.before(tile);
      if (lane_index() == 0) memory.before_tile[tile] = before;
    }
    if (warp == 0) look_back.publish_batch(states);
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

// ---- The kernel for tensors of few rows of up to some hundred vectors: a block a row, which holds
// it in registers as the one-sequence call's single block does. So all of the row's loads are under
// way at once, and there are two barriers; a large tensor is better off in shared memory
// (row_kernel), where a thread has many vectors.

/// A block a row, which is one tile; `Tensor` is a tensor_problem, `Tuning` a row_wave_tuning.
template <class Tuning, class Tensor>
__global__ void __launch_bounds__(Tuning::most_threads, 2)
    row_wave_kernel(const __grid_constant__ Tensor scan, int tile_vectors) {
  using row_cut = wave_cut<Tuning, typename Tensor::Problem>;
  __shared__ typename wave_tile<row_cut>::shared memory;
  admit_later_kernels();
  await_earlier_kernels();
  const row_cut row(scan.sequence(blockIdx.x, 0), tile_vectors);
  const auto start = row.start();
  wave_tile<row_cut> tile(row, 0, memory);
  if (left_alone(scan)) return;
  if (threadIdx.x == 0) row.write_start(start);
  tile.store(start);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
