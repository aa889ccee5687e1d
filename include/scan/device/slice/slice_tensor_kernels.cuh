// The small kernels of a tensor's scan across GPUs: what a rank tells the others of its slices, and
// what it makes of what they tell.
#ifndef SCAN_DEVICE_SLICE_SLICE_TENSOR_KERNELS_CUH
#define SCAN_DEVICE_SLICE_SLICE_TENSOR_KERNELS_CUH

#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/slice/slice_kernels.cuh"
#include "scan/device/slice/slice_message.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A rank's memory of a call, after the gather. What precedes each of its sequences follows.
struct slice_tensor_state {
  bool is_refused;
  int last_rank;  // whose totals are everybody's
};
inline constexpr int slice_starts_offset = 256;
static_assert(sizeof(slice_tensor_state) <= slice_starts_offset);

__device__ inline std::int64_t thread_of_grid() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t threads_of_grid() { return std::int64_t{gridDim.x} * blockDim.x; }

/// The header and the inits. All threads of the grid.
template <class Tensor, class T>
__device__ void write_head(const Tensor& scan, const slice_tensor_message<T>& to,
                           const slice_header& header) {
  if (thread_of_grid() == 0) {
    to.header() = header;
    if (header.has_init == one_init) to.inits()[0] = scan.init.value;
  }
  if (header.has_init != init_each) return;
  for (std::int64_t i = thread_of_grid(); i < to.num_sequences; i += threads_of_grid()) {
    to.inits()[i] = scan.as_operand(scan.init_pointer[i]);
  }
}

/// A row's folds as share_folds has them.
template <class T_, class Op>
struct folded_row {
  using T = T_;
  Op op;
  std::int64_t num_items;
};

/// A rank's message of rows: a warp folds a batch of one, or a thread a row of one tile. `Order`
/// has a slice_order `order`.
inline constexpr int batch_threads = 128;
template <class Order, class Tensor>
__global__ void __launch_bounds__(batch_threads)
    fold_row_batches(const __grid_constant__ Tensor scan, const typename Tensor::T* shares,
                     const __grid_constant__ slice_tensor_message<typename Tensor::T> to,
                     slice_header header) {
  using T = typename Tensor::T;
  using row_type = folded_row<T, typename Tensor::op_type>;
  constexpr slice_order order = Order::order;
  admit_later_kernels();
  await_earlier_kernels();
  write_head(scan, to, header);
  const row_type row{scan.op, scan.shape.length};
  const std::int64_t outer = scan.shape.outer;
  const std::int64_t num_folds = outer * batches_of(row.num_items, order.batch_items());
  const std::int64_t row_shares = batches_of(row.num_items, order.share_items());
  if (row.num_items <= order.tile_items()) {
    for (std::int64_t i = thread_of_grid(); i < num_folds; i += threads_of_grid()) {
      to.folds()[i] = share_folds<Order, row_type>{row, shares + i * row_shares}.tile(0);
    }
    return;
  }
  const std::int64_t step = threads_of_grid() / warp_size;
  for (std::int64_t i = thread_of_grid() / warp_size; i < num_folds; i += step) {
    const std::int64_t batch = i / outer, index = i - batch * outer;
    const share_folds<Order, row_type> folds{row, shares + index * row_shares};
    const std::int64_t first = batch * order.batch_tiles;
    const T folded =
        folds.part_of_batch(first, min(folds.num_tiles() - first, std::int64_t{order.batch_tiles}));
    if (lane_index() == 0) to.folds()[i] = folded;
  }
}

/// Of columns: a thread folds a span of tiles of one, as column_prefix.cuh does. `tiles`: of a
/// sequence, each sequence's A(t) side by side.
template <class Tensor>
__global__ void __launch_bounds__(batch_threads)
    fold_column_spans(const __grid_constant__ Tensor scan, const typename Tensor::T* folds,
                      std::int64_t tiles,
                      const __grid_constant__ slice_tensor_message<typename Tensor::T> to,
                      slice_header header) {
  using T = typename Tensor::T;
  admit_later_kernels();
  await_earlier_kernels();
  write_head(scan, to, header);
  const std::int64_t stride = to.num_sequences;
  const std::int64_t num_folds = stride * batches_of(tiles, column_span_tiles);
  for (std::int64_t i = thread_of_grid(); i < num_folds; i += threads_of_grid()) {
    const std::int64_t span = i / stride, sequence = i - span * stride;
    const std::int64_t begin = span * column_span_tiles;
    const std::int64_t end = min(begin + column_span_tiles, tiles);
    prefix<T> running{};
    for (std::int64_t first = begin; first < end; first += column_batch_tiles) {
      const std::int64_t count = min(end - first, std::int64_t{column_batch_tiles});
      const prefix<T> batch =
          lone_lane{}.fold(prefix<T>{}, folds + first * stride + sequence, count, scan.op, stride);
      running = join(running, batch, scan.op);
    }
    to.folds()[i] = running.value;
  }
}

/// Whether this rank scans, and from what on: a thread a sequence, or a warp where `by_warps`.
/// `place`: of this rank in the scan's order.
inline constexpr int start_threads = 128;
template <class Slices, class Op, class T>
__global__ void __launch_bounds__(start_threads)
    find_tensor_starts(const __grid_constant__ Slices slices, int place,
                       const __grid_constant__ Op op, bool by_warps, slice_tensor_state* state,
                       prefix<T>* starts, slice_refusal* noted) {
  __shared__ bool is_refused;
  __shared__ folding_room<T> rooms[start_threads / warp_size];
  admit_later_kernels();
  await_earlier_kernels();
  if (warp_index() == 0) {
    const slice_refusal found = find_refusal(slices.all, folding_warp{nullptr});
    if (lane_index() == 0) is_refused = found.rank >= 0;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
      note_refusal(found, noted);
      *state = {found.rank >= 0, found.rank >= 0 ? 0 : slices.last_rank()};
    }
  }
  __syncthreads();
  if (is_refused) return;  // the messages may be of other types
  const int lanes = by_warps ? warp_size : 1;
  for (std::int64_t i = thread_of_grid() / lanes; i < slices.num_sequences;
       i += threads_of_grid() / lanes) {
    const prefix<T> before =
        by_warps ? slices.before(place, i, op, folding_warp{rooms[warp_index()].bytes})
                 : slices.before(place, i, op, lone_lane{});
    if (!by_warps || lane_index() == 0) starts[i] = before;
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
