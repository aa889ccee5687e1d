// What a warp brings of its chunk of a row. Where that lies is found before the kernel before has
// ended: in a small call that would be a third of the way. (bench/NOTES.md, "What small calls
// along rows wait for", H100, 2026-11-26)
#ifndef SCAN_DEVICE_WALK_ROUND_LOADS_CUH
#define SCAN_DEVICE_WALK_ROUND_LOADS_CUH

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/walk/row_round_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp's; `Cut` is a row_round_cut.
template <class Cut>
class round_loads {
  using in_type = typename Cut::in_type;
  using in_slot = typename Cut::in_slot;
  static constexpr int num_inputs = Cut::num_inputs;

 public:
  /// Of the chunk at `place`. Touches nothing that is read.
  __device__ round_loads(const Cut& scan, const round_place& place) {
    const auto row = scan.row_of(place);
    const row_chunk chunk = scan.chunk_of(place);
    has_items_ = chunk.count > 0;
    const bool is_inside = scan.reads_around && place.row > 0 && place.row + 1 < scan.shape.outer;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const auto from = scan.items_of(row, chunk, which);
      if (is_inside) {
        parts_[which] = in_slot::granules_inside(from);
        parts_[which].settle();
        has_rest_[which] = false;
      } else {
        const auto* const begin = parts_at(scan.input(which));
        parts_[which] = in_slot::granules_of(from, begin, begin + scan.span());
        parts_[which].settle();
        has_rest_[which] = in_slot::has_rest(from, begin, begin + scan.span());
      }
    }
  }

  /// Asks the L2 for it. (Of what is read nothing is looked at yet.)
  __device__ void prefetch() const {
    if (!has_items_) return;
#pragma unroll
    for (const bulk_part& part : parts_) {
      prefetch_bytes(part.from, part.num_bytes, lane_index(), warp_size);
    }
  }

  /// Starts: to `slots`, the warp's. `loaded` expects what comes.
  __device__ void start([[maybe_unused]] unsigned char* slots,
                        [[maybe_unused]] phase_barrier& loaded) const {
#if __CUDA_ARCH__ >= 900
    if (!has_items_ || lane_index() > 0) return;
    int num_bytes = 0;
#pragma unroll
    for (const bulk_part& part : parts_) num_bytes += part.num_bytes;
    loaded.expect(num_bytes);
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      Cut::in_slot_of(slots, which).load_expected(parts_[which], loaded);
    }
#endif
  }
  /// Waits until all is in its place. `row`, `chunk`: whose it is, again.
  template <class Row>
  __device__ void finish(const Cut& scan, const Row& row, const row_chunk& chunk,
                         unsigned char* slots, [[maybe_unused]] phase_barrier& loaded) const {
    if (!has_items_) return;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      in_slot& slot = Cut::in_slot_of(slots, which);
      const auto* const begin = parts_at(scan.input(which));
#if __CUDA_ARCH__ >= 900
      if (has_rest_[which]) {
        slot.load_rest(scan.items_of(row, chunk, which), begin, begin + scan.span());
      }
#else
      slot.load_now(scan.items_of(row, chunk, which), begin, begin + scan.span(), true);
#endif
    }
#if __CUDA_ARCH__ >= 900
    loaded.arrive();
    loaded.wait(0);
#endif
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      Cut::in_slot_of(slots, which).align(parts_[which].shift);
    }
  }

 private:
  bulk_part parts_[num_inputs];
  bool has_rest_[num_inputs], has_items_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
