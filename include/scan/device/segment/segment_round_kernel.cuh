// The kernel of segmented scans in one round, whose blocks hold a tile each in registers; those of
// few tiles are a cluster.
//
// It is lean: what takes a few microseconds pays for every line of code that comes cold. So it
// knows no second tile, its places take 32 bits, and there are two of it: one knows no inits a
// segment, and its totals are made of results when these are in memory; the other keeps a value an
// item, and has recurrences.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_ROUND_KERNEL_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_ROUND_KERNEL_CUH

#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/segment/segment_tiles.cuh"
#include "scan/device/sequence/wave_kernel.cuh"
#include "scan/device/sequence/wave_tile.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block has of a segmented scan. `Problem` is a segment_tiles.
template <class Problem>
struct segment_round_block {
  using T = typename Problem::T;
  using heads_type = typename Problem::heads_type;
  using lookers = warp_lookers<T, few_warp_batches>;
  using earlier_tiles = running_prefix<T, typename Problem::op_type, lookers>;
  struct shared {
    typename wave_tile<Problem>::shared tile;
    typename heads_type::shared heads;
    cluster_folds<T> earlier_blocks;
    shared_array<prefix<T>, 1> before_tile;
    ticket mine;
  };

  const Problem& scan;
  shared& memory;
  heads_type& heads;
  tile_states<T>& states;
  earlier_tiles& earlier;  // the first warp's
  bool in_cluster;         // the grid is one, or one block

  /// Tile `number`, which there is. All threads.
  __device__ void scan_tile(int number) const {
    wave_tile<Problem> tile(scan, number, memory.tile, typename Problem::vectors(heads));

    // ---- what is before the tile: nothing, all of it in the halo, or what others say ----
    if (in_cluster) {
      const bool alone = gridDim.x == 1;
      tile.store(alone ? prefix<T>{} : memory.earlier_blocks.exchange(tile.aggregate(), scan.op));
      return;
    }
    const bool leader = threadIdx.x == 0;
    prefix<T> before{};
    bool asks = true;
    if (scan.halo_warps > 0) {
      before = tile.halo(number);
      asks = !before.exists && !heads.is_marked(scan.halo_warps * wave_tile<Problem>::warp_items);
    }
    if (leader) states.publish(number, tile.aggregate());
    const named_barrier<1> prefix_is_in{static_cast<int>(blockDim.x)};
    const bool stores_first = !asks || tile.absorbs();
    if (asks && uniform_warp_index() == 0) {
      before = look_back(number);
      if (leader) memory.before_tile[0] = before;
    }
    if (leader) states.retire(gridDim.x);
    if (!stores_first) {
      prefix_is_in.meet();
      before = memory.before_tile[0];
    }
    tile.store(before);
    if (asks && stores_first) prefix_is_in.meet();
  }

 private:
  /// The first warp.
  __device__ prefix<T> look_back(int number) const {
    const bool is_alone =
        scan.halo_warps == 0 && heads.begin(number * scan.tile_vectors < scan.whole_vectors);
    if (is_alone) return {};
    lookers warp;
    return earlier.exclusive_prefix(states, warp, number);
  }
};

/// A tile a block. `states_memory`: see tile_states; null where the grid is one cluster, or one
/// block.
template <class Problem>
__global__ void __launch_bounds__(Problem::most_threads)
    segment_round_kernel(const __grid_constant__ Problem scan, void* states_memory,
                         std::size_t states_bytes) {
  using block_type = segment_round_block<Problem>;
  using T = typename Problem::T;
  __shared__ typename block_type::shared memory;
  static_assert(sizeof(memory) <= 48 * 1024);  // what is granted unasked
  const bool in_cluster = states_memory == nullptr, leader = threadIdx.x == 0;
  typename Problem::heads_type heads(memory.heads);
  tile_states<T> states(states_memory, states_bytes);

  // ---- claim; offsets are on their way meanwhile ----
  admit_later_kernels();
  if (in_cluster && gridDim.x > 1) memory.earlier_blocks.begin();
  heads.clear();
  scan.prefetch();
  await_earlier_kernels();
  const auto ends = scan.ends();
  if (has_offsets(scan.heads)) heads.sample(scan.boundaries(), scan.sample_step);
  if (leader) memory.mine = in_cluster ? ticket{blockIdx.x, 0} : states.claim(gridDim.x);
  const Problem here = scan.resolved(ends);
  __syncthreads();

  // ---- its tile, if there are as many as might be ----
  typename block_type::earlier_tiles earlier(here.start(), here.op);
  const block_type block{here, memory, heads, states, earlier, in_cluster};
  const auto number = static_cast<int>(memory.mine.tile);
  states.enter(memory.mine.epoch);
  // (The other way round it spills: bench/NOTES.md, "Segments without a ring".)
  if (uniform(number * here.tile_vectors >= here.num_vectors())) {
    if (in_cluster && gridDim.x > 1) memory.earlier_blocks.exchange({{}, 1}, here.op);
    if (!in_cluster && leader) states.retire(gridDim.x);
  } else {
    block.scan_tile(number);
    heads.write_totals(here, number);
  }
  if constexpr (Problem::has_totals) {
    if (here.total != nullptr) here.write_empty_totals(here.boundaries(), blockDim.x);
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
