// The kernel of segmented scans of one round: a block a tile, which it holds in registers; the
// blocks of few tiles are a cluster.
//
// It is lean: what takes a few microseconds pays for every line of code that comes cold. So there
// are no values a segment, no second tile, and places take 32 bits.
#ifndef SCAN_DEVICE_SEGMENT_ROUND_KERNEL_CUH
#define SCAN_DEVICE_SEGMENT_ROUND_KERNEL_CUH

#include "scan/device/cluster_kernel.cuh"
#include "scan/device/dependent_launch.cuh"
#include "scan/device/named_barrier.cuh"
#include "scan/device/segment_round.cuh"
#include "scan/device/warp_lanes.cuh"
#include "scan/device/wave_tile.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans a tile a block. `Problem` is a segment_round; `states_memory`: see tile_states; null where
/// the grid is one cluster, or one block.
template <class Problem>
__global__ void __launch_bounds__(Problem::most_threads)
    segment_round_kernel(const __grid_constant__ Problem scan, void* states_memory,
                         std::size_t states_bytes) {
  using T = typename Problem::T;
  using heads_type = typename Problem::heads_type;
  __shared__ typename wave_tile<Problem>::shared tile_memory;
  __shared__ typename heads_type::shared heads_memory;
  __shared__ cluster_aggregates<T> earlier_blocks;
  __shared__ shared_array<prefix<T>, 1> before_tile;
  __shared__ ticket mine;
  const bool in_cluster = states_memory == nullptr, leader = threadIdx.x == 0;
  heads_type heads(heads_memory);
  tile_states<T> states(states_memory, states_bytes);

  // ---- claim; offsets are on their way meanwhile ----
  admit_later_kernels();
  if (in_cluster && gridDim.x > 1) earlier_blocks.begin();
  heads.clear();
  scan.prefetch();
  await_earlier_kernels();
  const item_range ends = scan.offset_ends();
  if (has_offsets(scan.heads)) heads.sample(scan.boundaries(), scan.sample_step);
  if (leader) mine = in_cluster ? ticket{blockIdx.x, 0} : states.claim(gridDim.x);
  const Problem here = scan.resolved(ends);
  __syncthreads();
  const int index = static_cast<int>(mine.tile);
  states.enter(mine.epoch);
  if (index * here.tile_vectors >= here.num_vectors()) {  // there are fewer items than might be
    if (in_cluster && gridDim.x > 1) earlier_blocks.exchange({{}, 1}, here.op);
    if (!in_cluster && leader) states.retire(gridDim.x);
    return;
  }

  // ---- load, mark, scan inside the tile ----
  wave_tile<Problem> tile(here, index, tile_memory, typename Problem::vectors(heads));

  // ---- what is before the tile: nothing, all of it in the halo, or what others say ----
  if (in_cluster) {
    const bool alone = gridDim.x == 1;
    tile.store(alone ? prefix<T>{} : earlier_blocks.exchange(tile.aggregate(), here.op));
    return;
  }
  prefix<T> before{};
  bool asks = true;
  if (here.halo_warps > 0) {
    before = tile.halo(index);
    asks = !before.exists && !heads.is_marked(here.halo_warps * wave_tile<Problem>::warp_items);
  }
  if (leader) states.publish(index, tile.aggregate());
  const named_barrier<1> prefix_is_in{static_cast<int>(blockDim.x)};
  const bool stores_first = !asks || tile.absorbs();
  if (asks && warp_index() == 0) {
    const bool is_alone =
        here.halo_warps == 0 && heads.begin(index * here.tile_vectors < here.whole_vectors);
    if (!is_alone) {
      using lookers = warp_lanes<T, 2>;
      lookers lanes;
      running_prefix<T, typename Problem::op_type, lookers> earlier_tiles(here.start(), here.op);
      before = earlier_tiles.exclusive_prefix(states, lanes, index);
    }
    if (leader) before_tile[0] = before;
  }
  if (leader) states.retire(gridDim.x);
  if (!stores_first) {
    prefix_is_in.meet();
    before = before_tile[0];
  }
  tile.store(before);
  if (asks && stores_first) prefix_is_in.meet();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
