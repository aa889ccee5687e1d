// The kernel for inputs that fit on the chip at once: a block a tile, which it holds in registers.
#ifndef SCAN_DEVICE_WAVE_KERNEL_CUH
#define SCAN_DEVICE_WAVE_KERNEL_CUH

#include "scan/device/prefetch.cuh"
#include "scan/device/register_tile.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace scan::device {

/// Scans a tile a block. `states_memory`: see tile_states. Blocks have look_back_warps warps at
/// least.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block)
    wave_kernel(const __grid_constant__ Problem scan, void* states_memory,
                std::size_t states_bytes) {
  using T = typename Problem::T;
  using lanes = typename Problem::lanes;
  __shared__ typename register_tile<Problem>::shared tile_memory;
  __shared__ typename lanes::shared lanes_memory;
  __shared__ ticket mine;
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  tile_states<T> states(states_memory, states_bytes);
  prefetch_tiles(scan, register_tile<Problem>::tile_items());
  if (leader) mine = states.claim(gridDim.x);
  const prefix<T> start = scan.start();
  __syncthreads();
  states.enter(mine.epoch);
  if (leader && mine.tile == 0) scan.write_start(start);

  // ---- load, scan inside the tile, publish ----
  const register_tile<Problem> tile(scan, mine.tile, tile_memory);
  if (leader) states.publish(mine.tile, tile.aggregate());

  // ---- look back, apply, store ----
  lanes lookers(lanes_memory);
  running_prefix<T, typename Problem::op_type, lanes> earlier_tiles(start, scan.op);
  const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, mine.tile);
  if (leader) states.retire(gridDim.x);  // all have met since they looked
  tile.store(before);
}

}  // namespace scan::device

#endif
