// A3, bit_two_kernel: a Fenwick tree (fenwick_tree.cuh) by two kernels, the first of which is
// launched with growing strides.
//
//   1. With stride 1, 512, 512^2, .. up to n: a block builds, in shared memory, a tree of the 512
//      nodes at multiples of the stride, which is nine layers at once.   2n + 2n / 512 + ..
//   2. A thread queries the tree for each result, n log2(n) / 2 reads in all, most of them from
//      the caches.                                                       2n
//
// Traffic: as given, in n values; kernels: log512(n) + 1. The nodes at multiples of a stride are
// the items of a Fenwick tree of their own: that is why the kernel that starts from the items goes
// on from them too. Where A1 has a launch a layer and A2 a single block, here all multiprocessors
// take part in every step and there are few steps.
//
// Source: as in fenwick_tree.cuh. (The published listing indexes and sizes with 32 bits and is
// wrong where n is no multiple of what a block takes.)
#ifndef SCAN_BASELINES_BIT_TWO_KERNEL_CUH
#define SCAN_BASELINES_BIT_TWO_KERNEL_CUH

#include "src/baselines/fenwick_tree.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

template <class Problem>
status bit_two_kernel(const Problem& scan, scratch memory, cudaStream_t stream) {
  using T = typename Problem::T;
  T* const tree = memory.take<T>(scan.num_items);

  for (std::int64_t stride = 1; stride <= scan.num_items; stride *= large_tree_items) {
    const status built = build_small_trees_of(scan, tree, large_tree_items, stride, stream);
    if (!built.ok()) return built;
  }
  return query_all(scan, tree, stream);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
