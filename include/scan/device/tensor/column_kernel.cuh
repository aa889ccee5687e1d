// The kernel for scans along an axis that is not the last: composition, nothing else.
#ifndef SCAN_DEVICE_TENSOR_COLUMN_KERNEL_CUH
#define SCAN_DEVICE_TENSOR_COLUMN_KERNEL_CUH

#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/column_prefix.cuh"
#include "scan/device/tensor/column_tile.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans a tile a block. `Problem` is a column_cut; `states_memory`: see tile_states, of
/// column_plan::states_bytes bytes, which may be none.
template <class Problem>
__global__ void __launch_bounds__(Problem::threads, column_blocks_per_sm)
    column_kernel(const __grid_constant__ Problem scan, void* states_memory,
                  std::size_t states_bytes) {
  using T = typename Problem::T;
  using states_of_columns = column_states<Problem>;
  using tile_type = column_tile<Problem>;
  extern __shared__ __align__(128) unsigned char tile_memory[];
  __shared__ shared_array<T, Problem::threads> folds, other_folds;
  __shared__ typename states_of_columns::shared states_seen;
  __shared__ column_place at;  // here, because registers are short
  __shared__ std::uint32_t epoch;
  const bool leader = threadIdx.x == 0, looks_back = scan.cut.tiles > 1;

  // ---- claim ----
  admit_later_kernels();
  if (leader) at = scan.place(blockIdx.x);  // (while the kernel before ends: 0.4 us of small calls)
  await_earlier_kernels();
  if (left_alone(scan)) return;
  typename states_of_columns::states_type states(states_memory, states_bytes);
  if (leader && looks_back) {
    const ticket mine = states.claim(gridDim.x);
    at = scan.place(static_cast<unsigned>(mine.tile));
    epoch = mine.epoch;
  }
  __syncthreads();
  if (looks_back) states.enter(epoch);

  // ---- load ----
  unsigned char* const results = tile_memory + Problem::num_inputs * scan.in_bytes;
  const tile_type tile(scan, at, {tile_memory, scan.in_bytes, results});
  tile.load();
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();

  // ---- scan inside, publish, look back ----
  column_part part = scan.part(at, static_cast<int>(threadIdx.x));
  prefix<T> before{};
  if (looks_back || scan.cut.groups > 1) {
    T fold;
    if (part.count > 0) fold = tile.fold(part);
    scan_groups(scan, part, fold, folds, other_folds);
    if (part.count > 0) before = scan.sequence_of(at, part).start();
    if (looks_back) {
      const bool ends_tile = part.count > 0 && part.first + part.count == at.rows;
      states_of_columns columns(scan, at, part.column, states, states_seen);
      if (ends_tile) publish_tile(scan, at, part.column, states, fold);
      before = columns.exclusive_prefix(before, ends_tile, fold);
    }
    before = join(before, groups_before(scan, part, folds), scan.op);
  }

  // ---- apply, store ----
  const bool at_once = scan.takes_columns() && !looks_back;
  if (at_once) tile.scan_columns(scan.start());
  for (int i = static_cast<int>(threadIdx.x), all = at_once ? 0 : scan.num_parts(at); i < all;
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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
