// The kernel for inputs that fit on the chip at once: a block a tile, which it holds in registers
// from its one load to its one store. A single tile needs no other block, and so neither ticket nor
// states.
#ifndef SCAN_DEVICE_WAVE_KERNEL_CUH
#define SCAN_DEVICE_WAVE_KERNEL_CUH

#include "scan/device/kernel.cuh"
#include "scan/device/warp_lanes.cuh"

namespace scan::device {

/// Scans one tile a block, or nothing with one block. Blocks may have any whole number of warps up
/// to the shape's; a tile is what their threads hold. `states_memory`: see tile_states; null with a
/// single block.
template <class Tuned, class Scan>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block)
    wave_kernel(const __grid_constant__ Scan scan, void* states_memory, std::size_t states_bytes) {
  using T = typename Scan::T;
  __shared__ typename Scan::blocks::warp_aggregates warp_aggregates;
  __shared__ typename Scan::io_out::staging stage;
  __shared__ shared_array<prefix<T>, 1> before_block;
  __shared__ ticket mine;
  const bool leader = threadIdx.x == 0, alone = gridDim.x == 1;

  // ---- claim ----
  tile_states<T> states(states_memory, states_bytes);
  if (leader) mine = alone ? ticket{} : states.claim(gridDim.x);
  const prefix<T> start = scan.start();
  __syncthreads();
  const std::int64_t tile = mine.tile;
  states.join(mine.epoch);
  if (leader && tile == 0) scan.write_start(start);

  // ---- load, scan inside the tile ----
  const int tile_items = static_cast<int>(blockDim.x) / warp_size * Scan::blocks::warp_items;
  const std::int64_t first = tile * tile_items, left = scan.num_items - first;
  const int num_valid = left < tile_items ? static_cast<int>(left) : tile_items;
  if (num_valid <= 0) {  // n == 0
    if (leader) scan.write_end(start);
    return;
  }
  typename Scan::io_in::share share;
  Scan::io_in::template load<true>(scan.input(first), num_valid, scan.in_aligned, share);
  const auto warp = Scan::blocks::scan_warp(share, num_valid, scan.taking(), scan.op);
  if (lane_index() == 0) warp_aggregates[warp_index()] = warp.aggregate;
  __syncthreads();
  const warps_scan<T> warps = Scan::blocks::scan_aggregates(warp_aggregates, num_valid, scan.op);

  // ---- publish, look back ----
  prefix<T> before_tile = start;
  if (!alone) {
    if (warp_index() == 0) {
      if (leader) states.publish(tile, warps.aggregate);
      warp_lanes<T> lanes;
      look_back<T, typename Scan::op_type, warp_lanes<T>> earlier_tiles(start, scan.op);
      before_tile = earlier_tiles.exclusive_prefix(states, lanes, tile);
      if (leader) before_block[0] = before_tile;
    }
    __syncthreads();
    before_tile = before_block[0];
    if (leader) states.retire(gridDim.x);
  }

  // ---- apply, store ----
  const auto before_vector = [&](int row) { return warp.before[row]; };
  store_scanned<true>(scan, first, num_valid, share, before_vector,
                      join(before_tile, warps.before_warp, scan.op), stage);
}

}  // namespace scan::device

#endif
