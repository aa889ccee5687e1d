// The small kernels of a scan across GPUs: what a rank tells the others, and what it makes of what
// they tell.
#ifndef SCAN_DEVICE_SLICE_SLICE_KERNELS_CUH
#define SCAN_DEVICE_SLICE_SLICE_KERNELS_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/slice/slice_message.hpp"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/protocol/refusal_note.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Folds of a slice's shares, put together as the scan does. `Order` has a slice_order `order`.
template <class Order, class Problem>
struct share_folds {
  using T = typename Problem::T;
  static constexpr slice_order order = Order::order;
  const Problem& scan;
  const T* shares;

  __device__ std::int64_t num_shares() const {
    return batches_of(scan.num_items, order.share_items());
  }
  __device__ std::int64_t num_tiles() const {
    return batches_of(scan.num_items, order.tile_items());
  }

  /// A(tile), by one lane.
  __device__ T tile(std::int64_t tile) const {
    constexpr int warps = order.tile_warps;
    const std::int64_t first = tile * warps, left = num_shares() - first;
    const int num_valid = left < warps ? static_cast<int>(left) : warps;
    auto op = scan.op;
    T fold[std::size_t{warps}];
#pragma unroll
    for (int i = 0; i < warps; ++i) fold[i] = shares[first + (i < num_valid ? i : 0)];
#pragma unroll
    for (int delta = 1; delta < warps; delta *= 2) {
#pragma unroll
      for (int i = warps - 1; i >= delta; --i) {
        if (i < num_valid) fold[i] = op(fold[i - delta], fold[i]);
      }
    }
    T result = fold[0];
#pragma unroll
    for (int i = 1; i < warps; ++i) {
      if (i == num_valid - 1) result = fold[i];
    }
    return result;
  }
  /// H of up to 32 tiles from `first` on, `num_valid` of which there are: more than 0. A warp.
  __device__ T tiles(std::int64_t first, int num_valid) const {
    const T mine = tile(first + min(lane_index(), num_valid - 1));
    return shuffle(warp_inclusive_scan(mine, num_valid, scan.op), num_valid - 1);
  }

  /// F of the `count` > 0 tiles from `first` on, with which a batch begins; a warp.
  __device__ T part_of_batch(std::int64_t first, std::int64_t count) const {
    const int num_groups = static_cast<int>(batches_of(count, warp_size));
    T mine = tiles(first, static_cast<int>(min(count, std::int64_t{warp_size})));
    for (int group = 1; group < num_groups; ++group) {
      const std::int64_t before = std::int64_t{group} * warp_size;
      const T folded =
          tiles(first + before, static_cast<int>(min(count - before, std::int64_t{warp_size})));
      if (lane_index() == group) mine = folded;
    }
    return shuffle(warp_inclusive_scan(mine, num_groups, scan.op), num_groups - 1);
  }

  /// The parts of slice_ends of a slice that is not empty, which take a trip to memory each: warp
  /// `part` of three.
  template <class Ends>
  __device__ void write_ends(Ends& ends, int part) const {
    const std::int64_t tile = num_tiles() - 1, share = num_shares() - 1;
    if (part == 0) write(ends.before_tile, tiles_of_batch_before(tile));
    if (part == 1) {
      const std::int64_t first = tile * order.tile_warps;
      const int earlier = static_cast<int>(share - first);
      const T warp = shares[first + min(lane_index(), max(earlier, 1) - 1)];
      const T scanned = warp_inclusive_scan(warp, earlier, scan.op);
      write(ends.before_warp, {shuffle(scanned, max(earlier, 1) - 1), earlier > 0});
    }
    if (part == 2) write_last_run(ends, share * order.share_items());
  }

 private:
  __device__ static void write(prefix<T>& to, const prefix<T>& from) {
    if (lane_index() == 0) to = from;
  }

  /// F of the tiles before `tile` in its batch.
  __device__ prefix<T> tiles_of_batch_before(std::int64_t tile) const {
    const std::int64_t first = tile / order.batch_tiles * order.batch_tiles;
    if (tile == first) return {T{}, false};
    return {part_of_batch(first, tile - first), true};
  }

  __device__ typename Problem::T item(std::int64_t i) const {
    return scan.take(scan.in.data[Problem::reversed ? scan.num_items - 1 - i : i]);
  }
  /// The rows of the last share, from item `first` on, but its last run; and that run's items.
  template <class Ends>
  __device__ void write_last_run(Ends& ends, std::int64_t first) const {
    constexpr int run_items = order.run_items;
    constexpr int at_once = run_items < 28 ? run_items : 28;  // loads of a trip to memory
    auto op = scan.op;
    prefix<T> before{};
    for (;; first += order.stripe_items()) {
      const std::int64_t left = scan.num_items - first;
      const int num_valid =
          left < order.stripe_items() ? static_cast<int>(left) : order.stripe_items();
      const int num_lanes = (num_valid + run_items - 1) / run_items;
      const int begin = lane_index() * run_items, end = min(begin + run_items, num_valid);
      T folded;
      for (int part = begin; part < end; part += at_once) {
        T some[std::size_t{at_once}];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (part + i < end) some[i] = item(first + part + i);
        }
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (part + i < end) folded = part + i == begin ? some[i] : op(folded, some[i]);
        }
      }
      const T scanned = warp_inclusive_scan(folded, num_lanes, scan.op);
      const bool is_last = left <= order.stripe_items();
      const int earlier = is_last ? num_lanes - 1 : num_lanes;
      before = join(before, {shuffle(scanned, max(earlier, 1) - 1), earlier > 0}, scan.op);
      if (!is_last) continue;
      const int last_run = (num_lanes - 1) * run_items;
      for (int i = lane_index(); last_run + i < num_valid; i += warp_size) {
        ends.items[i] = item(first + last_run + i);
      }
      if (lane_index() == 0) ends.num_items = num_valid - last_run;
      break;
    }
    write(ends.before_run, before);
  }
};

/// Makes a rank's message: warps the folds of batches, and the last block all the rest. Of an empty
/// slice there is that block alone.
inline constexpr int message_warps = 8;
template <class Order, class Problem>
__global__ void __launch_bounds__(message_warps* warp_size)
    write_message(const __grid_constant__ Problem scan, const typename Problem::T* shares,
                  unsigned char* message, slice_header header) {
  using T = typename Problem::T;
  constexpr slice_order order = Order::order;
  constexpr bool alone = order.batch_tiles == warp_size;  // a warp folds a batch; else a block
  static_assert(alone || order.batch_tiles == message_warps * warp_size);
  __shared__ shared_array<T, message_warps> groups;
  admit_later_kernels();
  await_earlier_kernels();
  const slice_message<T, order.run_items> to{message};
  const share_folds<Order, Problem> folds{scan, shares};
  if (blockIdx.x == gridDim.x - 1) {
    if (warp_index() < 3 && scan.num_items > 0) folds.write_ends(to.ends(), warp_index());
    if (warp_index() != 3) return;
    const prefix<T> init = scan.start();
    if (lane_index() == 0) {
      header.has_init = init.exists ? 1 : 0;
      to.header() = header;
      if (init.exists) to.ends().init = init.value;
    }
    return;
  }
  const std::int64_t group = std::int64_t{blockIdx.x} * message_warps + warp_index();
  const std::int64_t left = folds.num_tiles() - group * warp_size;
  if (left > 0) {
    const int num_valid = left < warp_size ? static_cast<int>(left) : warp_size;
    const T folded = folds.tiles(group * warp_size, num_valid);
    if (lane_index() == 0) (alone ? to.folds()[group] : groups[warp_index()]) = folded;
  }
  if (alone) return;
  __syncthreads();
  const std::int64_t tiles_left = folds.num_tiles() - std::int64_t{blockIdx.x} * order.batch_tiles;
  const int num_groups =
      static_cast<int>(batches_of(min(tiles_left, std::int64_t{order.batch_tiles}), warp_size));
  const T fold = scan_warp_aggregates(groups, num_groups, scan.op).aggregate;
  if (threadIdx.x == 0) to.folds()[blockIdx.x] = fold;
}

/// Whether this rank scans, and from what on; a warp. `place`: of this rank in the scan's order.
template <class Sequence, class Op, class T>
__global__ void __launch_bounds__(warp_size)
    find_start(const __grid_constant__ Sequence slices, int place, const __grid_constant__ Op op,
               slice_start<T>* start, slice_refusal* noted) {
  await_earlier_kernels();
  admit_later_kernels();  // not before: the ring reads the slice while this kernel runs
  __shared__ folding_room<T> room;
  const folding_warp lanes{room.bytes};
  const slice_refusal found = find_refusal(slices.all, lanes);
  const bool is_refused = found.rank >= 0;
  prefix<T> before{};
  if (!is_refused) before = slices.before(place, op, lanes);
  if (lane_index() != 0) return;
  note_refusal(found, noted);
  *start = {before, is_refused};
}

/// Writes what no scan of this rank's does: the total, and the outputs at the ends of an empty
/// slice. A warp. `Problem` is a slice_problem.
template <class Sequence, class Problem>
__global__ void __launch_bounds__(warp_size)
    write_total(const __grid_constant__ Sequence slices, const __grid_constant__ Problem scan) {
  admit_later_kernels();
  await_earlier_kernels();
  if (scan.is_refused()) return;
  using T = typename Problem::T;
  __shared__ folding_room<T> room;
  const prefix<T> total = slices.total(scan.op, folding_warp{room.bytes});
  if (lane_index() != 0) return;
  if (scan.num_items == 0) scan.write_start(scan.start());
  scan.write_end(total);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
