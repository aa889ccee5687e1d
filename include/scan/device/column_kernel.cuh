// The kernel for scans along an axis that is not the last: composition, nothing else.
#ifndef SCAN_DEVICE_COLUMN_KERNEL_CUH
#define SCAN_DEVICE_COLUMN_KERNEL_CUH

#include <cstdint>

#include "scan/device/column_prefix.cuh"
#include "scan/device/column_tile.cuh"
#include "scan/device/dependent_launch.cuh"

namespace scan::device {

/// Scans a tile a block. `Problem` is a column_problem; `states_memory`: see tile_states, of
/// column_cut::states_bytes bytes, which may be none.
template <class Problem>
__global__ void __launch_bounds__(Problem::threads, 5)
    column_kernel(const __grid_constant__ Problem scan, void* states_memory,
                  std::size_t states_bytes) {
  using T = typename Problem::T;
  using states_of_columns = column_states<Problem>;
  __shared__ typename column_tile<Problem>::shared tile_memory;
  __shared__ typename group_scan<T, Problem::threads>::shared group_memory;
  __shared__ typename states_of_columns::shared states_seen;
  __shared__ column_place at;  // here, because registers are short
  __shared__ std::uint32_t epoch;
  const bool leader = threadIdx.x == 0, looks_back = scan.cut.tiles > 1;

  // ---- claim ----
  admit_later_kernels();
  await_earlier_kernels();
  typename states_of_columns::states_type states(states_memory, states_bytes);
  if (leader) {
    unsigned number = blockIdx.x;
    if (looks_back) {
      const ticket mine = states.claim(gridDim.x);
      number = static_cast<unsigned>(mine.tile);
      epoch = mine.epoch;
    }
    at = scan.place(number);
  }
  __syncthreads();
  if (looks_back) states.enter(epoch);

  // ---- load ----
  const column_tile<Problem> tile(scan, at, tile_memory);
  tile.load();

  // ---- scan inside, publish, look back ----
  column_part part = scan.part(at, static_cast<int>(threadIdx.x));
  prefix<T> before{};
  if (looks_back || scan.cut.groups > 1) {
    T fold;
    if (part.count > 0) fold = tile.fold(part);
    const group_scan<T, Problem::threads> groups(scan, part, fold, group_memory);
    if (part.count > 0) before = scan.sequence_of(at, part).start();
    if (looks_back) {
      const bool ends_tile = part.count > 0 && part.first + part.count == at.rows;
      states_of_columns columns(scan, at, part, states, states_seen);
      columns.publish(ends_tile, groups.inclusive);
      before = columns.exclusive_prefix(before, ends_tile, groups.inclusive);
    }
    before = join(before, groups.before, scan.op);
  }

  // ---- apply, store ----
  for (int i = static_cast<int>(threadIdx.x), all = scan.num_parts(at); i < all;
       i += Problem::threads) {
    if (scan.cut.groups == 1 && !looks_back) {
      part = scan.part(at, i);
      if (part.count > 0) before = scan.sequence_of(at, part).start();
    }
    if (part.count == 0) continue;
    if (at.tile == 0 && part.first == 0) scan.sequence_of(at, part).write_start(before);
    const T end = tile.scan(part, before);
    if (at.tile + 1 == scan.cut.tiles && part.first + part.count == at.rows) {
      scan.sequence_of(at, part).write_end({end, true});
    }
  }
  __syncthreads();
  if (looks_back && leader) states.retire(gridDim.x);
  tile.store();
}

}  // namespace scan::device

#endif
