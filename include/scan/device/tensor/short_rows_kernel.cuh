// A tile of whole rows: a block loads them into shared memory, scans them and stores the results.
//
// A row's results depend on the order of operations of the wave kernel's single tile
// (include/scan/README.md) and on nothing else; who does what is a matter of speed:
//
// * rows of whole vectors have these beside each other, and so have others where few lanes remain
//   idle; and rows of which some are a vector together.
// * other rows of several vectors are scanned across.
// * rows of less than a vector: one a thread.
#ifndef SCAN_DEVICE_TENSOR_SHORT_ROWS_KERNEL_CUH
#define SCAN_DEVICE_TENSOR_SHORT_ROWS_KERNEL_CUH

#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/short_rows_lanes.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a short_rows_cut.
template <class Problem>
class short_rows_tile : short_rows_block<Problem> {
  using block = short_rows_block<Problem>;

 public:
  using block::load;
  using block::store;
  using typename block::shared;

  using block::block;

  /// All threads, between barriers.
  __device__ void scan() {
    const Problem& scan = this->scan_;
    short_rows_beside<Problem> beside(*this);
    short_rows_across<Problem> across(*this);
    constexpr bool in_words = block::in_vectors::in_words && block::out_vectors::in_words;
    if constexpr (block::vector_items == 1) {
      beside.template scan<false>(this->num_rows_);
    } else if (scan.group_rows > 0) {
      this->access_groups();
      const int groups = this->num_rows_ / scan.group_rows;
      beside.template scan<true>(groups);
      across.scan_parts(groups * scan.group_rows);
    } else if (scan.vectors_per_row == 1 && !(this->all_whole() && scan.whole_vectors)) {
      across.scan_parts(0);
    } else if (scan.whole_vectors || (in_words && scan.beside)) {
      beside.template scan<false>(this->num_rows_);
    } else {
      across.scan();
    }
  }
};

// ---- The kernel for tensors of short rows: tiles of whole rows, so nobody waits for another
// block.

/// `Problem` is a short_rows_cut; block i scans tile `first_tile` + i.
template <class Problem>
__global__ void __launch_bounds__(Problem::num_threads, Problem::blocks_per_sm)
    short_rows_kernel(const __grid_constant__ Problem scan, std::int64_t first_tile) {
  __shared__ typename short_rows_tile<Problem>::shared memory;
  admit_later_kernels();
  await_earlier_kernels();
  short_rows_tile<Problem> rows(scan, first_tile + blockIdx.x, memory);
  rows.load();
  __syncthreads();
  if (left_alone(scan)) return;  // (before the loads it would cost small tensors 0.3 us)
  rows.scan();
  __syncthreads();
  rows.store();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
