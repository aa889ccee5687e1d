// Narrow columns as the ring has them: which rows a tile's chunks are, and a lane's part of one.
#ifndef SCAN_DEVICE_TENSOR_COLUMN_RING_CUT_CUH
#define SCAN_DEVICE_TENSOR_COLUMN_RING_CUT_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/items.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/plan/column_ring_plan.hpp"
#include "scan/device/sequence/ring_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A tile's rows in scan order: `count` from `first` on of slab `slab`.
struct column_rows {
  std::int64_t slab, first;
  int count;
};

/// The columns of a tensor with inner from 2 to most_ring_columns, whose slabs' rows lie one after
/// another; `Tensor` is a tensor_problem that goes forwards.
template <class Tensor>
struct column_ring_cut : Tensor {
  using Tensor::num_inputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr column_ring_tuning ring =
      column_ring_tuning_for(sizeof(in_type), sizeof(out_type), Tensor::run_inputs);
  using in_slot = chunk_slot<ring.tile_items() * static_cast<int>(sizeof(in_type))>;
  using out_slot = chunk_slot<ring.tile_items() * static_cast<int>(sizeof(out_type))>;
  static constexpr bool one_slot = sizeof(in_type) == sizeof(out_type);  // results replace items

  bool backwards;  // whatever `Tensor` says: from the last row in memory on
  column_ring_plan plan;
  std::int64_t num_tiles;

  column_ring_cut(const Tensor& scan, bool backwards)
      : Tensor(scan),
        backwards(backwards),
        plan(plan_column_ring(ring, scan.shape.length, scan.shape.inner)),
        num_tiles(plan.tiles_per_slab * scan.shape.outer) {}

  __device__ int inner() const { return static_cast<int>(this->shape.inner); }
  __device__ column_rows rows_of(std::int64_t tile) const {
    const std::int64_t slab = tile_quotient(tile, plan.tiles_per_slab);
    const std::int64_t first = (tile - slab * plan.tiles_per_slab) * plan.tile_rows;
    return {slab, first, valid_of(this->shape.length - first, plan.tile_rows)};
  }
  /// The part of a tile's rows that is a warp's chunk; elements of the tile before it in memory.
  __device__ column_rows chunk_of(const column_rows& rows, int chunk) const {
    const int chunk_rows = plan.lane_runs * plan.run_rows, first = chunk * chunk_rows;
    return {rows.slab, rows.first + first, max(min(rows.count - first, chunk_rows), 0)};
  }
  __device__ int items_before(const column_rows& rows, const column_rows& part) const {
    const auto first = static_cast<int>(part.first - rows.first);
    return (backwards ? rows.count - first - part.count : first) * inner();
  }
  /// Where rows are in an array, whose slabs are `pitch` apart; in a slot at `offset`.
  template <class U>
  __device__ auto place(U* data, std::int64_t pitch, const column_rows& rows,
                        int offset = 0) const {
    const std::int64_t row = backwards ? this->shape.length - rows.first - rows.count : rows.first;
    auto* const parts = parts_at(data + (rows.slab * pitch + row * this->shape.inner));
    return chunk<std::remove_pointer_t<decltype(parts)>>{
        parts, rows.count * inner() * static_cast<int>(sizeof(U)), offset};
  }
  __device__ auto input_place(int which, const column_rows& rows) const {
    return place(this->input(which), this->shape.in_pitch, rows);
  }
  __device__ auto output_place(const column_rows& rows, int offset) const {
    return place(this->out.data, this->shape.out_pitch, rows, offset);
  }
  /// What an array's slabs lie within.
  __device__ std::int64_t span() const {
    return (this->shape.outer - 1) * this->shape.in_pitch + this->shape.length * this->shape.inner;
  }
};

/// Which column a lane has, and which of a warp's runs of it. (Some lanes may have none.)
template <class Cut>
struct column_lane {
  int column, nth;
  bool is_there;

  __device__ explicit column_lane(const Cut& scan)
      : column(lane_index() % scan.inner()),
        nth(lane_index() / scan.inner()),
        is_there(nth < scan.plan.lane_runs) {}
};
/// The rows of a tile that are a lane's in chunk `chunk`: `count`, or none, from `first` on.
template <class Cut>
struct lane_rows {
  int first, count;

  __device__ lane_rows(const Cut& scan, const column_lane<Cut>& lane, const column_rows& rows,
                       int chunk)
      : first((chunk * scan.plan.lane_runs + lane.nth) * scan.plan.run_rows),
        count(lane.is_there ? max(min(rows.count - first, scan.plan.run_rows), 0) : 0) {}
  /// Elements from the tile's first in memory to the first row's.
  __device__ int first_item(const Cut& scan, const column_lane<Cut>& lane,
                            const column_rows& rows) const {
    return (scan.backwards ? rows.count - 1 - first : first) * scan.inner() + lane.column;
  }
};

/// A lane's run in shared memory, row after row of one column: folded, and scanned in place or to
/// another slot.
template <class Cut>
class column_run {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;

  /// `items`: of each array the run's first.
  __device__ column_run(const Cut& scan, const in_type* const (&items)[Cut::num_inputs], int count,
                        const typename Cut::constants& common)
      : scan_(scan), step_(scan.backwards ? -scan.inner() : scan.inner()), count_(count) {
    common_ = common;
#pragma unroll
    for (int k = 0; k < Cut::num_inputs; ++k) items_[k] = items[k];
  }

  /// `is_first`: see run_of. There is a row.
  __device__ T fold(bool is_first) const {
    auto op = scan_.op;
    T folded = run_of<T>(take(scan_, item(0)), is_first);
    each([&](const item_of<Cut>& read, int) { folded = op(folded, take(scan_, read)); });
    return folded;
  }
  /// Puts results to `results`, the run's first, of which there is one; returns what `before` is
  /// with them.
  __device__ T scan(out_type* results, prefix<T> before) const {
    results[0] = scan_item(scan_, item(0), before);
    prefix<T> running{before.value, true};
    each([&](const item_of<Cut>& read, int i) {
      results[i * step_] = scan_item(scan_, read, running);
    });
    return running.value;
  }

 private:
  static constexpr int at_once = Cut::ring.rows_at_once;

  __device__ item_of<Cut> item(int i) const {
    item_of<Cut> read{{}, common_};
#pragma unroll
    for (int k = 0; k < Cut::num_inputs; ++k) read.elements[k] = items_[k][i * step_];
    return read;
  }
  /// Does `what` with all items but the first, of which some are read at once, before it: results
  /// may go where items have come from.
  template <class What>
  __device__ void each(What what) const {
    item_of<Cut> read[at_once];
    int i = 1;
#pragma unroll 1
    for (; i + at_once <= count_; i += at_once) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) read[j] = item(i + j);
#pragma unroll
      for (int j = 0; j < at_once; ++j) what(read[j], i + j);
    }
    if (i == count_) return;
#pragma unroll
    for (int j = 0; j < at_once; ++j) read[j] = item(min(i + j, count_ - 1));
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      if (i + j < count_) what(read[j], i + j);
    }
  }

  const Cut& scan_;
  const in_type* items_[Cut::num_inputs];
  typename Cut::constants common_;
  int step_, count_;
};

/// What a block holds of one tile; in dynamic shared memory.
template <class Cut>
struct column_ring_stage {
  using T = typename Cut::T;
  static constexpr int num_chunks = Cut::ring.scan_warps;
  typename Cut::in_slot items[Cut::num_inputs];
  /// Where results are not as wide as items.
  std::conditional_t<Cut::one_slot, no_constants, typename Cut::out_slot> results;
  /// The fold of the lane's column in the chunk before its run; means nothing for first runs.
  shared_array<T, warp_size> before_lane[num_chunks];
  /// Of each column the fold of the chunk; then of the tile's chunks before it.
  shared_array<T, most_ring_columns> folds[num_chunks];
  shared_array<prefix<T>, most_ring_columns> before_tile;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
