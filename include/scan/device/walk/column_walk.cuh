// Columns, each strip of a slab's walked by a block: a thread folds a run of rows of its columns,
// the runs of a tile meet in shared memory, with the rows of the next tile under way. Nobody waits
// for another block.
#ifndef SCAN_DEVICE_WALK_COLUMN_WALK_CUH
#define SCAN_DEVICE_WALK_COLUMN_WALK_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/running_fold.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/move/walk_beside.cuh"
#include "scan/device/move/walk_lines.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/device/slice/slice_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The sequences of a tensor with inner from 2 on; `Tensor` is a tensor_problem. A lane has
/// `lane_columns` columns beside each other: more than one where these lie at multiples of their
/// size together.
template <class Tensor, int lane_columns_>
struct column_walk_cut : Tensor {
  using Tensor::num_inputs;
  using Tensor::num_outputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int element_bytes =
      static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  static constexpr int lane_columns = lane_columns_;
  static constexpr int run_rows = walk_run_rows(element_bytes, Tensor::run_inputs);
  static constexpr int most_warps = most_column_warps(static_cast<int>(sizeof(T)));
  static constexpr int most_threads = most_warps * warp_size;
  static constexpr int most_columns = warp_size * lane_columns;
  static constexpr int blocks_per_sm = std::max(
      walk_threads_per_sm(std::max(num_inputs, 2), lane_columns* static_cast<int>(sizeof(T))) /
          most_threads,
      1);

  walk_strips strips;

  explicit column_walk_cut(const Tensor& scan)
      : Tensor(scan), strips(walk_strips_of(scan.shape.inner, element_bytes, lane_columns)) {}

  std::int64_t num_blocks() const { return this->shape.outer * strips.per_slab; }
  /// Warps of a block: as many as have rows.
  int num_warps() const {
    const std::int64_t runs = (this->shape.length - 1) / run_rows + 1;
    return static_cast<int>(std::min<std::int64_t>((runs - 1) / strips.lane_runs + 1, most_warps));
  }
  /// Whether a tensor's columns lie so that a lane may have these.
  static bool fits(const Tensor& scan) {
    if (lane_columns == 1) return true;
    const auto lies = [&](auto* data, std::int64_t pitch) {
      return vector_aligned(data, lane_columns) && pitch % lane_columns == 0;
    };
    bool all = scan.shape.inner > warp_size && scan.shape.inner % lane_columns == 0;
    for (int i = 0; i < num_outputs; ++i) all = all && lies(scan.output(i), scan.shape.out_pitch);
    for (int i = 0; i < num_inputs; ++i) all = all && lies(scan.input(i), scan.shape.in_pitch);
    return all;
  }
};

/// What a thread of block `blockIdx.x` does, which has a strip of a slab. `Cut` is a
/// column_walk_cut.
template <class Cut>
class column_walk {
 public:
  using T = typename Cut::T;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int run_rows = Cut::run_rows;
  static constexpr int lane_columns = Cut::lane_columns, most_warps = Cut::most_warps;
  using in_line = vector_elements<typename Cut::in_type, lane_columns, false>;
  using out_line = vector_elements<typename Cut::out_type, lane_columns, false>;
  using lines = walk_lines<lane_columns>;
  struct shared {
    // By parity: slow warps still read the last tile's.
    shared_array<T, Cut::most_columns> runs[2][most_warps];
    running_fold<T, Cut::most_columns> running;
  };
  /// A run's rows, as they lie in memory, of each array.
  struct fetched {
    typename in_line::packed of[num_inputs][run_rows];
  };

  __device__ column_walk(const Cut& scan, shared& memory) : scan_(scan), memory_(memory) {
    const std::int64_t slab = slab_index(), inner = first_inner();
    const auto mine = scan.sequence(slab, is_there() ? inner : 0);
    const int first = (warp_index() * scan.strips.lane_runs + place()) * run_rows;
    left_ = is_there() ? static_cast<int>(scan.shape.length) - first : 0;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      from_[i] = row_at(first_row(mine.input(i)), first + Cut::beside(i));
    }
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) to_[i] = row_at(first_row(mine.output(i)), first);
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      if (is_there()) common_[c] = sequence(c).in_common();
    }
  }

  /// What the columns start with. Before a barrier.
  __device__ void start() {
    if (!moves_on()) return;
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      const auto mine = sequence(c);
      const prefix<T> start = mine.start();
      is_first_ = !start.exists;  // (of all or none of a call's)
      memory_.running.enter(column() + c, start);
      mine.write_start(start);
    }
  }

  /// Asks for the rows of the thread's run `ahead` tiles from here.
  __device__ fetched fetch(int ahead) {
    const int count = left_ - ahead * tile_rows();
    fetched result;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
#pragma unroll
      for (int row = 0; row < run_rows; ++row) {
        if (row >= count) continue;
        result.of[i][row] = is_none_beside<Cut>(i, row, count, scan_.shape.length)
                                ? ones<in_line>()
                                : lines::template load<in_line>(row_at(from_[i], row));
      }
      from_[i] = row_at(from_[i], tile_rows());
    }
    return result;
  }

  /// Folds the thread's run, and the warp's of each column.
  __device__ void fold(const fetched& from) {
    items_ = from;
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      scanned_[c] = fold_items(scan_, run{*this, c}, left_, is_first_);
      const bool exists = left_ > 0;
      for (int places = 1; places < scan_.strips.lane_runs; places *= 2) {
        const T earlier = shuffle_up(scanned_[c], places * lanes());
        if (exists && place() >= places) scanned_[c] = scan_.op(earlier, scanned_[c]);
      }
      // The last run of the warp that there is has them all.
      const bool is_last = place() == scan_.strips.lane_runs - 1 || left_ <= run_rows;
      if (exists && is_last) memory_.runs[tile_ % 2][warp_index()][column() + c] = scanned_[c];
    }
    is_first_ = false;
  }

  /// Stores the run's results; after a barrier. Then the next tile's is the thread's.
  __device__ void finish() {
    fetched_out results[num_outputs];
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      const prefix<T> before_warp = before(c);
      const T of_lanes = shuffle_up(scanned_[c], lanes());
      prefix<T> running = join(before_warp, {of_lanes, place() > 0 && left_ > 0}, scan_.op);
#pragma unroll
      for (int row = 0; row < run_rows; ++row) {
        if (row >= left_) continue;
        auto each = results_of<Cut>::scanned(scan_, run{*this, c}[row], running);
        if (row == left_ - 1) each.finish(sequence(c), running);
#pragma unroll
        for (int i = 0; i < num_outputs; ++i) results[i].of[row][c] = each.of[i];
      }
      if (left_ > 0 && left_ <= run_rows) sequence(c).write_end(running);
    }
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) {
#pragma unroll
      for (int row = 0; row < run_rows; ++row) {
        if (row >= left_) continue;
        lines::store(row_at(to_[i], row), results[i].of[row]);
      }
      to_[i] = row_at(to_[i], tile_rows());
    }
    left_ -= tile_rows();
    ++tile_;
  }

  __device__ int tile_rows() const {
    return static_cast<int>(blockDim.x) / warp_size * scan_.strips.lane_runs * run_rows;
  }

 private:
  struct fetched_out {
    out_line of[run_rows];
  };
  /// The thread's items of one of its columns.
  struct run {
    static constexpr int count = run_rows;
    const column_walk& walk;
    int column;
    __device__ item_of<Cut> operator[](int row) const {
      item_of<Cut> item{{}, walk.common_[column]};
#pragma unroll
      for (int i = 0; i < num_inputs; ++i) {
        item.elements[i] = in_line::unpack(walk.items_.of[i][row])[column];
      }
      return item;
    }
  };

  // Where the thread is: which of a warp's runs, and which column of the strip is its first.
  __device__ int lanes() const { return (scan_.strips.width + lane_columns - 1) / lane_columns; }
  __device__ int place() const { return lane_index() / lanes(); }
  __device__ int column() const { return lane_index() % lanes() * lane_columns; }
  __device__ std::int64_t slab_index() const { return blockIdx.x / scan_.strips.per_slab; }
  __device__ std::int64_t first_inner() const {
    return (blockIdx.x - slab_index() * scan_.strips.per_slab) * scan_.strips.width + column();
  }
  __device__ bool is_there() const {
    return place() < scan_.strips.lane_runs && first_inner() < scan_.shape.inner;
  }
  __device__ bool moves_on() const { return warp_index() == 0 && place() == 0 && is_there(); }
  __device__ auto sequence(int c) const { return scan_.sequence(slab_index(), first_inner() + c); }
  /// Rows are numbered as they are scanned.
  template <class Element>
  __device__ Element* first_row(Element* data) const {
    return Cut::reversed ? data + (scan_.shape.length - 1) * scan_.shape.inner : data;
  }
  template <class Element>
  __device__ Element* row_at(Element* from, int row) const {
    const std::int64_t distance = row * scan_.shape.inner;
    return Cut::reversed ? from - distance : from + distance;
  }

  /// The fold of what precedes the warp's runs of a column, if the thread has rows of it. The first
  /// warp moves it on.
  __device__ prefix<T> before(int c) {
    const int at = column() + c, num_warps = static_cast<int>(blockDim.x) / warp_size;
    // Of the tile's warps, those that have a row; a thread knows it by its own.
    const int warp_rows = scan_.strips.lane_runs * run_rows;
    const int of_tile = left_ + (warp_index() * scan_.strips.lane_runs + place()) * run_rows;
    const int count = min((of_tile + warp_rows - 1) / warp_rows, num_warps);
    const bool moves = warp_index() == 0;
    const int wanted = moves ? count : left_ > 0 ? warp_index() : 0;
    T folded;
#pragma unroll
    for (int i = 0; i < most_warps; ++i) {
      if (i >= wanted) continue;
      T& of_warp = memory_.runs[tile_ % 2][i][at];
      folded = i == 0 ? of_warp : scan_.op(folded, of_warp);
    }
    const prefix<T> before_tile = memory_.running.before(tile_, at);
    if (moves_on() && count > 0) memory_.running.move_on(tile_, at, folded, scan_.op, tile_);
    return join(before_tile, {folded, !moves && left_ > 0}, scan_.op);
  }

  const Cut& scan_;
  shared& memory_;
  const typename Cut::in_type* from_[num_inputs];
  typename Cut::out_type* to_[num_outputs];
  typename Cut::constants common_[lane_columns];
  int left_;  // rows from the thread's run on, or less than 0
  int tile_ = 0;
  bool is_first_ = false;  // the thread's run begins the column, with no init before it
  fetched items_;
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
  column_walk<Cut> walk(scan, memory);
  auto next = walk.fetch(0);
  walk.start();
#pragma unroll 1
  for (int rows = static_cast<int>(scan.shape.length); rows > 0; rows -= walk.tile_rows()) {
    walk.fold(next);
    next = walk.fetch(1);
    __syncthreads();
    walk.finish();
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
