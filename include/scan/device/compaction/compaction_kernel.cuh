// Compaction: counts are a tile's aggregate, and what is kept goes from its prefix on.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_KERNEL_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_KERNEL_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/compaction/compaction_part.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A part's elements, loaded by its warp: by a bulk copy where there are any, which takes no
/// registers.
template <class Cut>
struct compaction_loader {
  using part = compaction_part<Cut>;
  struct alignas(granule) shared {
    typename part::slots slots;
    phase_barrier loaded;
  };
  shared& memory;
  unsigned parity = 0;

  /// One thread, before the block meets.
  __device__ void initialise() const {
#if __CUDA_ARCH__ >= 900
    memory.loaded.initialise(warp_size);
    publish_to_bulk();
#endif
  }
  __device__ void load(const part& mine) {
#if __CUDA_ARCH__ >= 900
    publish_to_bulk();  // which writes where the lanes have read
    __syncwarp();
    mine.visit_slots([&](auto& slot, const auto& from, auto* begin, auto* end) {
      if (lane_index() == 0) slot.load(from, begin, end, memory.loaded);
      if (slot.has_rest(from, begin, end)) slot.load_rest(from, begin, end);
    });
    memory.loaded.arrive();
    memory.loaded.wait(parity);
    parity ^= 1;
#else
    mine.visit_slots([&](auto& slot, const auto& from, auto* begin, auto* end) {
      slot.load_now(from, begin, end, false);
    });
#endif
  }
};

/// Moves any number of tiles; the grid may have any number of blocks, of which several share a
/// multiprocessor: while one waits for its prefix, others load and store. `states_memory`: see
/// tile_states. `Cut` is a compaction_cut.
///
/// In place: what a tile writes lies before its own end, and where it is of other tiles, their
/// prefixes are in this one's. They have been published by threads that had all their elements in
/// shared memory, by a barrier, so nobody reads what is overwritten. (Publishing orders nothing:
/// elements that went past shared memory, as in registers, would want a release there and an
/// acquire here.)
template <class Cut>
__global__ void __launch_bounds__(compaction_warps* warp_size, compaction_blocks_per_sm)
    compaction_kernel(const __grid_constant__ Cut given, void* states_memory,
                      std::size_t states_bytes) {
  using T = typename Cut::T;
  using part = compaction_part<Cut>;
  __shared__ typename compaction_loader<Cut>::shared slots[compaction_warps];
  __shared__ unsigned short places[compaction_warps][Cut::keeps_places ? Cut::num_places : 1];
  __shared__ T of_warp[compaction_warps];
  __shared__ T before_tile;
  __shared__ ticket next;

  admit_later_kernels();
  await_earlier_kernels();
  const Cut scan = given.resolved();
  const std::int64_t num_tiles = scan.num_tiles();
  tile_states<T> states(states_memory, states_bytes);
  warp_lookers<T> lookers;
  running_prefix<T, join_kept, warp_lookers<T>> earlier_tiles({T::none(), true}, {});
  const int warp = warp_index();
  const bool leader = threadIdx.x == 0;

  compaction_loader<Cut> loader{slots[warp]};
  if (lane_index() == 0) loader.initialise();
  if (leader) {
    next = states.claim(num_tiles + gridDim.x);
    if (num_tiles == 0 && next.tile == 0) scan.write_end(T::none());
  }
  __syncthreads();
  states.enter(next.epoch);
  for (;;) {
    const std::int64_t tile = next.tile;
    if (tile >= num_tiles) break;
    // ---- load, count, publish ----
    part mine(scan, slots[warp].slots, (tile * compaction_warps + warp) * scan.warp_items(),
              places[warp]);
    const typename part::asked previous = mine.ask_previous();
    loader.load(mine);
    mine.mark(previous);
    if (lane_index() == 0) of_warp[warp] = mine.fold();
    __syncthreads();
    const T up_to = warp_inclusive_scan(of_warp[lane_index() % compaction_warps], compaction_warps,
                                        join_kept{});
    const T all = shuffle(up_to, compaction_warps - 1);
    const T before_warp = warp == 0 ? T::none() : shuffle(up_to, warp - 1);
    if (leader) {
      states.publish(tile, all);
      next = states.claim(num_tiles + gridDim.x);  // which is read behind the next barrier
    }
    // ---- move together, look back, store ----
    mine.compact();
    if (warp == 0) {
      const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, tile);
      if (leader) {
        before_tile = before.value;
        if (tile == num_tiles - 1) scan.write_end(before.value.then(all));
      }
    }
    __syncthreads();
    mine.store(before_tile.then(before_warp));
  }
  if (leader) states.retire(gridDim.x);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
