// What a block of the ring of wide columns holds of a tile, and a lane's part of its lines.
#ifndef SCAN_DEVICE_TENSOR_STRIP_RUN_CUH
#define SCAN_DEVICE_TENSOR_STRIP_RUN_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/device/tensor/strip_cut.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Elements side by side that are moved as one.
template <class U, int count>
struct alignas(sizeof(U) * count) elements_beside {
  U of[count];
};
/// What of a tile a lane of warp `warp` has: `count` rows of `columns` columns, in scan order; no
/// rows if it has no column. Columns are side by side, or a warp's lanes apart.
struct strip_part {
  int run, first, count;
  int column, columns;  // its first, and how many there are of the lane's
  int apart;            // columns from one of the lane's to the next one, if there is another
  int own;              // which of the strip's own `column` is, or less than 0

  template <class Cut>
  __device__ strip_part(const Cut& scan, const strip_place& tile, int warp) {
    constexpr int of_lane = Cut::lane_columns;
    const bool beside = scan.layout == strip_layout::beside;
    run = scan.plan.groups > 1 ? warp / scan.plan.groups : warp;
    first = run * scan.plan.run_rows;
    apart = beside ? 1 : warp_size;
    column = (warp - run * scan.plan.groups) * warp_size * of_lane +
             lane_index() * (beside ? of_lane : 1);
    own = column - tile.shared;
    columns = 1;
#pragma unroll
    for (int v = 1; v < of_lane; ++v) columns += column + v * apart < tile.columns ? 1 : 0;
    count = column < tile.columns ? max(min(tile.count - first, scan.plan.run_rows), 0) : 0;
  }
};

/// A lane's part of a run: its columns, row after row.
template <class Cut>
class strip_run {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  static constexpr int columns = Cut::lane_columns, num_inputs = Cut::num_inputs;
  static constexpr int at_once = Cut::ring.rows_at_once;

  /// `lines`: of each array the tile's, in shared memory; `shifts`: how far from a granule its
  /// first row is. `row`: the run's first, as they lie there.
  __device__ strip_run(const Cut& scan, const strip_part& mine,
                       const unsigned char* const (&lines)[num_inputs], const int* shifts, int row,
                       const typename Cut::constants (&common)[columns])
      : scan_(scan),
        mine_(mine),
        row_(row),
        step_(scan.backwards ? -scan.line_bytes : scan.line_bytes),
        apart_(mine.columns > 1 ? mine.apart * static_cast<int>(sizeof(in_type)) : 0) {
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      items_[k] = lines[k] + mine.column * static_cast<int>(sizeof(in_type));
      if (scan.layout != strip_layout::boxed) items_[k] += row * scan.line_bytes + shifts[k];
      shifts_[k] = shifts[k];
    }
#pragma unroll
    for (int v = 0; v < columns; ++v) common_[v] = common[v];
  }

  /// The folds of the columns; `is_first`: see run_of. There is a row. (Of a column that is not
  /// there the first one's.)
  __device__ void fold(bool is_first, T (&folded)[columns]) const {
    by_layout([&](auto layout) { fold_rows<decltype(layout)::value>(is_first, folded); });
  }
  /// Puts results to `results`, the run's first in memory, rows `step` apart; `running` goes on.
  __device__ void scan(out_type* results, std::int64_t step, prefix<T> (&running)[columns]) const {
    by_layout([&](auto layout) { scan_rows<decltype(layout)::value>(results, step, running); });
  }

 private:
  using results_beside = elements_beside<out_type, columns>;

  /// (Of one column what is not the first is as if in boxes.)
  template <class What>
  __device__ void by_layout(What what) const {
    using layouts = strip_layout;
    if (scan_.layout == layouts::beside) {
      what(std::integral_constant<layouts, layouts::beside>());
    } else if (columns > 1 && scan_.layout == layouts::even) {
      what(std::integral_constant<layouts, layouts::even>());
    } else {
      what(std::integral_constant<layouts, layouts::boxed>());
    }
  }

  template <strip_layout layout>
  __device__ void fold_rows(bool is_first, T (&folded)[columns]) const {
    auto op = scan_.op;
    item_of<Cut> first[columns];
    read<layout>(0, first);
#pragma unroll
    for (int v = 0; v < columns; ++v) folded[v] = run_of<T>(take(scan_, first[v]), is_first);
    each_row<layout>([&](const item_of<Cut>(&row)[columns]) {
#pragma unroll
      for (int v = 0; v < columns; ++v) folded[v] = op(folded[v], take(scan_, row[v]));
    });
  }
  template <strip_layout layout>
  __device__ void scan_rows(out_type* results, std::int64_t step,
                            prefix<T> (&running)[columns]) const {
    results_beside scanned;
    item_of<Cut> first[columns];
    read<layout>(0, first);
#pragma unroll
    for (int v = 0; v < columns; ++v) scanned.of[v] = scan_item(scan_, first[v], running[v]);
    sector_part part(scan_, results, step, mine_);
    store<layout>(results, scanned, part);
    prefix<T> each[columns];
#pragma unroll
    for (int v = 0; v < columns; ++v) each[v] = {running[v].value, true};  // (there is one now)
    each_row<layout>([&](const item_of<Cut>(&row)[columns]) {
      results += step;
      part.advance();
#pragma unroll
      for (int v = 0; v < columns; ++v) scanned.of[v] = scan_item(scan_, row[v], each[v]);
      store<layout>(results, scanned, part);
    });
#pragma unroll
    for (int v = 0; v < columns; ++v) running[v] = each[v];
  }
  /// Of a row, which columns the strip stores: whole sectors, from the one on that its own first
  /// column is in.
  struct sector_part {
    unsigned place, step, mask;  // of the strip's own first column, in its sector
    int own;
    unsigned most;

    __device__ sector_part(const Cut& scan, const out_type* results, std::int64_t step,
                           const strip_part& mine)
        : place(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(results - mine.own) /
                                      sizeof(out_type))),
          step(static_cast<unsigned>(step)),
          mask(static_cast<unsigned>(scan.stored_items - 1)),
          own(mine.own),
          most(static_cast<unsigned>(scan.plan.step)) {}
    __device__ void advance() { place += step; }
    __device__ bool has(int further) const { return own + further + (place & mask) < most; }
  };
  template <strip_layout layout>
  __device__ void store(out_type* to, const results_beside& scanned,
                        const sector_part& part) const {
    if constexpr (layout == strip_layout::beside) {
      *reinterpret_cast<results_beside*>(to) = scanned;
    } else {
#pragma unroll
      for (int v = 0; v < columns; ++v) {
        if (v < mine_.columns && part.has(v * warp_size)) to[v * warp_size] = scanned.of[v];
      }
    }
  }
  /// Row `i` of the run.
  template <strip_layout layout>
  __device__ void read(int i, item_of<Cut> (&row)[columns]) const {
    const int at = scan_.backwards ? row_ - i : row_ + i;
    constexpr bool boxed = layout == strip_layout::boxed;
    const int line = boxed ? scan_.place_of_line(at) : i * step_;
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      const unsigned char* const from =
          items_[k] + line + (boxed ? scan_.shift_of_line(shifts_[k], at) : 0);
      if constexpr (layout == strip_layout::beside) {
        const auto all = *reinterpret_cast<const elements_beside<in_type, columns>*>(from);
#pragma unroll
        for (int v = 0; v < columns; ++v) row[v].elements[k] = all.of[v];
      } else {
#pragma unroll
        for (int v = 0; v < columns; ++v) {
          row[v].elements[k] = *reinterpret_cast<const in_type*>(from + v * apart_);
        }
      }
    }
#pragma unroll
    for (int v = 0; v < columns; ++v) row[v].common = common_[v];
  }
  /// Does `what` with every row but the first, of which some are read at once.
  template <strip_layout layout, class What>
  __device__ void each_row(What what) const {
    item_of<Cut> rows[at_once][columns];
    int i = 1;
#pragma unroll 1
    for (; i + at_once <= mine_.count; i += at_once) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) read<layout>(i + j, rows[j]);
#pragma unroll
      for (int j = 0; j < at_once; ++j) what(rows[j]);
    }
    if (i == mine_.count) return;
#pragma unroll
    for (int j = 0; j < at_once; ++j) read<layout>(min(i + j, mine_.count - 1), rows[j]);
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      if (i + j < mine_.count) what(rows[j]);
    }
  }

  const Cut& scan_;
  const strip_part mine_;
  const unsigned char* items_[num_inputs];  // unless in boxes, of the run's first row
  int shifts_[num_inputs];
  int row_, step_, apart_;
  typename Cut::constants common_[columns];
};

/// What a block holds of one tile besides its lines; in dynamic shared memory.
template <class Cut>
struct alignas(128) strip_stage {
  using T = typename Cut::T;
  static constexpr int most_columns = most_strip_columns(Cut::lane_columns);
  /// Of each run and column the fold; then of the tile's runs before it. See fold_of.
  shared_array<T, Cut::ring.scan_warps * most_columns> folds;
  shared_array<T, most_columns> aggregates;
  shared_array<prefix<T>, most_columns> before_tile;

  __device__ T& fold_of(const Cut& scan, int run, int column) {
    return folds[run * most_columns + column];
  }
  /// With the lines, which follow it.
  static int bytes_with_lines(const Cut& scan) {
    return static_cast<int>(sizeof(strip_stage)) + Cut::num_inputs * scan.slot_bytes;
  }
  __device__ unsigned char* lines(const Cut& scan, int which) {
    return reinterpret_cast<unsigned char*>(this + 1) + which * scan.slot_bytes;
  }

  /// Starts a tile's load of one array: rows that are one chunk, or a lane for each box. A warp.
  __device__ void load(const Cut& scan, const strip_place& tile, int which, phase_barrier& loaded) {
    if (scan.plan.strips == 1) {
      load_chunk(scan, tile, which, loaded);
    } else if (lane_index() < scan.plan.phases) {
      load_box_of_lane(scan, tile, which, loaded);
    }
  }

 private:
  __device__ void load_chunk(const Cut& scan, const strip_place& tile, int which,
                             phase_barrier& loaded) {
    const auto* const begin = parts_at(scan.input(which));
    const auto* const end = parts_at(scan.input(which) + scan.span());
    const auto from = scan.chunk_of(which, tile);
    auto& slot = *reinterpret_cast<chunk_slot<granule>*>(lines(scan, which));  // (is larger)
    if (lane_index() == 0) slot.load(from, begin, end, loaded);
    if (slot.has_rest(from, begin, end)) {
      slot.load_rest(from, begin, end);
      publish_to_bulk();  // (a later copy to the slot is to come behind these stores)
    }
  }
  __device__ void load_box_of_lane(const Cut& scan, const strip_place& tile, int which,
                                   phase_barrier& loaded) {
    constexpr unsigned size = sizeof(typename Cut::in_type), word = 4;
    const auto slab = static_cast<int>(tile.slab), of_phase = slab >> scan.slab_bits;
    const int phases = scan.plan.phases, in_phase = slab - (of_phase << scan.slab_bits);
    const std::int64_t row =
        scan.first_row(tile) + std::int64_t{of_phase} * scan.slab_rows + lane_index();
    loaded.expect((scan.plan.tile_rows >> scan.phase_bits) * scan.line_bytes);
    load_box(lines(scan, which) + lane_index() * scan.box_bytes,
             scan.maps[which][in_phase * phases + (static_cast<int>(row) & (phases - 1))],
             {static_cast<int>(static_cast<unsigned>(tile.column) / (word / size)),
              static_cast<int>(row >> scan.phase_bits), of_phase},
             loaded);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
