// What a block of the ring of wide columns holds of a tile, and a lane's part of its lines.
#ifndef SCAN_DEVICE_TENSOR_STRIP_RUN_CUH
#define SCAN_DEVICE_TENSOR_STRIP_RUN_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/items.cuh"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Elements side by side that are moved as one.
template <class U, int count>
struct alignas(sizeof(U) * count) elements_beside {
  U of[count];
};
/// Whether elements of U at `data` and multiples of `bytes` from there can be.
template <class U, int count>
__device__ bool are_beside(const void* data, std::int64_t bytes) {
  constexpr std::int64_t all = sizeof(U) * count;
  return alignof(U) == sizeof(U) &&
         ((static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) | bytes) &
          (all - 1)) == 0;
}

/// A lane's part of a run: its columns, row after row. (Lines are whole granules, so it has all of
/// its columns or none.)
template <class Cut>
class strip_run {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  static constexpr int columns = Cut::lane_columns, num_inputs = Cut::num_inputs;
  static constexpr int at_once = Cut::ring.rows_at_once;

  /// `items`: of each array the run's first, in shared memory; `count` rows.
  __device__ strip_run(const Cut& scan, const unsigned char* const (&items)[num_inputs], int count,
                       const typename Cut::constants (&common)[columns])
      : scan_(scan), count_(count) {
    items_are_beside_ = true;
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      items_[k] = items[k];
      steps_[k] = scan.backwards ? -scan.lines[k].line_bytes : scan.lines[k].line_bytes;
      items_are_beside_ &= are_beside<in_type, columns>(items[k], 0);
    }
#pragma unroll
    for (int v = 0; v < columns; ++v) common_[v] = common[v];
  }

  /// The folds of the columns; `is_first`: see run_of. There is a row.
  __device__ void fold(bool is_first, T (&folded)[columns]) const {
    auto op = scan_.op;
    item_of<Cut> first[columns];
    read<false>(0, first);
#pragma unroll
    for (int v = 0; v < columns; ++v) folded[v] = run_of<T>(take(scan_, first[v]), is_first);
    const auto add = [&](const item_of<Cut>(&row)[columns]) {
#pragma unroll
      for (int v = 0; v < columns; ++v) folded[v] = op(folded[v], take(scan_, row[v]));
    };
    if (items_are_beside_) {
      each_row<true>(add);
    } else {
      each_row<false>(add);
    }
  }
  /// Puts results to `results`, the run's first in memory, rows `step` apart; `running` goes on.
  __device__ void scan(out_type* results, std::int64_t step, prefix<T> (&running)[columns]) const {
    item_of<Cut> first[columns];
    read<false>(0, first);
#pragma unroll
    for (int v = 0; v < columns; ++v) results[v] = scan_item(scan_, first[v], running[v]);
    if (items_are_beside_ && are_beside<out_type, columns>(results, step * int{sizeof(out_type)})) {
      scan_rest<true>(results, step, running);
    } else {
      scan_rest<false>(results, step, running);
    }
  }

 private:
  template <bool beside>
  __device__ void scan_rest(out_type* results, std::int64_t step,
                            prefix<T> (&running)[columns]) const {
    prefix<T> each[columns];
#pragma unroll
    for (int v = 0; v < columns; ++v) each[v] = {running[v].value, true};  // (there is one now)
    each_row<beside>([&](const item_of<Cut>(&row)[columns]) {
      results += step;
      elements_beside<out_type, columns> scanned;
#pragma unroll
      for (int v = 0; v < columns; ++v) scanned.of[v] = scan_item(scan_, row[v], each[v]);
      if constexpr (beside) {
        *reinterpret_cast<elements_beside<out_type, columns>*>(results) = scanned;
      } else {
#pragma unroll
        for (int v = 0; v < columns; ++v) results[v] = scanned.of[v];
      }
    });
#pragma unroll
    for (int v = 0; v < columns; ++v) running[v] = each[v];
  }
  template <bool beside>
  __device__ void read(int i, item_of<Cut> (&row)[columns]) const {
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      const auto* const from = reinterpret_cast<const in_type*>(items_[k] + i * steps_[k]);
      if constexpr (beside) {
        const auto all = *reinterpret_cast<const elements_beside<in_type, columns>*>(from);
#pragma unroll
        for (int v = 0; v < columns; ++v) row[v].elements[k] = all.of[v];
      } else {
#pragma unroll
        for (int v = 0; v < columns; ++v) row[v].elements[k] = from[v];
      }
    }
#pragma unroll
    for (int v = 0; v < columns; ++v) row[v].common = common_[v];
  }
  /// Does `what` with every row but the first, of which some are read at once.
  template <bool beside, class What>
  __device__ void each_row(What what) const {
    item_of<Cut> rows[at_once][columns];
    int i = 1;
#pragma unroll 1
    for (; i + at_once <= count_; i += at_once) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) read<beside>(i + j, rows[j]);
#pragma unroll
      for (int j = 0; j < at_once; ++j) what(rows[j]);
    }
    if (i == count_) return;
#pragma unroll
    for (int j = 0; j < at_once; ++j) read<beside>(min(i + j, count_ - 1), rows[j]);
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      if (i + j < count_) what(rows[j]);
    }
  }

  const Cut& scan_;
  const unsigned char* items_[num_inputs];
  int steps_[num_inputs];
  typename Cut::constants common_[columns];
  int count_;
  bool items_are_beside_;
};

/// What a block holds of one tile besides its lines; in dynamic shared memory.
template <class Cut>
struct alignas(128) strip_stage {
  using T = typename Cut::T;
  /// Of each column the fold of the run; then of the tile's runs before it.
  shared_array<T, most_strip_columns> folds[Cut::ring.scan_warps];
  shared_array<T, most_strip_columns> aggregates;
  shared_array<prefix<T>, most_strip_columns> before_tile;

  /// With the lines, which follow it.
  static int bytes_with_lines(const Cut& scan) {
    return static_cast<int>(sizeof(strip_stage)) + Cut::num_inputs * scan.slot_bytes;
  }
  __device__ unsigned char* lines(const Cut& scan, int which) {
    return reinterpret_cast<unsigned char*>(this + 1) + which * scan.slot_bytes;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
