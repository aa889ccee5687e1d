// Columns whose rows the threads of a block hold in registers, from memory and back to it without
// shared memory in between: calls that wait for latency more than for memory. In the order of who
// has the same columns where there are more of them, and so with their bits.
#ifndef SCAN_DEVICE_TENSOR_HELD_COLUMNS_CUH
#define SCAN_DEVICE_TENSOR_HELD_COLUMNS_CUH

#include <cstdint>

#include "scan/device/fold/items.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/move/walk_lines.cuh"
#include "scan/device/plan/held_column_plan.hpp"
#include "scan/device/tensor/held_array.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The sequences of a tensor with inner from 2 on; `Tensor` is a tensor_problem that goes forwards,
/// of no slices. A thread has a run of one column, or some runs of a tile.
template <class Tensor>
struct held_column_cut : Tensor {
  using Tensor::num_inputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static_assert(Tensor::num_outputs == 1 && !Tensor::is_walked);
  static constexpr column_sizes sizes = {static_cast<int>(sizeof(in_type)),
                                         static_cast<int>(sizeof(out_type)),
                                         static_cast<int>(sizeof(T)), num_inputs};
  static constexpr int most_rows = most_held_rows(sizes), most_joined = most_joined_rows(sizes);
  using array = held_array<in_type, most_rows, are_paired(sizes)>;

  held_plan plan;
  bool backwards;                     // from the last row in memory on
  unsigned num_columns;               // of all slabs
  small_divisor per_width, per_tile;  // those of plan.width, order.tile_runs

  held_column_cut(const Tensor& scan, const held_plan& plan, bool backwards)
      : Tensor(scan),
        plan(plan),
        backwards(backwards),
        num_columns(static_cast<unsigned>(scan.shape.outer * scan.shape.inner)),
        per_width(plan.width),
        per_tile(plan.order.tile_runs) {}
};

/// A thread's rows. `Cut` is a held_column_cut.
template <class Cut>
class held_rows {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using array = typename Cut::array;
  static constexpr int num_inputs = Cut::num_inputs, most_rows = Cut::most_rows;

  /// Which they are. Without rows no more is called than is_there().
  __device__ explicit held_rows(const Cut& scan)
      : scan_(scan), step_(scan.backwards ? -scan.shape.inner : scan.shape.inner) {
    const held_plan& plan = scan.plan;
    const column_order& order = plan.order;
    const int number = scan.per_width.quotient(static_cast<int>(threadIdx.x));
    beside_ = static_cast<int>(threadIdx.x) - number * plan.width;
    const unsigned column = blockIdx.x * plan.width + beside_;
    const auto inner = static_cast<unsigned>(scan.shape.inner);
    slab_ = column / inner;
    column_ = column - slab_ * inner;
    const int first_run = number * plan.thread_runs;
    tile_ = scan.per_tile.quotient(first_run);
    in_tile_ = first_run - tile_ * order.tile_runs;
    const int above = in_tile_ * order.run_rows, first = tile_ * order.tile_rows + above;
    const int left = min(order.tile_rows - above, static_cast<int>(scan.shape.length) - first);
    count_ = column < scan.num_columns ? max(min(left, plan.thread_runs * order.run_rows), 0) : 0;
    row_ = scan.backwards ? scan.shape.length - 1 - first : first;
    first_fold_ = first_run * plan.width + beside_;
    is_first_ = number == 0;
    is_last_ = first + count_ == scan.shape.length;
  }

  __device__ bool is_there() const { return count_ > 0; }
  /// Whether they are the column's first ones, or its last.
  __device__ bool is_first() const { return is_first_; }
  __device__ bool is_last() const { return is_last_; }
  /// The tile that they are of, and how many of its runs come before them; whether none comes
  /// after, but tiles do.
  __device__ int tile() const { return tile_; }
  __device__ int runs_before() const { return in_tile_; }
  __device__ bool ends_tile() const {
    return in_tile_ + scan_.plan.thread_runs == scan_.plan.order.tile_runs && !is_last_;
  }
  /// Which of the block's columns theirs is.
  __device__ int beside() const { return beside_; }
  __device__ auto sequence() const { return scan_.sequence(slab_, column_); }
  /// Where the fold of the first run is; the next one's is behind those of other columns.
  __device__ int first_fold() const { return first_fold_; }

  /// Asks for them, or for as many as may come at once.
  __device__ void load() {
    const auto mine = sequence();
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) next_[k] = mine.input(k) + row_ * scan_.shape.inner;
    each_group<array::at_once>([&](int first) { ask(first); });
  }
  /// Folds each run, and asks for the rest; returns the last one's. `several`: there are some, else
  /// one.
  template <bool several>
  __device__ T fold(T* to) {
    auto op = scan_.op;
    int at = first_fold_;
    T value;
    each_group<(several ? Cut::most_joined : most_rows)>([&](int first) {
      each_row_of(first, [&](int i) {
#pragma unroll
        for (int k = 0; k < num_inputs; ++k) rows_[k].keep(i);
        if (i == 0) {
          value = run_of<T>(take(0), is_first_ && !scan_.has_init());
        } else if (several && begins_run(i) && i < count_) {
          to[at] = value;
          at += scan_.plan.width;
          value = run_of<T>(take(i), false);
        } else if (i < count_) {
          value = op(value, take(i));
        }
      });
      if (first + array::at_once < num_rows()) ask(first + array::at_once);
    });
    to[at] = value;
    return value;
  }
  /// Stores the results; returns the fold of all up to the last row. `before_tile`, `before`: of
  /// what precedes their tile, and of the tile's runs that precede them; `of_runs`: what fold()
  /// made.
  template <bool several>
  __device__ prefix<T> scan(const prefix<T>& before_tile, prefix<T> before,
                            const T* of_runs) const {
    auto* to = sequence().output(0) + row_ * scan_.shape.inner;
    int at = first_fold_;
    prefix<T> running = join(before_tile, before, scan_.op);
    each_group<(several ? Cut::most_joined : most_rows)>([&](int first) {
      each_row_of(first, [&](int i) {
        if (i > 0) running.exists = true;  // (which the compiler does not see)
        if (several && begins_run(i) && i < count_) {
          before = join(before, {of_runs[at], true}, scan_.op);
          at += scan_.plan.width;
          int has_before_tile = before_tile.exists;
          asm("" : "+r"(has_before_tile));  // (else the compiler has all of this twice)
          running = join({before_tile.value, has_before_tile != 0}, before, scan_.op);
        }
        if (i < count_) *to = scan_item(scan_, item(i), running);
        step_row(to, step_);
      });
    });
    return running;
  }

 private:
  /// Rows that a thread may have.
  __device__ int num_rows() const { return scan_.plan.thread_runs * scan_.plan.order.run_rows; }
  /// Calls do_group(first row) of all groups of these.
  template <int most, class DoGroup>
  __device__ void each_group(DoGroup do_group) const {
    const int rows = num_rows();
#pragma unroll
    for (int first = 0; first < most; first += least_run_rows) {
      if (first >= rows) break;  // (all threads)
      do_group(first);
    }
  }
  template <class DoRow>
  __device__ static void each_row_of(int first, DoRow do_row) {
#pragma unroll
    for (int i = first; i < first + least_run_rows && i < most_rows; ++i) do_row(i);
  }
  /// Asks for a group, the one behind what has been asked for.
  __device__ void ask(int first) {
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      each_row_of(first, [&](int i) {
        if (i < count_) rows_[k].coming(i) = *next_[k];
        step_row(next_[k], step_);
      });
    }
  }
  /// Whether another run begins with row `i`: each has a power of two of them.
  __device__ bool begins_run(int i) const {
    return i > 0 && i % least_run_rows == 0 && (i & (scan_.plan.order.run_rows - 1)) == 0;
  }
  __device__ item_of<Cut> item(int i) const {
    item_of<Cut> of{};
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) of.elements[k] = rows_[k][i];
    return of;
  }
  __device__ auto take(int i) const { return device::take(scan_, item(i)); }

  const Cut& scan_;
  const std::int64_t step_;
  unsigned slab_, column_;
  int beside_, tile_, in_tile_, first_fold_, count_;
  bool is_first_, is_last_;
  std::int64_t row_;                 // in memory
  const in_type* next_[num_inputs];  // to be asked for
  array rows_[num_inputs];
};

/// The fold of `count` values that are `step` apart.
template <class T, class Op>
__device__ prefix<T> fold_of(const T* from, int count, int step, Op op) {
  prefix<T> folded{};
#pragma unroll 1
  for (int i = 0; i < count; ++i) folded = join(folded, {from[i * step], true}, op);
  return folded;
}

/// The folds of a tile's runs up to each of them, a thread's each, by halves: in place of `folds`
/// or of `others`, which is returned. `fold`: the thread's. All threads call it.
template <class Cut, class T>
__device__ T* scan_by_halves(const Cut& scan, const held_rows<Cut>& rows, T fold, T* folds,
                             T* others) {
  auto op = scan.op;
  const int at = rows.first_fold();
#pragma unroll 1
  for (int delta = 1; delta < scan.plan.order.tile_runs; delta *= 2) {
    if (rows.is_there()) {
      if (rows.runs_before() >= delta) fold = op(folds[at - delta * scan.plan.width], fold);
      others[at] = fold;
    }
    T* const from = folds;
    folds = others, others = from;
    __syncthreads();
  }
  return folds;
}

/// A block some columns. `Cut` is a held_column_cut.
template <class Cut>
__global__ void __launch_bounds__(held_threads)
    held_column_kernel(const __grid_constant__ Cut scan) {
  using T = typename Cut::T;
  extern __shared__ __align__(128) unsigned char arrays[];
  T* const folds = reinterpret_cast<T*>(arrays);  // of runs, columns beside each other
  T* const others = folds + scan.plan.num_runs() * scan.plan.width;  // of tiles, or runs by halves
  const bool several = scan.plan.thread_runs > 1;
  admit_later_kernels();
  held_rows<Cut> rows(scan);  // (where they are: while the kernel before ends)
  await_earlier_kernels();
  prefix<T> before_tile{}, before{};
  T fold;
  if (rows.is_there()) {
    rows.load();
    before_tile = rows.sequence().start();
    if (rows.is_first()) rows.sequence().write_start(before_tile);
    fold = several ? rows.template fold<true>(folds) : rows.template fold<false>(folds);
  }
  __syncthreads();

  // ---- what precedes the rows in their tile; what tiles are ----
  const column_order& order = scan.plan.order;
  const int width = scan.plan.width, at = rows.first_fold(), earlier = rows.runs_before();
  T* of_tiles = others;
  int tile_step = width;
  if (order.by_halves) {
    T* const of_runs = scan_by_halves(scan, rows, fold, folds, others);
    if (rows.is_there() && earlier > 0) before = {of_runs[at - width], true};
    of_tiles = of_runs + (order.tile_runs - 1) * width;
    tile_step = order.tile_runs * width;
  } else {
    const T* const of_runs = folds + at - earlier * width;
    if (rows.is_there()) before = fold_of(of_runs, earlier, width, scan.op);
    if (scan.shape.length > order.tile_rows) {
      if (rows.is_there() && rows.ends_tile()) {
        of_tiles[rows.tile() * width + rows.beside()] =
            fold_of(of_runs, order.tile_runs, width, scan.op).value;
      }
      __syncthreads();
    }
  }
  if (!rows.is_there()) return;

  // ---- what precedes the tile: a batch, and then tiles ----
  if (rows.tile() > 0) {
    const T* const tiles = of_tiles + rows.beside();
    const int batch = rows.tile() < order.batch_tiles ? 0 : order.batch_tiles;
    const auto of_batch = fold_of(tiles, batch, tile_step, scan.op);
    const auto behind = fold_of(tiles + batch * tile_step, rows.tile() - batch, tile_step, scan.op);
    before_tile = join(join(before_tile, of_batch, scan.op), behind, scan.op);
  }
  const prefix<T> end = several ? rows.template scan<true>(before_tile, before, folds)
                                : rows.template scan<false>(before_tile, before, folds);
  if (rows.is_last()) rows.sequence().write_end(end);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
