// A tile of a compaction that folds runs: each warp loads its part into shared memory and gathers
// there what belongs together.
#ifndef SCAN_DEVICE_COMPACTION_FOLDING_TILE_CUH
#define SCAN_DEVICE_COMPACTION_FOLDING_TILE_CUH

#include <cstdint>

#include "scan/device/compaction/compaction_folds.cuh"
#include "scan/device/compaction/compaction_tile.cuh"
#include "scan/device/fold/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// As compaction_tile.
template <class Cut>
class folding_tile {
 public:
  using T = typename Cut::T;
  using tile_fold = typename Cut::tile_fold;
  using part = compaction_folds<Cut>;
  struct shared : fold_of_warps<tile_fold> {
    shared_array<typename part::slots, Cut::blocks.most_warps> slots;
  };

  __device__ folding_tile(const Cut& scan, std::int64_t tile, shared& memory)
      : memory_(memory),
        scan_(scan),
        mine_(scan, memory.slots[warp_index()],
              tile * scan.tile_items() + warp_index() * scan.warp_items(), nothing_) {
    const auto previous = mine_.ask_previous();
    mine_.visit_slots([](auto& slot, const auto& from, auto* begin, auto* end) {
      slot.load_now(from, begin, end, false);
    });
    mine_.mark(previous);
    const tile_fold folded = mine_.fold();
    if (lane_index() == 0) memory.of_warp[warp_index()] = folded;
  }
  __device__ tile_fold total() { return memory_.total(before_, scan_.join()); }
  __device__ void store(const T& before_tile) const {
    mine_.store(scan_.join()(before_tile, before_));
  }

 private:
  shared& memory_;
  const Cut& scan_;
  typename part::own_memory nothing_;
  part mine_;
  tile_fold before_ = tile_fold::none();  // of the tile's warps before
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
