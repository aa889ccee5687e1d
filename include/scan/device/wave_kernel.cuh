// The kernel for inputs that fit on the chip at once: a block a tile, which it holds in registers.
#ifndef SCAN_DEVICE_WAVE_KERNEL_CUH
#define SCAN_DEVICE_WAVE_KERNEL_CUH

#include "scan/device/dependent_launch.cuh"
#include "scan/device/wave_tile.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans a tile a block. `Problem` is a wave_problem; `states_memory`: see tile_states. A block has
/// as many threads as there are tiles, or the most it can.
template <class Problem>
__global__ void __launch_bounds__(Problem::most_threads)
    wave_kernel(const __grid_constant__ Problem scan, void* states_memory,
                std::size_t states_bytes) {
  using T = typename Problem::T;
  using lanes = typename Problem::lanes;
  __shared__ typename wave_tile<Problem>::shared tile_memory;
  __shared__ typename lanes::shared lanes_memory;
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
  lanes lookers(lanes_memory);
  running_prefix<T, typename Problem::op_type, lanes> earlier_tiles(start, scan.op);
  const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, mine.tile);
  if (leader) states.retire(gridDim.x);  // all have met since they looked
  tile.store(before);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
