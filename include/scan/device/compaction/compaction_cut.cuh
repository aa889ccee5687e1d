// A compaction as kernels take it: how many elements their tiles have, and what of these is in
// shared memory.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_CUT_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/compaction_problem.hpp"
#include "scan/call/element_count.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/plan/compaction_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A compaction in tiles of `warps` parts, of up to `rows_` rows of 32 elements, one a lane.
template <class Problem, int warps_, int rows_ = 1024>
struct compaction_cut : Problem {
  static constexpr int warps = warps_;
  /// In the ring, besides these: who marks, and who loads, publishes and looks back.
  static constexpr int mark_warps = compaction_mark_warps(Problem::Marks::of_items);
  SCAN_HOST_DEVICE static constexpr int ring_threads() { return (warps + mark_warps + 3) * 32; }
  using typename Problem::Item;
  using typename Problem::Results;
  using moved = typename Results::moved;
  /// Whether it is noted where in the part lay what is kept: of positions nothing else is moved.
  static constexpr bool keeps_places = Results::has_lengths || !Problem::moves_items;
  /// Bytes of an element in slots, of which there is one more for what is rejected.
  static constexpr int moved_bytes =
      Problem::moves_items ? static_cast<int>(sizeof(moved)) * (Results::has_rejected ? 2 : 1) : 1;
  static constexpr int most_rows =
      std::min(most_compaction_rows(moved_bytes, Results::has_lengths), rows_);
  /// Of the places of a part.
  static constexpr int num_places = keeps_places ? most_rows * warp_size : 0;
  /// Rows whose bits a lane has: one of each 32.
  static constexpr int words = (most_rows + warp_size - 1) / warp_size;
  static constexpr int slot_bytes =
      Problem::moves_items ? most_rows * warp_size * static_cast<int>(sizeof(moved)) : granule;
  /// Of a part's flags.
  static constexpr int flag_bytes = most_rows * warp_size;
  static_assert(alignof(moved) <= granule, "scan: elements are aligned to 16 bytes at most");

  int num_rows;  // of a warp's part

  compaction_cut(const Problem& scan, int num_rows) : Problem(scan), num_rows(num_rows) {}

  __host__ __device__ int warp_items() const { return num_rows * warp_size; }
  __host__ __device__ int tile_items() const { return warps * warp_items(); }
  __host__ __device__ std::int64_t num_tiles() const {
    return this->num_items <= 0 ? 0 : (this->num_items - 1) / tile_items() + 1;
  }
  /// Of all flags.
  __device__ std::int64_t num_flag_bytes() const {
    return this->marks.are_bits ? (this->num_items + 31) / 32 * 4 : this->num_items;
  }
  /// The same, knowing how many elements there are; nothing behind those that might be is touched.
  __device__ compaction_cut resolved() const {
    compaction_cut here = *this;
    if (this->num_items_pointer != nullptr) {
      here.num_items = items_counted(*this->num_items_pointer, this->num_items);
    }
    return here;
  }
};

template <class Problem>
using compaction_ring_cut =
    compaction_cut<Problem, compaction_ring_warps(Problem::Marks::of_items)>;

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
