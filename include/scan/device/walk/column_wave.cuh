// Columns of which too few strips are there to keep memory busy: a block a tile of one, in the
// order in which it is walked, that looks back for what precedes it (column_prefix.cuh).
#ifndef SCAN_DEVICE_WALK_COLUMN_WAVE_CUH
#define SCAN_DEVICE_WALK_COLUMN_WAVE_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/column_prefix.cuh"
#include "scan/device/walk/column_walk.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A column_walk_cut whose strips have more than one tile each.
template <class Tensor>
using wave_base = column_walk_cut<Tensor, 1,
                                  wave_lane_lines(column_walk_cut<Tensor, 1>::element_bytes,
                                                  static_cast<int>(sizeof(typename Tensor::T)),
                                                  Tensor::run_inputs)>;
template <class Tensor>
struct column_wave_cut : wave_base<Tensor> {
  using base = wave_base<Tensor>;
  /// As column_states asks for it.
  static constexpr int threads = base::most_threads;
  struct tuning {
    int whole_width;
  };
  static constexpr tuning tuned{base::most_columns};

  column_plan cut;
  small_divisor per_width;

  column_wave_cut(const Tensor& scan, bool backwards)
      : base(scan, backwards),
        cut(wave_columns(scan.shape.outer, scan.shape.length, scan.shape.inner, base::element_bytes,
                         static_cast<int>(sizeof(typename base::T)), Tensor::run_inputs)),
        per_width(cut.width) {}

  /// Of all strips the first tile, then the second of each: who waits for earlier tiles waits for
  /// lower numbers.
  __device__ column_place place(unsigned number) const {
    const auto strips = static_cast<unsigned>(cut.num_strips());
    column_place at{};
    at.tile = number / strips;
    at.strip = number - at.tile * strips;
    const unsigned in_slab = at.strip % static_cast<unsigned>(cut.strips);
    const std::int64_t left = this->shape.inner - std::int64_t{in_slab} * cut.width;
    at.width = left < cut.width ? static_cast<int>(left) : cut.width;
    return at;
  }
};

/// A block a tile. `Cut` is a column_wave_cut; `states_memory`: see tile_states, of
/// column_plan::states_bytes bytes.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    column_wave_kernel(const __grid_constant__ Cut scan, void* states_memory,
                       std::size_t states_bytes) {
  using T = typename Cut::T;
  using states_of_columns = column_states<Cut>;
  __shared__ typename column_walk<Cut>::shared memory;
  __shared__ typename states_of_columns::shared states_seen;
  __shared__ ticket mine;
  static_assert(sizeof(memory) + sizeof(states_seen) <= 47 * 1024);  // what is granted unasked
  const bool leader = threadIdx.x == 0;
  admit_later_kernels();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  typename states_of_columns::states_type states(states_memory, states_bytes);
  if (leader) mine = states.claim(gridDim.x);
  __syncthreads();
  states.enter(mine.epoch);
  const column_place at = scan.place(static_cast<unsigned>(mine.tile));

  column_walk<Cut> walk(scan, memory, at.strip, static_cast<int>(at.tile));
  if (at.tile == 0) walk.start();
  walk.fold();
  __syncthreads();

  // ---- a thread a column publishes, all look, these know ----
  const int thread = static_cast<int>(threadIdx.x);
  const int column = min(thread, at.width - 1);
  const bool has_column = thread < at.width;
  T aggregate;
  prefix<T> start{};
  if (has_column) {
    if (at.tile < scan.cut.followed()) {
      aggregate = walk.fold_of_tile(column);
      publish_tile(scan, at, column, states, aggregate);
    }
    start = walk.start_of(column);
  }
  states_of_columns columns(scan, at, column, states, states_seen);
  const prefix<T> before = columns.exclusive_prefix(start, has_column, aggregate);
  if (has_column) memory.running.enter(column, before);
  __syncthreads();
  if (leader) states.retire(gridDim.x);
  walk.finish(false);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
