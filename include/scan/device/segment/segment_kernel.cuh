// The kernel of segmented scans that holds tiles in registers, for inputs of any size: of few tiles
// a block has one, or the blocks are a cluster.
//
// A block is warps that hold its tile and one, the last, that does what waits for others: it claims
// tiles and looks back. All warps wait at every barrier, and those that hold a tile at the same
// lines, so that synccheck and racecheck can follow who has met whom.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_KERNEL_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_KERNEL_CUH

#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/segment/segment_persistent.cuh"
#include "scan/device/segment/segment_round.cuh"
#include "scan/device/sequence/wave_kernel.cuh"
#include "scan/device/sequence/wave_tile.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block has of a segmented scan. `Problem` is a segment_persistent.
template <class Problem>
struct segment_block {
  using T = typename Problem::T;
  using heads_type = tile_heads<Problem>;
  struct shared {
    typename wave_tile<Problem>::shared tile;
    typename heads_type::shared heads;
    cluster_aggregates<T> earlier_blocks;
    // Of this turn and the next:
    shared_array<prefix<T>, 2> before_tile;
    ticket tickets[2];
  };

  const Problem& scan;
  shared& memory;
  bool one_round;   // a ticket a block, whatever there is
  bool in_cluster;  // the grid is one, or one block

  // All threads meet here. (Barriers of their own: the last warp meets the others at other lines.)
  __device__ static named_barrier<2> prefix_is_in() { return {static_cast<int>(blockDim.x)}; }
  __device__ static named_barrier<3> turn_begins() { return {static_cast<int>(blockDim.x)}; }

  /// The last warp. `drawn`: its first lane's first ticket.
  __device__ void look_back(tile_states<T>& states, ticket drawn) const {
    const bool claims = lane_index() == 0;
    warp_lookers<T> lookers;
    running_prefix<T, typename Problem::op_type, warp_lookers<T>> earlier_tiles(scan.start(),
                                                                                scan.op);
    for (int turn = 0;; turn ^= 1) {
      if (claims) memory.tickets[turn] = drawn;
      turn_begins().meet();
      const ticket mine = memory.tickets[turn];
      states.enter(mine.epoch);
      if (mine.tile >= scan.num_tiles) break;
      // The tile after this one, asked for while this one is loaded.
      if (claims && !one_round) drawn = states.claim(scan.num_tiles + gridDim.x);
      const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, mine.tile);
      if (claims) memory.before_tile[turn] = before;
      prefix_is_in().meet();
      if (one_round) break;
    }
    if (claims) states.retire(gridDim.x);
  }

  /// The other warps.
  __device__ void scan_tiles(tile_states<T>& states, heads_type& heads) const {
    for (int turn = 0;; turn ^= 1) {
      ticket mine{blockIdx.x, 0};
      if (!in_cluster) {
        turn_begins().meet();
        mine = memory.tickets[turn];
      }
      if (mine.tile >= scan.num_tiles) break;
      wave_tile<Problem> tile(scan, mine.tile, memory.tile, typename Problem::vectors(heads));
      prefix<T> before{};
      if (in_cluster) {
        if (gridDim.x > 1) before = memory.earlier_blocks.exchange(tile.aggregate(), scan.op);
      } else if (threadIdx.x == 0) {
        states.enter(mine.epoch);
        states.publish(mine.tile, tile.aggregate());
      }
      if (!in_cluster) {
        prefix_is_in().meet();
        before = memory.before_tile[turn];
      }
      tile.store(before);
      if (one_round) break;
    }
  }
};

/// `states_memory`: see tile_states; null where the grid is one cluster, or one block.
template <class Problem>
__global__ void __launch_bounds__(Problem::most_threads + warp_size)
    segment_kernel(const __grid_constant__ Problem scan, void* states_memory,
                   std::size_t states_bytes) {
  using T = typename Problem::T;
  using block_type = segment_block<Problem>;
  __shared__ typename block_type::shared memory;
  alignas(Problem) __shared__ unsigned char resolved[sizeof(Problem)];
  typename block_type::heads_type heads(memory.heads);
  const bool in_cluster = states_memory == nullptr, one_round = scan.num_tiles <= gridDim.x;
  const bool holds = warp_index() < static_cast<int>(Problem::num_holders()) / warp_size;
  tile_states<T> states(states_memory, states_bytes);

  admit_later_kernels();
  if (in_cluster && gridDim.x > 1) memory.earlier_blocks.begin();
  if (holds) heads.clear();
  await_earlier_kernels();
  const auto ends = scan.offset_ends();
  if (!holds) {
    ticket drawn{};
    if (lane_index() == 0 && !in_cluster && one_round) drawn = states.claim(gridDim.x);
    const Problem here = scan.resolved(ends);
    if (!in_cluster) {
      if (lane_index() == 0 && !one_round) drawn = states.claim(here.num_tiles + gridDim.x);
      block_type{here, memory, one_round, in_cluster}.look_back(states, drawn);
    } else if (gridDim.x > 1) {
      memory.earlier_blocks.exchange({{}, 1}, here.op);  // is met by all
    }
  } else {
    heads.sample(scan.boundaries());
    // (In shared memory, because registers are short.)
    if (threadIdx.x == 0)
      memcpy(resolved, &static_cast<const Problem&>(scan.resolved(ends)), sizeof(Problem));
    Problem::meet();
    const Problem& here = *reinterpret_cast<const Problem*>(resolved);
    block_type{here, memory, one_round, in_cluster}.scan_tiles(states, heads);
    if (in_cluster && gridDim.x > 1 && blockIdx.x >= here.num_tiles) {
      memory.earlier_blocks.exchange({{}, 1}, here.op);
    }
    if constexpr (Problem::has_values) {
      if (here.total != nullptr) here.write_empty_totals(here.boundaries(), Problem::num_holders());
    }
  }
}

// ---- The kernel of segmented scans of one round: a block a tile, which it holds in registers; the
// blocks of few tiles are a cluster.
//
// It is lean: what takes a few microseconds pays for every line of code that comes cold. So there
// are no inits a segment, no second tile, places take 32 bits, and totals are made of results when
// these are in memory.

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
    heads.write_totals(here, index);
    return;
  }

  // ---- load, mark, scan inside the tile ----
  wave_tile<Problem> tile(here, index, tile_memory, typename Problem::vectors(heads));

  // ---- what is before the tile: nothing, all of it in the halo, or what others say ----
  if (in_cluster) {
    const bool alone = gridDim.x == 1;
    tile.store(alone ? prefix<T>{} : earlier_blocks.exchange(tile.aggregate(), here.op));
    heads.write_totals(here, index);
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
      using lookers = warp_lookers<T, few_warp_batches>;
      lookers warp;
      running_prefix<T, typename Problem::op_type, lookers> earlier_tiles(here.start(), here.op);
      before = earlier_tiles.exclusive_prefix(states, warp, index);
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
  heads.write_totals(here, index);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
