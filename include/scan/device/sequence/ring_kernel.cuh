// The kernel for large inputs on capability 9.0 and newer: persistent blocks, one a multiprocessor,
// that keep a ring of tiles in shared memory. Warps have roles, each of which does one thing for
// one tile after another:
//
//   load      waits for a free stage of the ring, claims a tile, starts its bulk copies
//   reduce    (several warps) fold the tile's chunks as soon as they are there
//   publish   puts the chunks' folds together and publishes the tile's aggregate
//   look back finds the prefix of the tile
//   scan      (a warp a chunk) scan the chunks and start the bulk copies of the results, or store
//             results that were kept in another width than the items themselves
//
// So between a claim and the publication nothing waits for another block: a tile's aggregate is out
// as soon as memory delivers the tile. Where it had to wait for the prefix of an earlier tile of
// the same block, blocks would wait for blocks in long chains.
#ifndef SCAN_DEVICE_SEQUENCE_RING_KERNEL_CUH
#define SCAN_DEVICE_SEQUENCE_RING_KERNEL_CUH

#include <cstddef>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/sequence/ring_block.cuh"
#include "scan/device/slice/slice_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans any number of tiles; the grid may have any number of blocks. `states_memory`: see
/// tile_states. `num_stages`: of the ring; the dynamic shared memory is ring_block::required_bytes.
template <class Problem>
__global__ void __launch_bounds__(Problem::threads_per_block(), 1)
    ring_kernel(const __grid_constant__ Problem scan, void* states_memory, std::size_t states_bytes,
                int num_stages) {
#if __CUDA_ARCH__ >= 900
  using block_type = ring_block<Problem>;
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ typename block_type::shared memory;
  auto* const ring = reinterpret_cast<ring_stage<Problem>*>(stages);
  admit_later_kernels();
  block_type{scan, memory, ring, num_stages}.initialise();
  if constexpr (!is_loaded_early<Problem>) {
    await_earlier_kernels();
    if (uniform(left_alone(scan))) return;
  }
  constexpr int scan_warps = Problem::ring.scan_warps, reduce_warps = Problem::ring.reduce_warps;
  constexpr int last_warps = scan_warps + reduce_warps;
  const int warp = uniform_warp_index();
  // What does not depend on where the items begin is asked for before that is.
  scan.ask_for_heads(block_type{scan, memory, ring, num_stages}.heads(), warp - last_warps - 3);
  if constexpr (!Problem::has_rows) prefetch_tiles(scan, Problem::tile_items);
  const auto& here = scan.resolved();
  const int apart = block_type::stage_type::chunks_apart(here);
  const block_type block{here, memory, ring, num_stages, apart};
  tile_states<typename Problem::T> states(states_memory, states_bytes);
  if (warp < scan_warps) {
    block.scan_tiles(warp);
  } else if (warp < last_warps) {
    block.reduce_tiles(warp - scan_warps);
  } else if (warp == last_warps) {
    block.load_tiles(states);
  } else if (warp == last_warps + 1) {
    block.publish_tiles(states);
  } else if (warp == last_warps + 2) {
    block.look_back_for_tiles(states);
  } else {
    here.find_heads(block, block.heads(), warp - last_warps - 3);
  }
  // Who claimed knows the epoch; nobody looks any more.
  __syncthreads();
  if (threadIdx.x == last_warps * warp_size) states.retire(gridDim.x);
#endif
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
