// Columns, each strip of a slab's walked by a block: a thread folds a run of rows of its columns,
// and the runs of a tile, or of a part of it, meet in shared memory. As a thread scans a row it
// asks for that of the next step, which takes its registers, so that these suffice for much that is
// on its way. Nobody waits for another block.
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

/// What a thread does of a block with a strip of a slab, from a tile on. `Cut` is a
/// column_walk_cut.
template <class Cut>
class column_walk {
 public:
  using T = typename Cut::T;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int run_rows = Cut::run_rows, most_warps = Cut::most_warps;
  static constexpr int lane_columns = Cut::lane_columns, lane_lines = Cut::lane_lines;
  using in_line = vector_elements<typename Cut::in_type, lane_columns, false>;
  using out_line = vector_elements<typename Cut::out_type, lane_columns, false>;
  using lines = walk_lines<lane_columns>;
  using thread = walk_thread<Cut>;
  struct shared {
    // By parity: slow warps still read the last step's.
    shared_array<T, Cut::most_threads * lane_columns * lane_lines> runs[2];
    shared_array<T, Cut::in_steps ? Cut::most_columns : 1> in_tile[2];  // runs before the step's
    running_fold<T, Cut::most_columns, column_batch_tiles, span_batches> running;
  };

  /// `strip`: of all slabs'. Asks for the tile's rows.
  __device__ column_walk(const Cut& scan, shared& memory, unsigned strip, int tile)
      : scan_(scan),
        memory_(memory),
        at_(scan, strip),
        row_(scan.backwards ? -scan.shape.inner : scan.shape.inner) {
    const auto mine = sequence(at_.is_there() ? 0 : -at_.column);
    const std::int64_t first = std::int64_t{tile} * scan.step_rows() +
                               (at_.group * scan.strips.lane_runs + at_.place) * run_rows;
    left_ = at_.is_there() ? static_cast<int>(scan.shape.length - first) : 0;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      from_[i] = scan.first_row(mine.input(i)) + (first + Cut::beside(i)) * row_;
    }
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) to_[i] = scan.first_row(mine.output(i)) + first * row_;
#pragma unroll
    for (int c = 0; c < num_columns; ++c) {
      if (at_.is_there() && has(c)) common_[c] = sequence(c).in_common();
    }
#pragma unroll
    for (int line = 0; line < lane_lines; ++line) {
      in_rows from(from_, line * thread::line_columns);
#pragma unroll
      for (int row = 0; row < run_rows; ++row) load(from, line, row, left_);
    }
    scan.to_next_step(from_, row_);
  }

  /// What the columns start with, of their first tile. Before a barrier.
  __device__ void start() {
    if (at_.group > 0 || at_.place > 0 || left_ <= 0) return;
#pragma unroll
    for (int c = 0; c < num_columns; ++c) {
      if (!has(c)) break;
      const auto mine = sequence(c);
      const prefix<T> start = mine.start();
      is_first_ = !start.exists;  // (of all or none of a call's)
      memory_.running.enter(at_.of(c), start);
      mine.write_start(start);
    }
  }

  /// What the strip's column `column` starts with.
  __device__ prefix<T> start_of(int column) const {
    return scan_.sequence(at_.slab, at_.inner - at_.column + column).start();
  }

  /// Folds the thread's run, and the group's of each column.
  __device__ void fold() {
#pragma unroll
    for (int c = 0; c < num_columns; ++c) {
      T folded = fold_items(scan_, run{*this, c}, has(c) ? left_ : 0, is_first_);
      const bool exists = left_ > 0 && has(c);
      if constexpr (lane_lines == 1) {
        for (int places = 1; places < scan_.strips.lane_runs; places *= 2) {
          const T earlier = shuffle_up(folded, places * at_.lanes);
          if (exists && at_.place >= places) folded = scan_.op(earlier, folded);
        }
        scanned_[c] = folded;
      }
      // The last run of the group that there is has them all.
      const bool is_last = at_.place == scan_.strips.lane_runs - 1 || left_ <= run_rows;
      if (exists && is_last) runs_of(at_.group)[at_.of(c)] = folded;
    }
    is_first_ = false;
  }

  /// The fold of a tile's rows of a column, of which all groups have some; after a barrier.
  __device__ T fold_of_tile(int column) const { return fold_in_tile(column, most_warps).value; }

  /// Stores the run's results; after a barrier. If the walk `moves_on`, the next step's rows, which
  /// are asked for, are the thread's then.
  __device__ void finish(bool moves_on) {
    const int more = moves_on ? left_ - scan_.step_rows() : 0;
#pragma unroll
    for (int line = 0; line < lane_lines; ++line) finish_line(line, moves_on, more);
    scan_.to_next_step(from_, row_);
    scan_.to_next_step(to_, row_);
    left_ = more;
    ++step_;
    in_tile_ = Cut::in_steps && in_tile_ + 1 < scan_.tile_steps ? in_tile_ + 1 : 0;
    if (in_tile_ == 0) ++tile_;
  }

 private:
  static constexpr int num_columns = lane_columns * lane_lines;  // of a thread
  using in_rows = line_rows<const typename Cut::in_type, num_inputs>;
  using out_rows = line_rows<typename Cut::out_type, num_outputs>;

  /// Scans and stores the run of a line, and asks for that of the next step, which has `more` rows
  /// from it on.
  __device__ void finish_line(int line, bool moves_on, int more) {
    const int first = line * lane_columns;
    prefix<T> running[lane_columns];
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) running[c] = before(first + c, moves_on);
    in_rows from(from_, line * thread::line_columns);
    out_rows to(to_, line * thread::line_columns);
    // (Of most runs all rows are there, none of them a column's last, which is less to ask.)
    if (left_ > run_rows && has(first)) {
      finish_rows<true>(line, more, from, to, running);
    } else {
      finish_rows<false>(line, more, from, to, running);
    }
  }
  template <bool is_inside>
  __device__ void finish_rows(int line, int more, in_rows& from, out_rows& to,
                              prefix<T> (&running)[lane_columns]) {
    const int first = line * lane_columns;
#pragma unroll
    for (int row = 0; row < run_rows; ++row) {
      if (is_inside || (row < left_ && has(first))) {
        out_line results[num_outputs];
#pragma unroll
        for (int c = 0; c < lane_columns; ++c) {
          if (row > 0) running[c].exists = true;  // (which the compiler does not see)
          auto each = results_of<Cut>::scanned(scan_, run{*this, first + c}[row], running[c]);
          if (!is_inside && row == left_ - 1) {
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

  /// Whether the line of column `c` is there, of a thread that has any.
  __device__ bool has(int c) const { return lane_lines == 1 || c < at_.lines; }
  __device__ auto sequence(int c) const {
    return scan_.sequence(at_.slab, at_.inner + thread::beside_first(c));
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
  /// What a group's runs of the strip's columns fold to.
  __device__ T* runs_of(int group) const {
    const int apart = Cut::in_steps ? scan_.strips.width : Cut::most_columns;
    return &memory_.runs[step_ % 2][group * apart];
  }
  /// What a tile's runs of a column before step `step` fold to.
  __device__ T& in_tile_at(int step, int at) const { return memory_.in_tile[step % 2][at]; }
  /// The fold of a tile's runs of a column, up to those of the step's first `count` groups. (Some
  /// are read at once: who reads one after another waits for each.)
  __device__ prefix<T> fold_in_tile(int at, int count) const {
    constexpr int at_once = most_warps < 4 ? most_warps : 4;
    prefix<T> folded{};
    // (Who has no rows may have nothing there.)
    if constexpr (Cut::in_steps) folded = {in_tile_at(step_, at), in_tile_ > 0 && left_ > 0};
#pragma unroll
    for (int first = 0; first < most_warps; first += at_once) {
      if (first >= count) break;
      T next[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) next[i] = runs_of(first + i)[at];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (first + i == 0) {
          folded = join(folded, {next[0], true}, scan_.op);
        } else if (first + i < count) {
          folded.value = scan_.op(folded.value, next[i]);
        }
      }
    }
    return folded;
  }

  /// The fold of what precedes the thread's run of a column, if it has rows of it. The last group
  /// moves on what precedes the step.
  __device__ prefix<T> before(int c, bool moves_on) {
    if (!has(c)) return {};
    const int at = at_.of(c), group = left_ > 0 ? at_.group : 0;
    const prefix<T> before_tile = memory_.running.before(tile_, at);
    const prefix<T> in_tile = fold_in_tile(at, group);
    if (moves_on && at_.group == scan_.groups - 1 && at_.place == 0 && left_ > 0) {
      const prefix<T> all = join(in_tile, {runs_of(group)[at], true}, scan_.op);
      if (Cut::in_steps && in_tile_ + 1 < scan_.tile_steps) {
        in_tile_at(step_ + 1, at) = all.value;
      } else {
        memory_.running.move_on(tile_, at, all.value, scan_.op, tile_);
      }
    }
    const prefix<T> before_group = join(before_tile, in_tile, scan_.op);
    if (lane_lines > 1 || scan_.strips.lane_runs == 1) return before_group;
    const T of_lanes = shuffle_up(scanned_[c % lane_columns], at_.lanes);
    return join(before_group, {of_lanes, at_.place > 0 && left_ > 0}, scan_.op);
  }

  const Cut& scan_;
  shared& memory_;
  const thread at_;
  const std::int64_t row_;
  const typename Cut::in_type* from_[num_inputs];
  typename Cut::out_type* to_[num_outputs];
  typename Cut::constants common_[num_columns];
  int left_;                               // rows from the thread's run on, or less than 0
  int step_ = 0, tile_ = 0, in_tile_ = 0;  // of the walk; its tile, and which of that's steps
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
  for (int rows = static_cast<int>(scan.shape.length); rows > 0; rows -= scan.step_rows()) {
    walk.fold();
    __syncthreads();
    walk.finish(rows > scan.step_rows());
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
