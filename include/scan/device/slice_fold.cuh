// The kernels that fold a slice before it is scanned: the fold of what each warp of the scan takes
// of a tile, in the order that the scan combines it in. They read, and write next to nothing; no
// warp waits for another.
//
// They go from the slice's end to its beginning: what is read last is in the L2 when the scan,
// which begins there, comes by. Slices of up to about 40 MiB are read from memory once.
#ifndef SCAN_DEVICE_SLICE_FOLD_CUH
#define SCAN_DEVICE_SLICE_FOLD_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/chunk_io.cuh"
#include "scan/device/dependent_launch.cuh"
#include "scan/device/register_problem.cuh"
#include "scan/device/ring_problem.cuh"
#include "scan/device/slice_message.hpp"

namespace scan::device {

/// Each warp of the ring's order has a ring of its own: of chunks, which are the scan's shares.
template <class Problem>
struct chunk_ring {
  static constexpr int warps = 16;
  using slot = chunk_slot<Problem::warp_items* static_cast<int>(sizeof(typename Problem::in_type))>;
  static constexpr int stages =
      std::clamp(static_cast<int>(200 * 1024 / (warps * sizeof(slot))), 2, 8);
  static constexpr std::size_t required_bytes = sizeof(slot) * warps * stages;
  using runs = typename Problem::runs;
  using T = typename Problem::T;

  const Problem& scan;
  slot* slots;  // of this warp
  phase_barrier* loaded;

  /// Starts loading the chunk `share`, if there is one. All lanes.
  __device__ void load(std::int64_t share, int stage) const {
    if (share < 0) return;
    const auto* begin = parts_at(scan.in.data);
    const auto* end = parts_at(scan.in.data + scan.num_items);
    const auto from = scan.chunk_of(scan.in.data, share * Problem::warp_items);
    publish_to_bulk();  // what the lanes have done in the slot comes before the copy
    __syncwarp();
    if (lane_index() == 0) slots[stage].load(from, begin, end, loaded[stage]);
    if (slot::has_rest(from, begin, end)) slots[stage].load_rest(from, begin, end);
    loaded[stage].arrive();
  }
  /// The fold of the chunk; in the lane that returns true.
  __device__ bool fold(std::int64_t share, int stage, T& folded) const {
    const std::int64_t first = share * Problem::warp_items;
    slots[stage].align(scan.chunk_of(scan.in.data, first).shift());
    const int num_valid = scan.valid_items(first, Problem::warp_items);
    const int num_lanes = (num_valid + Problem::run_items - 1) / Problem::run_items;
    folded =
        warp_inclusive_scan(runs::fold(scan, slots[stage].bytes, num_valid), num_lanes, scan.op);
    return lane_index() == num_lanes - 1;
  }
};

/// `Problem` is a ring_problem; `folds` one value a share of the slice.
template <class Problem>
__global__ void __launch_bounds__(chunk_ring<Problem>::warps* warp_size, 1)
    fold_ring_shares(const __grid_constant__ Problem scan, typename Problem::T* folds) {
#if __CUDA_ARCH__ >= 900
  using ring_type = chunk_ring<Problem>;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ phase_barrier loaded[ring_type::warps][ring_type::stages];
  admit_later_kernels();
  const int warp = warp_index();
  auto* const slots = reinterpret_cast<typename ring_type::slot*>(memory);
  const ring_type ring{scan, slots + warp * ring_type::stages, loaded[warp]};
  if (lane_index() < ring_type::stages) loaded[warp][lane_index()].initialise(warp_size);
  publish_to_bulk();
  __syncthreads();
  await_earlier_kernels();

  const std::int64_t num_shares = batches_of(scan.num_items, Problem::warp_items);
  const std::int64_t step = std::int64_t{gridDim.x} * ring_type::warps;
  const std::int64_t from = num_shares - 1 - blockIdx.x - std::int64_t{gridDim.x} * warp;
  for (int stage = 0; stage < ring_type::stages; ++stage) ring.load(from - stage * step, stage);
  ring_position at;
  for (std::int64_t share = from; share >= 0; share -= step, at.advance(ring_type::stages)) {
    loaded[warp][at.stage].wait(at.parity);
    typename Problem::T folded;
    if (ring.fold(share, at.stage, folded)) folds[share] = folded;
    ring.load(share - ring_type::stages * step, at.stage);
  }
#endif
}

/// The same in the look-back kernel's order; `Problem` is a register_problem.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block, Tuned::shape.blocks_per_sm)
    fold_register_shares(const __grid_constant__ Problem scan, typename Problem::T* folds) {
  __shared__ typename Problem::staging stage;
  admit_later_kernels();
  await_earlier_kernels();
  const std::int64_t num_tiles = tiles_of(scan.num_items, Problem::tile_items);
  for (std::int64_t tile = num_tiles - 1 - blockIdx.x; tile >= 0; tile -= gridDim.x) {
    const std::int64_t first = tile * Problem::tile_items;
    const int num_valid = scan.valid_items(first);
    typename Problem::io_in::share share;
    Problem::io_in::template load<false>(scan.input(first), num_valid, scan.in_aligned, share,
                                         stage);
    const auto folded = Problem::blocks::scan_warp(share, num_valid, scan);
    const bool has_items = warp_index() * Problem::blocks::warp_items < num_valid;
    if (lane_index() == 0 && has_items) {
      folds[tile * Problem::num_warps + warp_index()] = folded.aggregate;
    }
  }
}

}  // namespace scan::device

#endif
