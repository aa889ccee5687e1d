// Compactions whose tiles are in registers, or in shared memory where runs are folded: of few
// elements on every GPU, and of any number where there is no ring.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_KERNEL_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_KERNEL_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/compaction/compaction_tile.cuh"
#include "scan/device/compaction/folding_tile.cuh"
#include "scan/device/fold/block_scan.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/sequence/wave_kernel.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class Cut>
using tile_of =
    std::conditional_t<Cut::Results::has_folds, folding_tile<Cut>, compaction_tile<Cut>>;

/// Moves any number of tiles; the grid may have any number of blocks. `states_memory`: see
/// tile_states. `Cut` is a compaction_tiles; blocks have as many threads as there are tiles, or the
/// most they can.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks.per_sm)
    compaction_kernel(const __grid_constant__ Cut given, void* states_memory,
                      std::size_t states_bytes) {
  using T = typename Cut::T;
  using tile_fold = typename Cut::tile_fold;
  using lookers = block_lookers<tile_fold, Cut::blocks.most_warps>;
  __shared__ typename tile_of<Cut>::shared tile_memory;
  __shared__ typename lookers::shared lookers_memory;
  static_assert(sizeof(tile_memory) + sizeof(lookers_memory) + 256 <= 48 * 1024);
  __shared__ ticket next;

  admit_later_kernels();
  await_earlier_kernels();
  Cut scan = given;
  scan.count_items();
  const std::int64_t num_tiles = scan.num_tiles(), num_draws = num_tiles + gridDim.x;
  const bool leader = threadIdx.x == 0;
  tile_states<tile_fold> states(states_memory, states_bytes);
  lookers block(lookers_memory);
  const auto join = scan.join();
  running_prefix<T, std::decay_t<decltype(join)>, lookers, tile_fold> earlier_tiles(
      {T::none(), true}, join);
  if (leader) {
    next = states.claim(num_draws);
    if (num_tiles == 0 && next.tile == 0) scan.write_end(T::none());
  }
  __syncthreads();
  states.enter(next.epoch);
  while (next.tile < num_tiles) {
    const std::int64_t tile = next.tile;
    // ---- load, count, publish ----
    tile_of<Cut> mine(scan, tile, tile_memory);
    __syncthreads();
    const tile_fold all = mine.total();
    if (leader) {
      if (scan.in_place) states.order_elements();
      states.publish(tile, all);
      next = states.claim(num_draws);  // (whose aggregate follows: nobody before it waits for it)
    }
    // ---- look back, store ----
    const T before = earlier_tiles.exclusive_prefix(states, block, tile).value;
    if (scan.in_place) {
      states.order_elements();
      __syncthreads();  // most threads have looked at nothing
    }
    if (leader && tile == num_tiles - 1) scan.write_end(join(before, all));
    mine.store(before);
    __syncthreads();
  }
  if (leader) states.retire(gridDim.x);
}

/// Moves a tile a block; the grid is one block, or one cluster of them, which needs neither tickets
/// nor states. In place, too: the cluster's barriers order what blocks read before what others
/// write.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads)
    compaction_cluster_kernel(const __grid_constant__ Cut given) {
  using T = typename Cut::T;
  using tile_fold = typename Cut::tile_fold;
  __shared__ typename tile_of<Cut>::shared tile_memory;
  __shared__ cluster_folds<tile_fold> earlier_blocks;
  static_assert(sizeof(tile_memory) + sizeof(earlier_blocks) + 256 <= 48 * 1024);
  const bool alone = gridDim.x == 1;
  admit_later_kernels();
  if (!alone) earlier_blocks.begin();
  await_earlier_kernels();
  Cut scan = given;
  scan.count_items();
  tile_of<Cut> mine(scan, blockIdx.x, tile_memory);
  __syncthreads();
  const tile_fold all = mine.total();
  const auto join = scan.join();
  prefix<tile_fold> earlier{};
  if (!alone) earlier = earlier_blocks.exchange(all, join);
  const T before = earlier.exists ? static_cast<T>(earlier.value) : T::none();
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) scan.write_end(join(before, all));
  mine.store(before);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
