// A2, bit_three_kernel: a Fenwick tree (fenwick_tree.cuh) in three kernels, whatever n.
//
//   1. A block builds a tree of 256 items in shared memory, a layer a barrier.     2n
//   2. ONE block builds all larger strides, with a barrier after each.             3n / 256 in all
//   3. A thread queries the tree for each result, n log2(n) / 2 reads in all, most
//      of them from the caches.                                                    2n
//
// Traffic: that of A1, without its many launches. What is won there is lost for large n: a single
// multiprocessor does the n / 256 additions of step 2 while all others wait.
//
// Source: as in fenwick_tree.cuh.
#ifndef SCAN_BASELINES_BIT_THREE_KERNEL_CUH
#define SCAN_BASELINES_BIT_THREE_KERNEL_CUH

#include "src/baselines/fenwick_tree.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

template <class Problem>
status bit_three_kernel(const Problem& scan, scratch memory, cudaStream_t stream) {
  using T = typename Problem::T;
  T* const tree = memory.take<T>(scan.num_items);

  if (const status built = build_small_trees_of(scan, tree, small_tree_items, 1, stream);
      !built.ok()) {
    return built;
  }
  if (scan.num_items >= 2 * small_tree_items) {
    const std::int64_t first = small_tree_items, last = scan.num_items / 2;
    const status built =
        device::enqueue_waiting(build_layers<T, typename Problem::op_type>, {1, layer_threads},
                                stream, tree, scan.num_items, first, last, scan.op);
    if (!built.ok()) return built;
  }
  return query_all(scan, tree, stream);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
