// A1, bit_layers: a Fenwick tree (fenwick_tree.cuh says what that is), built in the most direct
// way.
//
//   1. A block builds a tree of 256 items in shared memory, a layer a barrier.     2n
//   2. For stride 256, 512, .. below n: one launch builds that layer.              3n / 256 in all
//   3. A thread queries the tree for each result, n log2(n) / 2 reads in all, most
//      of them from the caches.                                                    2n
//
// Traffic: as given, in n values; kernels: log2(n / 256) + 2. A launch is the only barrier between
// blocks, so each layer beyond a block's is one, down to the last whose only node a whole launch is
// spent on.
//
// Source: as in fenwick_tree.cuh; published as `gen_bit_one_layer`.
#ifndef SCAN_BASELINES_BIT_LAYERS_CUH
#define SCAN_BASELINES_BIT_LAYERS_CUH

#include "src/baselines/fenwick_tree.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

template <class Problem>
status bit_layers(const Problem& scan, scratch memory, cudaStream_t stream) {
  using T = typename Problem::T;
  constexpr int num_threads = 256;
  T* const tree = memory.take<T>(scan.num_items);

  if (const status built = build_small_trees_of(scan, tree, small_tree_items, 1, stream);
      !built.ok()) {
    return built;
  }
  for (std::int64_t stride = small_tree_items; 2 * stride <= scan.num_items; stride *= 2) {
    const std::int64_t num_nodes = scan.num_items / (2 * stride);
    const status built =
        device::enqueue_waiting(build_layers<T, typename Problem::op_type>,
                                {device::tiles_of(num_nodes, num_threads), num_threads}, stream,
                                tree, scan.num_items, stride, stride, scan.op);
    if (!built.ok()) return built;
  }
  return query_all(scan, tree, stream);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
