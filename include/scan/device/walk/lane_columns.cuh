// Columns that are short, or so many, that a lane goes along one, or some beside each other, by
// itself, from the first row on: nobody folds what another scans. As it scans a row it asks for one
// further down, which takes its registers. Of columns that are walked it folds each run before it
// goes on, as warps would: the order is that of column_walk.cuh.
#ifndef SCAN_DEVICE_WALK_LANE_COLUMNS_CUH
#define SCAN_DEVICE_WALK_LANE_COLUMNS_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/move/walk_lines.cuh"
#include "scan/device/plan/lane_column_plan.hpp"
#include "scan/device/walk/column_walk_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The sequences of a tensor with inner from 2 on; `Tensor` is a tensor_problem that goes forwards,
/// of no slices. A lane has `lane_columns` columns, more than one where these lie at multiples of
/// their size together. `in_runs_`: folds are those of walks.
template <class Tensor, int lane_columns_, bool in_runs_>
struct lane_column_cut : Tensor {
  using Tensor::num_inputs;
  static_assert(Tensor::num_outputs == 1 && !Tensor::is_walked);
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  static constexpr int lane_columns = lane_columns_;
  static constexpr bool in_runs = in_runs_;
  static constexpr int widest = static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  static constexpr int lane_rows = lane_run_rows(widest * lane_columns, num_inputs);  // held
  static constexpr int run_rows = walk_run_rows(widest, Tensor::run_inputs);
  static constexpr int tile_runs = most_column_warps(static_cast<int>(sizeof(typename Tensor::T)));
  static constexpr column_sizes sizes = {static_cast<int>(sizeof(in_type)),
                                         static_cast<int>(sizeof(out_type)),
                                         static_cast<int>(sizeof(typename Tensor::T)), num_inputs};
  // (Those that are walked are of one batch of tiles.)
  static_assert(!in_runs ||
                (lane_rows % run_rows == 0 &&
                 most_lane_walk_rows(sizes) <= column_batch_tiles * tile_runs * run_rows));

  bool backwards;      // from the last row in memory on
  unsigned row_lanes;  // of a slab
  unsigned num_lanes;  // of all

  lane_column_cut(const Tensor& scan, bool backwards)
      : Tensor(scan),
        backwards(backwards),
        row_lanes(static_cast<unsigned>(scan.shape.inner / lane_columns)),
        num_lanes(static_cast<unsigned>(scan.shape.outer) * row_lanes) {}
};

/// What precedes a run of a column that is walked: of its tile the runs before it, of its batch
/// the tiles, and the column's start. `Cut` is a lane_column_cut.
template <class Cut>
struct lane_folds {
  using T = typename Cut::T;
  prefix<T> start, before_tile;
  T tiles, runs, run;  // folds of tiles, of runs, and of the run's own rows

  __device__ void begin(const prefix<T>& before) { start = before_tile = before; }
  /// Goes on to run `number` of the column; what precedes it.
  template <class Op>
  __device__ prefix<T> next(int number, Op op) {
    const int in_tile = number % Cut::tile_runs;
    if (in_tile > 0) {
      runs = in_tile == 1 ? run : op(runs, run);
      return join(before_tile, {runs, true}, op);
    }
    if (number > 0) {
      const T tile = op(runs, run);
      tiles = number == Cut::tile_runs ? tile : op(tiles, tile);
      before_tile = join(start, {tiles, true}, op);
    }
    return before_tile;
  }
};

/// What a lane does. `Cut` is a lane_column_cut.
template <class Cut>
class lane_column_walk {
 public:
  using T = typename Cut::T;
  static constexpr int num_inputs = Cut::num_inputs;
  static constexpr int lane_columns = Cut::lane_columns, lane_rows = Cut::lane_rows;
  using in_line = vector_elements<typename Cut::in_type, lane_columns, false>;
  using out_line = vector_elements<typename Cut::out_type, lane_columns, false>;
  using lines = walk_lines<lane_columns>;

  __device__ lane_column_walk(const Cut& scan, unsigned lane)
      : scan_(scan),
        slab_(lane / scan.row_lanes),
        column_((lane - slab_ * scan.row_lanes) * lane_columns),
        row_(scan.backwards ? -scan.shape.inner : scan.shape.inner) {
    const auto mine = sequence(0);
    const std::int64_t first = scan.backwards ? (scan.shape.length - 1) * scan.shape.inner : 0;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) from_[i] = mine.input(i) + first;
    to_ = mine.output(0) + first;
  }

  /// Asks for the first rows.
  __device__ void ask() {
    const auto length = static_cast<int>(scan_.shape.length);
    line_rows<const typename Cut::in_type, num_inputs> from(from_, 0);
#pragma unroll
    for (int group = 0; group < lane_rows; group += step) {
      if (group >= length) break;  // (all lanes)
#pragma unroll
      for (int row = group; row < group + step; ++row) load(from, row, row < length);
    }
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) from_[i] = from.at[i];
  }

  /// Scans and stores them all.
  __device__ void scan_columns() {
    prefix<T> running[lane_columns];
    lane_folds<Cut> folds[Cut::in_runs ? lane_columns : 1];
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      const auto mine = sequence(c);
      running[c] = mine.start();
      mine.write_start(running[c]);
      if constexpr (Cut::in_runs) folds[c].begin(running[c]);
    }
    int number = 0;  // of the run
    line_rows<const typename Cut::in_type, num_inputs> from(from_, 0);
    typename Cut::out_type* to_first[1] = {to_};
    line_rows<typename Cut::out_type, 1> to(to_first, 0);
#pragma unroll 1
    for (int left = static_cast<int>(scan_.shape.length); left > 0; left -= lane_rows) {
#pragma unroll
      for (int group = 0; group < lane_rows; group += step) {
        if (group >= left) break;  // (all lanes)
        if constexpr (Cut::in_runs) {
          if (group % Cut::run_rows == 0) {
#pragma unroll
            for (int c = 0; c < lane_columns; ++c) {
              running[c] = folds[c].next(number, scan_.op);
              fold(folds[c].run, c, group, left, number == 0 && !running[c].exists);
            }
            ++number;
          }
        }
#pragma unroll
        for (int row = group; row < group + step; ++row) {
          if (row < left) lines::store(to.at[0], scanned(row, running));
          to.step(row_);
          load(from, row, row + lane_rows < left);
        }
      }
    }
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) sequence(c).write_end(running[c]);
  }

 private:
  static constexpr int step = std::min({lane_rows, Cut::in_runs ? Cut::run_rows : lane_rows, 8});
  static_assert(lane_rows % step == 0);

  __device__ auto sequence(int c) const { return scan_.sequence(slab_, column_ + c); }
  __device__ void load(line_rows<const typename Cut::in_type, num_inputs>& from, int row,
                       bool is_there) {
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      if (is_there) items_[i][row] = lines::template load<in_line>(from.at[i]);
    }
    from.step(row_);
  }
  __device__ item_of<Cut> item(int row, int c) const {
    item_of<Cut> item{};
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      item.elements[i] = in_line::unpack(items_[i][row])[c];
    }
    return item;
  }
  /// Folds the run that begins with row `first`, of `left` that there are.
  __device__ void fold(T& folded, int c, int first, int left, bool is_first) const {
    auto op = scan_.op;
#pragma unroll
    for (int row = first; row < first + Cut::run_rows && row < lane_rows; ++row) {
      if (row == first) folded = run_of<T>(take(scan_, item(row, c)), is_first);
      if (row > first && row < left) folded = op(folded, take(scan_, item(row, c)));
    }
  }
  __device__ out_line scanned(int row, prefix<T> (&running)[lane_columns]) const {
    out_line results;
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      results[c] = scan_item(scan_, item(row, c), running[c]);
    }
    return results;
  }

  const Cut& scan_;
  const unsigned slab_, column_;
  const std::int64_t row_;
  const typename Cut::in_type* from_[num_inputs];
  typename Cut::out_type* to_;
  typename in_line::packed items_[num_inputs][lane_rows];
};

/// `Cut` is a lane_column_cut.
template <class Cut>
__global__ void __launch_bounds__(most_lane_column_threads)
    lane_column_kernel(const __grid_constant__ Cut scan) {
  admit_later_kernels();
  const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
  lane_column_walk<Cut> walk(scan, lane);  // (where its column is: while the kernel before ends)
  await_earlier_kernels();
  if (lane >= scan.num_lanes) return;
  walk.ask();
  walk.scan_columns();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
