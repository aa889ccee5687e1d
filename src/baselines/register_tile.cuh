// A tile that a block holds in registers from its one load to its one store.
#ifndef SCAN_BASELINES_REGISTER_TILE_CUH
#define SCAN_BASELINES_REGISTER_TILE_CUH

#include "scan/device/sequence/look_back_kernel.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// `Problem` is a register_cut by partial_tile_io; blocks may have any whole number of warps up to
/// the shape's.
template <class Problem>
class register_tile {
 public:
  using T = typename Problem::T;
  struct shared {
    typename Problem::blocks::warp_aggregates warp_aggregates;
    typename Problem::staging stage;
  };

  /// Items of a tile of this block.
  __device__ static int tile_items() {
    return static_cast<int>(blockDim.x) / device::warp_size * Problem::blocks::warp_items;
  }

  /// Loads tile `tile`, which has items, and scans inside it. All threads.
  __device__ register_tile(const Problem& scan, std::int64_t tile, shared& memory)
      : scan_(scan), memory_(memory), first_(tile * tile_items()) {
    num_valid_ = scan.valid_items(first_, tile_items());
    Problem::io_in::load(scan.input(first_), num_valid_, scan.in_aligned, part_, memory.stage);
    warp_ = Problem::blocks::scan_warp(part_, num_valid_, scan);
    if (device::lane_index() == 0) memory.warp_aggregates[device::warp_index()] = warp_.aggregate;
    __syncthreads();
    warps_ = Problem::blocks::scan_aggregates(memory.warp_aggregates, num_valid_, scan.op);
  }

  /// The fold of the tile.
  __device__ const T& aggregate() const { return warps_.aggregate; }

  /// Stores the results; `before`: the fold of what precedes the tile.
  __device__ void store(const prefix<T>& before) const {
    const auto before_vector = [&](int stripe) { return warp_.before[stripe]; };
    device::store_scanned(scan_, first_, num_valid_, part_, before_vector,
                          join(before, warps_.before_warp, scan_.op), memory_.stage);
  }

 private:
  const Problem& scan_;
  shared& memory_;
  std::int64_t first_;
  int num_valid_;
  typename Problem::io_in::part part_;
  typename Problem::blocks::warp_part warp_;
  device::warps_scan<T> warps_;
};

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
