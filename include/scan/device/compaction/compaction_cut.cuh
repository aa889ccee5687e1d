// A compaction as kernels take it: how many elements their tiles have, and what of these is in
// shared memory, or in registers.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_CUT_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_CUT_CUH

#include <cstdint>

#include "scan/call/compaction_problem.hpp"
#include "scan/call/element_count.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/plan/compaction_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// ---- of a word whose bits are lanes' ----

__device__ inline int highest_bit(unsigned word) { return 31 - __clz(static_cast<int>(word)); }

/// Bytes of an element, with its value if it has one, and with what that becomes. (Of no_items,
/// one.)
template <class Problem>
constexpr int compaction_item_bytes() {
  using Results = typename Problem::Results;
  std::size_t bytes = sizeof(typename Problem::Item);
  if constexpr (Results::has_folds) {
    bytes += sizeof(typename Results::given);
    if (!Results::folds_in_place) bytes += sizeof(typename Results::value);
  }
  return static_cast<int>(bytes);
}

/// A compaction in tiles of `num_warps` warps' parts, of `num_rows` rows of 32 elements each.
template <class Problem>
struct compaction_rows : Problem {
  using tile_fold = typename Problem::template fold<int>;  // of a tile, or some
  static_assert(Problem::Results::has_folds || sizeof(tile_fold) <= compaction_fold_bytes);

  int num_rows, num_warps;

  compaction_rows(const Problem& scan, int num_rows, int num_warps)
      : Problem(scan), num_rows(num_rows), num_warps(num_warps) {}

  __host__ __device__ int warp_items() const { return num_rows * warp_size; }
  __host__ __device__ int tile_items() const { return num_warps * warp_items(); }
  __host__ __device__ std::int64_t num_tiles() const {
    return this->num_items <= 0 ? 0 : (this->num_items - 1) / tile_items() + 1;
  }
  /// Finds out how many elements there are; nothing behind those that might be is touched.
  __device__ void count_items() {
    if (this->num_items_pointer == nullptr) return;
    this->num_items = items_counted(*this->num_items_pointer, this->num_items);
  }
};

/// Tiles that are in registers, of up to `most_rows_` rows.
template <class Problem, int most_rows_>
struct compaction_tiles : compaction_rows<Problem> {
  static constexpr int most_rows = most_rows_;
  static constexpr compaction_blocks blocks =
      compaction_blocks_for(Problem::Results::has_folds, compaction_item_bytes<Problem>(),
                            static_cast<int>(sizeof(typename compaction_rows<Problem>::tile_fold)));
  static constexpr int most_threads = blocks.most_warps * warp_size;

  bool in_place = false;  // what is kept is written where elements are read

  compaction_tiles(const Problem& scan, int num_rows, int num_warps)
      : compaction_rows<Problem>(scan, num_rows, num_warps) {
    if constexpr (Problem::moves_items) in_place = scan.in == scan.to.kept;
  }
};

/// Tiles of a ring.
template <class Problem>
struct compaction_cut : compaction_rows<Problem> {
  using typename Problem::Item;
  using typename Problem::Results;
  using moved = typename Results::moved;
  static constexpr compaction_traits traits{
      Problem::moves_items ? compaction_item_bytes<Problem>() : 1, Problem::Marks::of_items,
      Results::has_rejected, Results::has_lengths, Results::has_folds};
  /// Warps that move, and besides these who marks, and who loads, publishes and looks back.
  static constexpr int warps = compaction_move_warps(traits);
  static constexpr int mark_warps = compaction_mark_warps(traits);
  SCAN_HOST_DEVICE static constexpr int ring_threads() { return (warps + mark_warps + 3) * 32; }
  /// Whether it is noted where in the part lay what is kept: of positions nothing else is moved.
  static constexpr bool keeps_places = Results::has_lengths || !Problem::moves_items;
  static constexpr int most_rows = most_compaction_rows(traits);
  /// Of the places of a part.
  static constexpr int num_places = keeps_places ? most_rows * warp_size : 0;
  /// Rows whose bits a lane has: one of each 32.
  static constexpr int words = (most_rows + warp_size - 1) / warp_size;
  static constexpr int slot_bytes =
      Problem::moves_items ? most_rows * warp_size * static_cast<int>(sizeof(moved)) : granule;
  /// Of a part's flags.
  static constexpr int flag_bytes = most_rows * warp_size;
  static_assert(alignof(moved) <= granule, "scan: elements are aligned to 16 bytes at most");

  compaction_cut(const Problem& scan, int num_rows)
      : compaction_rows<Problem>(scan, num_rows, warps) {}

  /// Of all flags.
  __device__ std::int64_t num_flag_bytes() const {
    return this->marks.are_bits ? (this->num_items + 31) / 32 * 4 : this->num_items;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
