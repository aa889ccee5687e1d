// The look-back kernel: composition of the rooms, nothing else.
#ifndef SCAN_DEVICE_LOOK_BACK_KERNEL_CUH
#define SCAN_DEVICE_LOOK_BACK_KERNEL_CUH

#include <cstdint>

#include "scan/device/block_scan.cuh"
#include "scan/device/dependent_launch.cuh"
#include "scan/device/prefetch.cuh"
#include "scan/device/register_problem.cuh"
#include "scan/device/slice_problem.cuh"
#include "scan/device/tile_store.cuh"
#include "scan/device/warp.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block keeps of a tile from its loading to its storing, besides the items in registers; in
/// shared memory, because registers are short.
template <class Problem>
struct tile_note {
  static constexpr std::int64_t none = -1;
  std::int64_t first;  // number of the tile's first item, or none
  /// Fold of the tile's items before each warp; its own warp's business.
  shared_array<prefix<typename Problem::T>, Problem::num_warps> before_warp;
};

/// Each thread's warp_part::before of one tile, in shared memory for the same reason.
template <class Problem>
struct before_vectors {
  static constexpr int threads = Problem::num_warps * warp_size;
  shared_array<typename Problem::T, Problem::rows * threads> values;

  __device__ void keep(const typename Problem::blocks::warp_part& warp) {
#pragma unroll
    for (int row = 0; row < Problem::rows; ++row)
      values[row * threads + threadIdx.x] = warp.before[row];
  }
  __device__ const typename Problem::T& operator()(int row) {
    return values[row * threads + threadIdx.x];
  }
};

/// Scans any number of tiles in one pass; the grid may have any number of blocks. `states_memory`:
/// see tile_states.
///
/// A block has two tiles in hand: it publishes the aggregate of its next tile before it looks back
/// for the current one. So by the time a prefix is wanted, the aggregates before it have been out
/// for about as long as a block takes for a tile, and waiting, which floods the few cache lines
/// that everyone looks at, is rare.
/// `Problem` is a register_problem.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block, Tuned::shape.blocks_per_sm)
    look_back_kernel(const __grid_constant__ Problem scan, void* states_memory,
                     std::size_t states_bytes) {
  using T = typename Problem::T;
  using lanes = typename Problem::lanes;
  __shared__ typename Problem::blocks::warp_aggregates warp_aggregates;
  __shared__ typename lanes::shared lanes_memory;
  __shared__ typename Problem::staging stage;
  __shared__ tile_note<Problem> notes[2];
  __shared__ before_vectors<Problem> before;
  __shared__ ticket next_tile;

  admit_later_kernels();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  tile_states<T> states(states_memory, states_bytes);
  const prefix<T> start = scan.start();
  running_prefix<T, typename Problem::op_type, lanes> earlier_tiles(start, scan.op);
  lanes block(lanes_memory);
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  prefetch_tiles(scan, Problem::tile_items);
  if (leader) {
    next_tile = states.claim(scan.num_draws);
    if (next_tile.tile == 0) scan.write_start(start);
    notes[1].first = notes[1].none;
  }
  __syncthreads();
  states.enter(next_tile.epoch);

  typename Problem::io_in::share share;
  for (int round = 0;; round ^= 1) {
    // ---- load the next tile, scan inside it, publish its aggregate ----
    const std::int64_t first = next_tile.tile * Problem::tile_items;
    const bool more = first < scan.num_items;
    typename Problem::io_in::share next;
    typename Problem::blocks::warp_part warp;
    if (more) {
      const int num_valid = scan.valid_items(first);
      Problem::io_in::template load<false>(scan.input(first), num_valid, scan.in_aligned, next,
                                           stage);
      // The tile after the next, asked for while the loads are under way.
      const ticket claimed = leader ? states.claim(scan.num_draws) : ticket{};
      warp = Problem::blocks::scan_warp(next, num_valid, scan);
      if (lane_index() == 0) warp_aggregates[warp_index()] = warp.aggregate;
      __syncthreads();
      const warps_scan<T> warps =
          Problem::blocks::scan_aggregates(warp_aggregates, num_valid, scan.op);
      if (lane_index() == 0) notes[round].before_warp[warp_index()] = warps.before_warp;
      if (leader) {
        notes[round].first = first;
        states.publish(first / Problem::tile_items, warps.aggregate);
        next_tile = claimed;
      }
      __syncthreads();
    }

    // ---- look back for the current tile, apply, store ----
    tile_note<Problem>& current = notes[round ^ 1];
    if (current.first != current.none) {
      const prefix<T> before_tile =
          earlier_tiles.exclusive_prefix(states, block, current.first / Problem::tile_items);
      store_scanned<false>(scan, current.first, scan.valid_items(current.first), share, before,
                           join(before_tile, current.before_warp[warp_index()], scan.op), stage);
    }
    if (!more) break;
    share = next;
    before.keep(warp);
  }
  if (leader) states.retire(gridDim.x);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
