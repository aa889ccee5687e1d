// The kernels that fold a slice before it is scanned: the fold of what each warp of the scan takes
// of a tile, in the order that the scan combines it in. They read, and write next to nothing; no
// warp waits for another.
//
// They go from the slice's end to its beginning: what is read last is in the L2 when the scan,
// which begins there, comes by. Slices of up to about 40 MiB are read from memory once.
#ifndef SCAN_DEVICE_SLICE_SLICE_FOLD_CUH
#define SCAN_DEVICE_SLICE_SLICE_FOLD_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/sequence/look_back_kernel.cuh"
#include "scan/device/sequence/ring_cut.cuh"
#include "scan/device/slice/slice_message.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp of the ring's order folds some shares that follow each other, as many as make it worth a
/// warp's start. There are as many blocks as that takes: who is handed the next one by the hardware
/// is who is through. (Blocks that stay, and take every so many-th share, are a tenth slower: not
/// all multiprocessors get as much of memory. bench/NOTES.md)
template <class Problem>
struct share_fold {
  static constexpr int warps = share_fold_warps, blocks_per_sm = share_fold_blocks_per_sm;
  static constexpr int share_bytes =
      Problem::warp_items * static_cast<int>(sizeof(typename Problem::in_type));
  static constexpr int shares_per_warp = std::max(1, share_fold_bytes / share_bytes);
  using slot = chunk_slot<share_bytes>;

  /// Whether the item is so far from the slice's beginning that the scan will not find it in the
  /// L2: then what it will find is not driven out by it.
  __device__ static bool passes_by(const Problem& scan, std::int64_t item) {
    constexpr int item_bytes = static_cast<int>(sizeof(typename Problem::in_type));
    return item * item_bytes >= most_kept_bytes &&
           scan.num_items * item_bytes <= most_passing_bytes;
  }
  static std::int64_t num_shares(std::int64_t num_items) {
    return batches_of(num_items, Problem::warp_items);
  }
  static std::int64_t num_blocks(std::int64_t num_items) {
    return batches_of(num_shares(num_items), warps * shares_per_warp);
  }
};

/// `Problem` is a ring_cut; `folds` one value a share of the slice.
template <class Problem>
__global__ void __launch_bounds__(share_fold<Problem>::warps* warp_size,
                                  share_fold<Problem>::blocks_per_sm)
    fold_ring_shares(const __grid_constant__ Problem scan, typename Problem::T* folds) {
  using fold = share_fold<Problem>;
  using runs = typename Problem::runs;
  __shared__ typename fold::slot slots[fold::warps];
  admit_later_kernels();
  await_earlier_kernels();
  const auto* const begin = parts_at(scan.in.data);
  const auto* const end = parts_at(scan.in.data + scan.num_items);
  typename fold::slot& slot = slots[warp_index()];
  const std::int64_t warp = std::int64_t{blockIdx.x} * fold::warps + warp_index();
  std::int64_t share = batches_of(scan.num_items, Problem::warp_items) - 1;
  share -= warp * fold::shares_per_warp;
  for (int i = 0; i < fold::shares_per_warp && share >= 0; ++i, --share) {
    const std::int64_t first = share * Problem::warp_items;
    const auto from = scan.chunk_of(scan.in.data, first);
    slot.load_now(from, begin, end, fold::passes_by(scan, first));
    slot.align(from.shift());
    const int num_valid = scan.valid_items(first, Problem::warp_items);
    const int num_lanes = (num_valid + Problem::run_items - 1) / Problem::run_items;
    const auto folded =
        warp_inclusive_scan(runs::fold(scan, slot.bytes, num_valid), num_lanes, scan.op);
    if (lane_index() == num_lanes - 1) folds[share] = folded;
    __syncwarp();  // all have read the slot
  }
}

/// The same in the look-back kernel's order, a tile a block; `Problem` is a register_cut.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::tile.threads_per_block, Tuned::tile.blocks_per_sm)
    fold_register_shares(const __grid_constant__ Problem scan, typename Problem::T* folds) {
  __shared__ typename Problem::staging stage;
  admit_later_kernels();
  await_earlier_kernels();
  const std::int64_t tile = tiles_of(scan.num_items, Problem::tile_items) - 1 - blockIdx.x;
  const std::int64_t first = tile * Problem::tile_items;
  const int num_valid = scan.valid_items(first);
  typename Problem::io_in::part part;
  Problem::io_in::load(scan.input(first), num_valid, scan.in_aligned, part, stage);
  const auto folded = Problem::blocks::scan_warp(part, num_valid, scan);
  const bool has_items = warp_index() * Problem::blocks::warp_items < num_valid;
  if (lane_index() == 0 && has_items) {
    folds[tile * Problem::num_warps + warp_index()] = folded.aggregate;
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
