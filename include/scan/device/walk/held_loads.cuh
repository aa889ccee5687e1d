// What a warp's lanes copy of its chunk of a row to shared memory, side by side: found before the
// kernel before has ended, as round_loads are.
#ifndef SCAN_DEVICE_WALK_HELD_LOADS_CUH
#define SCAN_DEVICE_WALK_HELD_LOADS_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/walk/row_round_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp's; `Cut` is a row_round_cut. A chunk comes in granules around it. Of these the array's
/// first and last may have bytes beyond it, where nothing is read: their elements come one by one.
template <class Cut>
class held_loads {
  using in_type = typename Cut::in_type;
  using part_type = part_of<in_type>;
  static constexpr int num_inputs = Cut::num_inputs, part_bytes = sizeof(part_type);

 public:
  /// Of `chunk` of `row`. Touches nothing that is read.
  template <class Row>
  __device__ held_loads(const Cut& scan, const Row& row, const row_chunk& chunk) {
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const auto from = scan.items_of(row, chunk, which);
      const auto* const begin = reinterpret_cast<const unsigned char*>(scan.input(which));
      const unsigned char* const end = begin + scan.span_bytes;
      granules& of = parts_[which];
      of.before = static_cast<int>(from.address()) & (granule - 1);
      const auto* const first = reinterpret_cast<const unsigned char*>(from.data) - of.before;
      of.num_bytes = from.num_bytes;
      of.end = from.num_bytes > 0 ? (of.before + from.num_bytes + granule - 1) & -granule : 0;
      of.shift =
          static_cast<int>(from.address() - static_cast<unsigned>(from.offset)) & (copied_line - 1);
      of.place = from.offset + of.shift - of.before;
      of.first = first < begin ? granule : 0;
      if (first + of.end > end) of.end -= granule;
      of.mine = first + lane_index() * granule;
      of.settle();
    }
  }

  /// False: there are arrays, and no warp of a row that is there begins behind its end. Asked
  /// before the kernel before has ended, it has all of this found until then.
  __device__ bool are_lost() const {
    bool lost = false;
#pragma unroll
    for (const granules& of : parts_) lost = lost || of.mine == nullptr || of.end < 0;
    return lost;
  }
  /// Starts: to `slots`, the warp's.
  __device__ void start(unsigned char* slots) const {
    constexpr int turn = warp_size * granule, most_turns = Cut::in_slot::most_bytes / turn + 1;
    const int lane = lane_index() * granule;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const granules& of = parts_[which];
      unsigned char* const to = Cut::in_slot_of(slots, which).bytes + of.place + lane;
#pragma unroll
      for (int i = 0; i < most_turns; ++i) {
        if (lane + i * turn < of.end && (i > 0 || lane >= of.first)) {
          __pipeline_memcpy_async(to + i * turn, of.mine + i * turn, granule);
        }
      }
    }
    __pipeline_commit();
  }
  /// Waits until all is there, where granules put it.
  __device__ void finish(unsigned char* slots) const {
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const granules& of = parts_[which];
      const int all = of.before + of.num_bytes;
      if (of.first > 0 || of.end < all) {
        unsigned char* const to = Cut::in_slot_of(slots, which).bytes + of.place;
        const unsigned char* const from = of.mine - lane_index() * granule;
        const int head = of.before + lane_index() * part_bytes;
        if (head < min(of.first, all)) copy_part(to + head, from + head);
        const int tail = all - (lane_index() + 1) * part_bytes;
        if (tail >= max(of.end, of.before)) copy_part(to + tail, from + tail);
      }
    }
    __pipeline_wait_prior(0);
    __syncwarp();
  }
  /// How far above their places the items of an array are.
  __device__ unsigned shift(int which) const { return static_cast<unsigned>(parts_[which].shift); }

 private:
  /// In bytes from the first granule on: the chunk from `before` on, what comes in whole from
  /// `first` to `end`.
  struct granules {
    const unsigned char* mine;  // the lane's first
    int before, num_bytes, first, end;
    int place;  // of the first in the slot
    int shift;  // see chunk
    /// See bulk_part.
    __device__ void settle() {
      asm("" : "+l"(mine), "+r"(num_bytes), "+r"(first), "+r"(end), "+r"(place));
    }
  };
  __device__ static void copy_part(unsigned char* to, const unsigned char* from) {
    *reinterpret_cast<part_type*>(to) = *reinterpret_cast<const part_type*>(from);
  }
  granules parts_[num_inputs];
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
