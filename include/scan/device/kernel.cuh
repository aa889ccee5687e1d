// The kernels: composition of the rooms, nothing else.
#ifndef SCAN_DEVICE_KERNEL_CUH
#define SCAN_DEVICE_KERNEL_CUH

#include <cstdint>

#include "scan/device/block_scan.cuh"
#include "scan/device/tile_io.cuh"
#include "scan/device/tuning.hpp"
#include "scan/device/warp.cuh"
#include "scan/protocol/look_back.hpp"
#include "scan/protocol/tile_states.hpp"
#include "scan/scan_start.hpp"

namespace scan::device {

/// One scan, as the kernels take it. T is the accumulator.
template <class In, class Out, class T>
struct problem {
  const In* in;
  Out* out;
  std::int64_t num_items;  // > 0
  scan_start<T> start;
  bool exclusive;
  bool in_aligned;  // see vector_aligned
  bool out_aligned;

  /// Items of the tile that starts at `first`: all, or what is left.
  __device__ int valid_items(std::int64_t first, int tile_items) const {
    return num_items - first < tile_items ? static_cast<int>(num_items - first) : tile_items;
  }
};

/// What a thread keeps of a tile from its loading to its storing.
template <class In, class T, class Op, class Tuned>
struct tile_in_hand {
  static constexpr std::int64_t none = -1;
  std::int64_t first;  // index of the tile's first item, or none
  typename tile_io<In, Tuned>::share items;
  typename block_scan<T, Op, Tuned>::warp_part warp;
  prefix<T> before_warp;  // fold of the tile's items before this warp
};

/// Folds each of the thread's vectors from its exclusive prefix on, and stores the results.
/// `before`: the fold of all items before the warp's; `mostly_partial`: see tile_io.
template <bool mostly_partial, class Tuned, class In, class Out, class T, class Op>
__device__ void store_scanned(const problem<In, Out, T>& scan,
                              const tile_in_hand<In, T, Op, Tuned>& tile, const prefix<T>& before,
                              Op op, typename tile_io<Out, Tuned>::staging& stage) {
  const int num_valid = scan.valid_items(tile.first, Tuned::shape.tile_items());
#pragma unroll
  for (int row = 0; row < Tuned::shape.rows; ++row) {
    const int num_left = num_valid - tile_io<In, Tuned>::first_item(row);
    typename tile_io<Out, Tuned>::items results;
    if (num_left > 0) {
      const auto items = tile.items.unpack(row);
      prefix<T> running = join(before, tile.warp.exclusive_prefix(row), op);
#pragma unroll
      for (int i = 0; i < Tuned::shape.vector_items; ++i) {
        if (i >= num_left) break;
        const prefix<T> next = join(running, {static_cast<T>(items.item[i]), true}, op);
        const T earlier = running.exists ? running.value : scan.start.first_output;
        results.item[i] = static_cast<Out>(scan.exclusive ? earlier : next.value);
        running = next;
      }
    }
    tile_io<Out, Tuned>::template store_row<mostly_partial>(scan.out + tile.first, num_valid,
                                                            scan.out_aligned, row, results, stage);
  }
}

/// Scans any number of tiles in one pass; the grid may have any number of blocks. `states_memory`:
/// see tile_states.
///
/// A block has two tiles in hand: it publishes the aggregate of its next tile before it looks back
/// for the current one. So by the time a prefix is wanted, the aggregates before it have been out
/// for about as long as a block takes for a tile, and waiting, which floods the few cache lines
/// that everyone looks at, is rare.
template <class Tuned, class In, class Out, class T, class Op>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block, Tuned::shape.blocks_per_sm)
    look_back_kernel(const problem<In, Out, T> scan, Op op, void* states_memory,
                     std::size_t states_bytes) {
  using blocks = block_scan<T, Op, Tuned>;
  using lanes = block_lanes<T, Tuned::shape.warps_per_block()>;
  using in_hand = tile_in_hand<In, T, Op, Tuned>;
  constexpr int tile_items = Tuned::shape.tile_items();
  __shared__ typename blocks::warp_aggregates warp_aggregates;
  __shared__ typename lanes::shared lanes_memory;
  __shared__ typename tile_io<Out, Tuned>::staging stage;
  __shared__ std::int64_t next_tile;

  tile_states<T> states(states_memory, states_bytes);
  look_back<T, Op, lanes> earlier_tiles(scan.start.init, op);
  lanes block(lanes_memory);
  const bool leader = threadIdx.x == 0;
  std::int64_t claimed = 0;  // the leader's: the tile after next_tile, asked for ahead of its use

  // ---- claim ----
  if (leader) {
    next_tile = states.claim();
    claimed = states.claim();
  }
  __syncthreads();

  in_hand tile;
  tile.first = in_hand::none;
  for (;;) {
    // ---- load the next tile, scan inside it, publish its aggregate ----
    in_hand next;
    next.first = next_tile * tile_items;
    if (next.first < scan.num_items) {
      const int num_valid = scan.valid_items(next.first, tile_items);
      tile_io<In, Tuned>::template load<false>(scan.in + next.first, num_valid, scan.in_aligned,
                                               next.items);
      next.warp = blocks::scan_warp(next.items, num_valid, op);
      if (lane_index() == 0) warp_aggregates[warp_index()] = next.warp.aggregate;
      __syncthreads();
      const warps_scan<T> warps = blocks::scan_aggregates(warp_aggregates, num_valid, op);
      next.before_warp = warps.before_warp;
      if (leader) {
        states.publish(next.first / tile_items, warps.aggregate);
        next_tile = claimed;
        claimed = states.claim();
      }
      __syncthreads();
    }

    // ---- look back for the current tile, apply, store ----
    if (tile.first != in_hand::none) {
      const prefix<T> before_tile =
          earlier_tiles.exclusive_prefix(states, block, tile.first / tile_items);
      store_scanned<false>(scan, tile, join(before_tile, tile.before_warp, op), op, stage);
    }
    if (next.first >= scan.num_items) break;
    tile = next;
  }
  if (leader) states.retire(gridDim.x);
}

/// Scans a single tile: one block, no states.
template <class Tuned, class In, class Out, class T, class Op>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block)
    one_tile_kernel(const problem<In, Out, T> scan, Op op) {
  using blocks = block_scan<T, Op, Tuned>;
  __shared__ typename blocks::warp_aggregates warp_aggregates;
  __shared__ typename tile_io<Out, Tuned>::staging stage;

  tile_in_hand<In, T, Op, Tuned> tile;
  tile.first = 0;
  const int num_valid = static_cast<int>(scan.num_items);
  tile_io<In, Tuned>::template load<true>(scan.in, num_valid, scan.in_aligned, tile.items);
  tile.warp = blocks::scan_warp(tile.items, num_valid, op);
  if (lane_index() == 0) warp_aggregates[warp_index()] = tile.warp.aggregate;
  __syncthreads();
  const warps_scan<T> warps = blocks::scan_aggregates(warp_aggregates, num_valid, op);
  const prefix<T> before = join(scan.start.init, warps.before_warp, op);
  store_scanned<true>(scan, tile, before, op, stage);
}

}  // namespace scan::device

#endif
