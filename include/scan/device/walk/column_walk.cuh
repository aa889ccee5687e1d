// Columns, each strip of a slab's walked by a block: a thread folds a run of rows of its columns,
// and the runs of a tile meet in shared memory. As a thread scans a row it asks for that of the
// next tile, which takes its registers, so that these suffice for much that is on its way. Nobody
// waits for another block.
#ifndef SCAN_DEVICE_WALK_COLUMN_WALK_CUH
#define SCAN_DEVICE_WALK_COLUMN_WALK_CUH

#include <cstdint>

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/running_fold.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/move/walk_beside.cuh"
#include "scan/device/move/walk_lines.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/column_walk_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a thread of a block does that has a strip of a slab, from a tile on. `Cut` is a
/// column_walk_cut.
template <class Cut>
class column_walk {
 public:
  using T = typename Cut::T;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int run_rows = Cut::run_rows;
  static constexpr int lane_columns = Cut::lane_columns, lane_lines = Cut::lane_lines;
  static constexpr int most_warps = Cut::most_warps;
  using in_line = vector_elements<typename Cut::in_type, lane_columns, false>;
  using out_line = vector_elements<typename Cut::out_type, lane_columns, false>;
  using lines = walk_lines<lane_columns>;
  struct shared {
    // By parity: slow warps still read the last tile's.
    shared_array<T, Cut::most_columns> runs[2][most_warps];
    running_fold<T, Cut::most_columns, column_batch_tiles, span_batches> running;
  };

  /// `strip`: of all slabs'. Asks for the tile's rows.
  __device__ column_walk(const Cut& scan, shared& memory, unsigned strip, int tile)
      : scan_(scan),
        memory_(memory),
        num_warps_(static_cast<int>(blockDim.x) / warp_size),
        lanes_(lane_lines > 1 ? warp_size : (scan.strips.width + lane_columns - 1) / lane_columns),
        place_(lane_index() / lanes_),
        column_((lane_index() - place_ * lanes_) * lane_columns) {
    const auto per_slab = static_cast<unsigned>(scan.strips.per_slab);
    slab_ = strip / per_slab;
    inner_ = std::int64_t{strip - slab_ * per_slab} * scan.strips.width + column_;
    const std::int64_t width =
        min(scan.shape.inner - inner_ + column_, static_cast<std::int64_t>(scan.strips.width));
    const bool is_there = place_ < scan.strips.lane_runs && column_ < width;
    lines_ = is_there ? (static_cast<int>(width) - column_ - 1) / line_columns + 1 : 0;
    const auto mine = sequence(is_there ? 0 : -column_);
    const std::int64_t first = std::int64_t{tile} * tile_rows() +
                               (warp_index() * scan.strips.lane_runs + place_) * run_rows;
    left_ = is_there ? static_cast<int>(scan.shape.length - first) : 0;
    row_ = scan.backwards ? -scan.shape.inner : scan.shape.inner;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      from_[i] = first_row(mine.input(i)) + (first + Cut::beside(i)) * row_;
    }
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) to_[i] = first_row(mine.output(i)) + first * row_;
#pragma unroll
    for (int c = 0; c < num_columns; ++c) {
      if (is_there && has(c)) common_[c] = sequence(c).in_common();
    }
#pragma unroll
    for (int line = 0; line < lane_lines; ++line) {
      in_rows from(from_, line * line_columns);
#pragma unroll
      for (int row = 0; row < run_rows; ++row) load(from, line, row, left_);
    }
    to_next_tile(from_);
  }

  /// What the columns start with, of their first tile. Before a barrier.
  __device__ void start() {
    if (warp_index() > 0 || place_ > 0 || left_ <= 0) return;
#pragma unroll
    for (int c = 0; c < num_columns; ++c) {
      if (!has(c)) break;
      const auto mine = sequence(c);
      const prefix<T> start = mine.start();
      is_first_ = !start.exists;  // (of all or none of a call's)
      memory_.running.enter(place_of(c), start);
      mine.write_start(start);
    }
  }

  /// What the strip's column `column` starts with.
  __device__ prefix<T> start_of(int column) const {
    return scan_.sequence(slab_, inner_ - column_ + column).start();
  }

  /// Folds the thread's run, and the warp's of each column.
  __device__ void fold() {
#pragma unroll
    for (int c = 0; c < num_columns; ++c) {
      T folded = fold_items(scan_, run{*this, c}, has(c) ? left_ : 0, is_first_);
      const bool exists = left_ > 0 && has(c);
      if constexpr (lane_lines == 1) {
        for (int places = 1; places < scan_.strips.lane_runs; places *= 2) {
          const T earlier = shuffle_up(folded, places * lanes_);
          if (exists && place_ >= places) folded = scan_.op(earlier, folded);
        }
        scanned_[c] = folded;
      }
      // The last run of the warp that there is has them all.
      const bool is_last = place_ == scan_.strips.lane_runs - 1 || left_ <= run_rows;
      if (exists && is_last) runs_of(warp_index())[place_of(c)] = folded;
    }
    is_first_ = false;
  }

  /// The fold of a tile's rows of a column, of which all of most_warps have some; after a barrier.
  __device__ T fold_of_tile(int column) {
    T folded = runs_of(0)[column];
#pragma unroll
    for (int i = 1; i < most_warps; ++i) folded = scan_.op(folded, runs_of(i)[column]);
    return folded;
  }

  /// Stores the run's results; after a barrier. If the walk `moves_on`, the next tile's rows, which
  /// are asked for, are the thread's then.
  __device__ void finish(bool moves_on) {
    const int more = moves_on ? left_ - tile_rows() : 0;
#pragma unroll
    for (int line = 0; line < lane_lines; ++line) finish_line(line, moves_on, more);
    to_next_tile(from_);
    to_next_tile(to_);
    left_ = more;
    ++tile_;
  }

  __device__ int tile_rows() const { return scan_.tile_rows(num_warps_); }

 private:
  static constexpr int num_columns = lane_columns * lane_lines;  // of a thread
  /// From a line to the next: a warp's lanes.
  static constexpr int line_columns = lane_lines > 1 ? warp_size : Cut::most_columns;

  using in_rows = line_rows<const typename Cut::in_type, num_inputs>;

  /// Scans and stores the run of a line, and asks for that of the next tile, which has `more` rows
  /// from it on.
  __device__ void finish_line(int line, bool moves_on, int more) {
    const int first = line * lane_columns;
    prefix<T> running[lane_columns];
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) running[c] = before(first + c, moves_on);
    in_rows from(from_, line * line_columns);
    line_rows<typename Cut::out_type, num_outputs> to(to_, line * line_columns);
#pragma unroll
    for (int row = 0; row < run_rows; ++row) {
      if (row < left_ && has(first)) {
        out_line results[num_outputs];
#pragma unroll
        for (int c = 0; c < lane_columns; ++c) {
          auto each = results_of<Cut>::scanned(scan_, run{*this, first + c}[row], running[c]);
          if (row == left_ - 1) {
            each.finish(sequence(first + c), running[c]);
            sequence(first + c).write_end(running[c]);
          }
#pragma unroll
          for (int i = 0; i < num_outputs; ++i) results[i][c] = each.of[i];
        }
#pragma unroll
        for (int i = 0; i < num_outputs; ++i) lines::store(to.at[i], results[i]);
      }
      to.step(row_);
      load(from, line, row, more);
    }
  }

  /// The thread's items of one of its columns.
  struct run {
    static constexpr int count = run_rows;
    const column_walk& walk;
    int column;
    __device__ item_of<Cut> operator[](int row) const {
      item_of<Cut> item{{}, walk.common_[column]};
#pragma unroll
      for (int i = 0; i < num_inputs; ++i) {
        const auto& packed = walk.items_[i][column / lane_columns][row];
        item.elements[i] = in_line::unpack(packed)[column % lane_columns];
      }
      return item;
    }
  };

  /// Of the thread's columns: where column `c` is from its first one on, and in the strip; whether
  /// its line is there, of a thread that has any.
  __device__ static int beside_first(int c) { return lane_lines > 1 ? c * line_columns : c; }
  __device__ int place_of(int c) const { return column_ + beside_first(c); }
  __device__ bool has(int c) const { return lane_lines == 1 || c < lines_; }
  __device__ auto sequence(int c) const { return scan_.sequence(slab_, inner_ + beside_first(c)); }
  /// Rows are numbered as they are scanned.
  template <class Element>
  __device__ Element* first_row(Element* data) const {
    return scan_.backwards ? data + (scan_.shape.length - 1) * scan_.shape.inner : data;
  }
  /// Asks for row `row` of a line's run of which `count` are there, or more.
  __device__ void load(in_rows& from, int line, int row, int count) {
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      if (row < count && has(line * lane_columns)) {
        items_[i][line][row] = is_none_beside<Cut>(i, row, count, scan_.shape.length)
                                   ? ones<in_line>()
                                   : lines::template load<in_line>(from.at[i]);
      }
    }
    from.step(row_);
  }
  /// From a tile's run to the next one's.
  template <class Element, int count>
  __device__ void to_next_tile(Element* (&data)[count]) const {
#pragma unroll
    for (int i = 0; i < count; ++i) data[i] += tile_rows() * row_;
  }
  __device__ shared_array<T, Cut::most_columns>& runs_of(int warp) const {
    return memory_.runs[tile_ % 2][warp];
  }

  /// The fold of what precedes the thread's run of a column, if it has rows of it. The last warp
  /// moves on what precedes the tile.
  __device__ prefix<T> before(int c, bool moves_on) {
    if (!has(c)) return {};
    const int at = place_of(c), warp = left_ > 0 ? warp_index() : 0;
    T folded;
#pragma unroll
    for (int i = 0; i + 1 < most_warps; ++i) {
      if (i >= warp) break;
      const T& of_warp = runs_of(i)[at];
      folded = i == 0 ? of_warp : scan_.op(folded, of_warp);
    }
    const prefix<T> before_tile = memory_.running.before(tile_, at);
    const prefix<T> before_warp{folded, warp > 0};
    if (moves_on && warp_index() == num_warps_ - 1 && place_ == 0 && left_ > 0) {
      const prefix<T> of_tile = join(before_warp, {runs_of(warp)[at], true}, scan_.op);
      memory_.running.move_on(tile_, at, of_tile.value, scan_.op, tile_);
    }
    const prefix<T> before_run = join(before_tile, before_warp, scan_.op);
    if constexpr (lane_lines > 1) return before_run;  // (a warp has one run of each column)
    const T of_lanes = shuffle_up(scanned_[c % lane_columns], lanes_);
    return join(before_run, {of_lanes, place_ > 0 && left_ > 0}, scan_.op);
  }

  const Cut& scan_;
  shared& memory_;
  const int num_warps_;
  // Where the thread is: lanes of a run, which of a warp's runs, and which column of the strip is
  // its first; of which slab, and of its columns.
  const int lanes_, place_, column_;
  unsigned slab_;
  std::int64_t inner_, row_;
  const typename Cut::in_type* from_[num_inputs];
  typename Cut::out_type* to_[num_outputs];
  typename Cut::constants common_[num_columns];
  int lines_;  // that there are
  int left_;   // rows from the thread's run on, or less than 0
  int tile_ = 0;
  bool is_first_ = false;  // the thread's run begins the column, with no init before it
  typename in_line::packed items_[num_inputs][lane_lines][run_rows];
  T scanned_[lane_columns];
};

/// A block a strip. `Cut` is a column_walk_cut.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    column_walk_kernel(const __grid_constant__ Cut scan) {
  static_assert(sizeof(typename column_walk<Cut>::shared) <= 48 * 1024);  // what is granted unasked
  __shared__ typename column_walk<Cut>::shared memory;
  admit_later_kernels();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  column_walk<Cut> walk(scan, memory, blockIdx.x, 0);
  walk.start();
#pragma unroll 1
  for (int rows = static_cast<int>(scan.shape.length); rows > 0; rows -= walk.tile_rows()) {
    walk.fold();
    __syncthreads();
    walk.finish(rows > walk.tile_rows());
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
