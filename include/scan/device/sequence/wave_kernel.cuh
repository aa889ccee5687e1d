// The kernel for inputs that fit on the chip at once: a block a tile, which it holds in registers.
#ifndef SCAN_DEVICE_SEQUENCE_WAVE_KERNEL_CUH
#define SCAN_DEVICE_SEQUENCE_WAVE_KERNEL_CUH

#include "scan/device/fold/cluster_folds.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/sequence/wave_tile.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans a tile a block. `Problem` is a wave_cut; `states_memory`: see tile_states. A block has
/// as many threads as there are tiles, or the most it can.
template <class Problem>
__global__ void __launch_bounds__(Problem::most_threads)
    wave_kernel(const __grid_constant__ Problem scan, void* states_memory,
                std::size_t states_bytes) {
  using T = typename Problem::T;
  using lookers = typename Problem::lookers;
  __shared__ typename wave_tile<Problem>::shared tile_memory;
  __shared__ typename lookers::shared lookers_memory;
  __shared__ ticket mine;
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  admit_later_kernels();
  await_earlier_kernels();
  tile_states<T> states(states_memory, states_bytes);
  if (leader) mine = states.claim(gridDim.x);
  const prefix<T> start = scan.start();
  __syncthreads();
  states.enter(mine.epoch);
  if (leader && mine.tile == 0) scan.write_start(start);

  // ---- load, scan inside the tile, publish ----
  wave_tile<Problem> tile(scan, static_cast<int>(mine.tile), tile_memory);
  if (leader) states.publish(mine.tile, tile.aggregate());

  // ---- look back, apply, store ----
  lookers block(lookers_memory);
  running_prefix<T, typename Problem::op_type, lookers> earlier_tiles(start, scan.op);
  const prefix<T> before = earlier_tiles.exclusive_prefix(states, block, mine.tile);
  if (leader) states.retire(gridDim.x);  // all have met since they looked
  tile.store(before);
}

// ---- The kernel for small inputs: one block, or one cluster of blocks, which run at once.

/// Scans a tile a block; the grid is one cluster. `Problem` is a wave_cut.
template <class Problem>
__global__ void __launch_bounds__(Problem::most_threads)
    cluster_kernel(const __grid_constant__ Problem scan) {
  using T = typename Problem::T;
  __shared__ typename wave_tile<Problem>::shared tile_memory;
  __shared__ cluster_folds<T> earlier_blocks;
  const bool alone = gridDim.x == 1, first = threadIdx.x == 0 && blockIdx.x == 0;
  admit_later_kernels();
  if (!alone) earlier_blocks.begin();
  await_earlier_kernels();

  const prefix<T> start = scan.start();
  if (first) scan.write_start(start);
  if (scan.num_items == 0) {
    if (first) scan.write_end(start);
    return;
  }
  wave_tile<Problem> tile(scan, static_cast<int>(blockIdx.x), tile_memory);
  tile.store(alone ? start
                   : join(start, earlier_blocks.exchange(tile.aggregate(), scan.op), scan.op));
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
