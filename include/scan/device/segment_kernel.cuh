// The kernel of segmented scans that holds tiles in registers, for inputs of any size: of few tiles
// a block has one, or the blocks are a cluster.
//
// A block is warps that hold its tile and one, the last, that does what waits for others: it claims
// tiles and looks back. All warps wait at every barrier, and those that hold a tile at the same
// lines, so that synccheck and racecheck can follow who has met whom.
#ifndef SCAN_DEVICE_SEGMENT_KERNEL_CUH
#define SCAN_DEVICE_SEGMENT_KERNEL_CUH

#include "scan/device/cluster_kernel.cuh"
#include "scan/device/dependent_launch.cuh"
#include "scan/device/named_barrier.cuh"
#include "scan/device/segment_wave.cuh"
#include "scan/device/warp_lanes.cuh"
#include "scan/device/wave_tile.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block's share of a segmented scan. `Problem` is a segment_wave.
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
    warp_lanes<T> lanes;
    running_prefix<T, typename Problem::op_type, warp_lanes<T>> earlier_tiles(scan.start(),
                                                                              scan.op);
    for (int turn = 0;; turn ^= 1) {
      if (claims) memory.tickets[turn] = drawn;
      turn_begins().meet();
      const ticket mine = memory.tickets[turn];
      states.enter(mine.epoch);
      if (mine.tile >= scan.num_tiles) break;
      // The tile after this one, asked for while this one is loaded.
      if (claims && !one_round) drawn = states.claim(scan.num_tiles + gridDim.x);
      const prefix<T> before = earlier_tiles.exclusive_prefix(states, lanes, mine.tile);
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
  __shared__ alignas(Problem) unsigned char resolved[sizeof(Problem)];
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
    if constexpr (Problem::has_values) here.write_empty_totals();
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
