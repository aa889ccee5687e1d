// The kernel for inputs that fit on the chip at once: a block a tile, which it holds in registers.
#ifndef SCAN_DEVICE_WAVE_KERNEL_CUH
#define SCAN_DEVICE_WAVE_KERNEL_CUH

#include "scan/device/prefetch.cuh"
#include "scan/device/register_tile.cuh"

namespace scan::device {

/// Scans a tile a block. `states_memory`: see tile_states. Blocks have look_back_warps warps at
/// least.
template <class Tuned, class Scan>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block)
    wave_kernel(const __grid_constant__ Scan scan, void* states_memory, std::size_t states_bytes) {
  using T = typename Scan::T;
  using lanes = typename Scan::lanes;
  __shared__ typename register_tile<Scan>::shared tile_memory;
  __shared__ typename lanes::shared lanes_memory;
  __shared__ shared_array<prefix<T>, 1> before_tile;
  __shared__ ticket mine;
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  tile_states<T> states(states_memory, states_bytes);
  prefetch_tiles(scan, register_tile<Scan>::tile_items());
  if (leader) mine = states.claim(gridDim.x);
  const prefix<T> start = scan.start();
  __syncthreads();
  states.join(mine.epoch);
  if (leader && mine.tile == 0) scan.write_start(start);

  // ---- load, scan inside the tile, publish ----
  const register_tile<Scan> tile(scan, mine.tile, tile_memory);
  if (leader) states.publish(mine.tile, tile.aggregate());

  // ---- look back ----
  if (warp_index() < look_back_warps) {
    lanes lookers(lanes_memory);
    look_back<T, typename Scan::op_type, lanes> earlier_tiles(start, scan.op);
    const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, mine.tile);
    if (leader) before_tile[0] = before;
  }
  __syncthreads();
  if (leader) states.retire(gridDim.x);

  // ---- apply, store ----
  tile.store(before_tile[0]);
}

}  // namespace scan::device

#endif
