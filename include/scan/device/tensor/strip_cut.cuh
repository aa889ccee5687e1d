// Wide columns as the ring has them: which rows and columns a tile has, where an array's lines are
// in shared memory, and a lane's part of them.
#ifndef SCAN_DEVICE_TENSOR_STRIP_CUT_CUH
#define SCAN_DEVICE_TENSOR_STRIP_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/items.cuh"
#include "scan/device/launch/tensor_map.hpp"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/device/sequence/ring_cut.cuh"
#include "scan/device/tensor/strip_looks.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A tile: `count` rows in scan order from `first` on, of `columns` columns from `column` on of
/// slab `slab`; `number` is its own among those of strip `strip` of all.
struct strip_place {
  std::int64_t slab, strip, number, first, column;
  int count, columns;
};

/// How an array's lines come to shared memory: by granules, and so with the other bytes of those
/// that the array begins and ends in. Slabs that begin elsewhere in granules are of other maps.
template <int most_phases>
struct strip_lines {
  tensor_map maps[most_phases];  // of slabs i, i + phases, ...
  int phases;                    // a power of two
  int line_bytes;                // in shared memory
};

/// The columns of a tensor whose lines are whole granules; `Tensor` is a tensor_problem that goes
/// forwards.
template <class Tensor>
struct strip_cut : Tensor {
  using Tensor::num_inputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr strip_tuning ring = strip_tuning_for(sizeof(in_type), Tensor::run_inputs);
  static constexpr int lane_columns = ring.lane_columns;

  strip_lines<granule / sizeof(in_type)> lines[num_inputs];
  bool backwards;  // whatever `Tensor` says: from the last row in memory on
  strip_plan plan;
  int slot_bytes;  // of a tile of one array
  std::int64_t num_strips, num_tiles, panel_tiles;

  strip_cut(const Tensor& scan, bool backwards)
      : Tensor(scan),
        backwards(backwards),
        plan(plan_strips(ring, Tensor::run_inputs, scan.shape.length, scan.shape.inner)),
        slot_bytes(0),
        num_strips(plan.strips * scan.shape.outer),
        num_tiles(plan.tiles * num_strips),
        panel_tiles(plan.tiles * std::min<std::int64_t>(num_strips, strip_panel)) {}

  /// Whether all arrays have been described.
  bool describe_arrays() {
    constexpr int alignment = 128;
    for (int which = 0; which < num_inputs; ++which) {
      if (!describe_array(this->input(which), lines[which])) return false;
      slot_bytes = std::max(slot_bytes, plan.tile_rows * lines[which].line_bytes);
    }
    slot_bytes = (slot_bytes + alignment - 1) / alignment * alignment;
    return true;
  }

  /// The tile of a ticket: strips side by side, panel by panel, tile by tile. (By 32 bits, which
  /// are divided fast.)
  __device__ strip_place place_of(std::int64_t drawn) const {
    const auto index = static_cast<unsigned>(drawn), strips = static_cast<unsigned>(plan.strips);
    const auto of_panel = static_cast<unsigned>(panel_tiles),
               all = static_cast<unsigned>(num_strips);
    const unsigned panel = index / of_panel, in_panel = index - panel * of_panel;
    const unsigned before = panel * strip_panel, beside = min(all - before, strip_panel);
    const unsigned number = in_panel / beside, strip = before + in_panel - number * beside;
    const unsigned slab = strip / strips;
    strip_place at;
    at.number = number;
    at.strip = strip;
    at.slab = slab;
    at.column = std::int64_t{strip - slab * strips} * plan.width;
    at.first = at.number * plan.tile_rows;
    at.count = valid_of(this->shape.length - at.first, plan.tile_rows);
    at.columns = valid_of(this->shape.inner - at.column, plan.width);
    return at;
  }
  /// The first of its rows in memory.
  __device__ std::int64_t first_row(const strip_place& at) const {
    return backwards ? this->shape.length - at.first - at.count : at.first;
  }
  __device__ strip_states_place states_of(const strip_place& at, int column) const {
    return {at.strip * strip_states(plan.tiles) * plan.width + column, plan.width, plan.tiles};
  }
  /// How far from a granule the lines of a slab begin.
  SCAN_HOST_DEVICE static int shift_of(const in_type* slab) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(slab) % granule);
  }
  __device__ int shift_of(int which, const strip_place& at) const {
    return shift_of(this->input(which) + at.slab * this->shape.in_pitch);
  }

 private:
  template <class Lines>
  bool describe_array(const in_type* data, Lines& to) const {
    constexpr std::int64_t size = sizeof(in_type);
    const std::int64_t row_bytes = this->shape.inner * size, outer = this->shape.outer;
    const std::int64_t slab_bytes =
        outer > 1 ? this->shape.in_pitch * size : row_bytes * this->shape.length;
    to.phases = 1;
    while (to.phases * slab_bytes % granule != 0) to.phases *= 2;
    const int over = to.phases > 1 || shift_of(data) > 0 ? granule : 0;
    to.line_bytes = plan.width * static_cast<int>(size) + over;
    for (int i = 0; i < std::min<std::int64_t>(to.phases, outer); ++i) {
      const in_type* const first = data + i * this->shape.in_pitch;
      const int shift = shift_of(first);
      const slab_lines all{reinterpret_cast<const unsigned char*>(first) - shift,
                           row_bytes + (shift > 0 ? granule : 0),  // (no granule without items)
                           row_bytes,
                           this->shape.length,
                           slab_bytes * to.phases,
                           (outer - 1 - i) / to.phases + 1,
                           to.line_bytes,
                           plan.tile_rows};
      if (!describe_lines(all, to.maps[i])) return false;
    }
    return true;
  }
};

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
