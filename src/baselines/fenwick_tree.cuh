// A scan as queries of a Fenwick tree: what the baselines A1 to A3 share.
//
// A Fenwick (binary indexed) tree over items 1 .. n is an array of n folds. With lowbit(i) the
// lowest bit set in i,
//
//   tree[i] = the fold of the lowbit(i) items that end at i
//
//   i        1     2     3     4     5     6     7     8
//   tree[i]  1     1-2   3     1-4   5     5-6   7     1-8
//
// Construction: tree[i] = items[i] at first. Then for stride 1, 2, 4, ..: every i that is a
// multiple of 2 stride takes in the fold of the stride items before its own,
//
//   tree[i] = op(tree[i - stride], tree[i])
//
// The additions of one stride, a layer of the tree, are independent of each other; layers follow
// each other. How layers become kernels is what A1, A2 and A3 differ in. An i beyond n is nobody's
// operand, so n need not be a power of two, and items that are not there need no identity.
//
// Query: the fold of items 1 .. i is that of tree[i] and of what comes before its lowbit(i) items:
// i, i - lowbit(i), .. down to 0, one step for each bit of i. Earlier folds go to the left.
//
// Traffic: construction reads the items and writes the tree, 2n, and every stride doubling halves
// what follows; queries read log2(n) / 2 nodes each and write n results. So O(n log n) reads, which
// is not work-efficient; caches, where high nodes stay, hide it up to a point. Scratch: n values.
//
// Sources: Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and
// Experience 24(3), 1994; the three ways to build it on a GPU are a published series of attempts,
// each an answer to what was slow about the one before.
#ifndef SCAN_BASELINES_FENWICK_TREE_CUH
#define SCAN_BASELINES_FENWICK_TREE_CUH

#include "src/baselines/parts.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// Builds trees of `blockDim.x` nodes each, a power of two of at most large_tree_items, of the
/// nodes at the multiples of `stride`: 1 for the items themselves, or what all strides below have
/// built. `tree` holds node i at [i - 1].
template <class Problem>
__global__ void __launch_bounds__(large_tree_items)
    build_small_trees(const __grid_constant__ Problem scan, typename Problem::T* tree,
                      std::int64_t stride) {
  using T = typename Problem::T;
  __shared__ device::shared_array<T, large_tree_items> nodes;
  const int mine = static_cast<int>(threadIdx.x), count = static_cast<int>(blockDim.x);
  // 1-based, as above; this block's are those after a multiple of `count`
  const std::int64_t multiple = std::int64_t{blockIdx.x} * count + mine + 1;
  const bool exists = multiple <= scan.num_items / stride;
  const std::int64_t node = multiple * stride;
  if (exists) nodes[mine] = stride == 1 ? scan.take(*scan.input(node - 1)) : tree[node - 1];
  typename Problem::op_type op = scan.op;
  for (int step = 1; step < count; step *= 2) {
    __syncthreads();  // the previous layer is there
    const bool in_layer = (mine + 1) % (2 * step) == 0;
    if (exists && in_layer) nodes[mine] = op(nodes[mine - step], nodes[mine]);
  }
  if (exists) tree[node - 1] = nodes[mine];
}

/// Threads of a block that builds layers, at most.
inline constexpr int layer_threads = 1024;

/// Builds the layers of stride `first`, 2 `first`, .. `last` of the tree of `num_nodes` nodes. More
/// than one layer needs a single block: blocks cannot wait for each other.
template <class T, class Op>
__global__ void __launch_bounds__(layer_threads)
    build_layers(T* tree, std::int64_t num_nodes, std::int64_t first, std::int64_t last, Op op) {
  const std::int64_t num_threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::int64_t stride = first; stride <= last; stride *= 2) {
    for (std::int64_t multiple = thread + 1; multiple <= num_nodes / (2 * stride);
         multiple += num_threads) {
      const std::int64_t node = multiple * 2 * stride;
      tree[node - 1] = op(tree[node - stride - 1], tree[node - 1]);
    }
    __syncthreads();  // of a single block: the layer is there
  }
}

/// The fold of the first `num_items` items: absent for none.
template <class T, class Op>
__device__ prefix<T> query(const T* tree, std::int64_t num_items, Op op) {
  prefix<T> fold{};
  for (std::int64_t node = num_items; node > 0; node &= node - 1) {  // less its lowest bit
    fold = join({tree[node - 1], true}, fold, op);
  }
  return fold;
}

/// A result a thread. (Accumulating in shared memory, published as an improvement by 15 %, is what
/// registers do here.)
template <class Problem>
__global__ void query_tree(const __grid_constant__ Problem scan, const typename Problem::T* tree) {
  using T = typename Problem::T;
  const std::int64_t item = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (item >= scan.num_items) return;
  const prefix<T> start = scan.start();
  if (item == 0) scan.write_start(start);
  const prefix<T> result =
      join(start, query(tree, scan.exclusive ? item : item + 1, scan.op), scan.op);
  *scan.output(item) = output_of(scan, result);
  if (item == scan.num_items - 1) {
    scan.write_end(join(start, query(tree, scan.num_items, scan.op), scan.op));
  }
}

/// Enqueues the construction of trees of `small_items` nodes at the multiples of `stride`.
template <class Problem>
status build_small_trees_of(const Problem& scan, typename Problem::T* tree, int small_items,
                            std::int64_t stride, cudaStream_t stream) {
  using tiles = in_tiles<Problem>;
  const std::int64_t num_blocks = device::tiles_of(scan.num_items / stride, small_items);
  return device::enqueue_waiting(build_small_trees<tiles>, {num_blocks, small_items}, stream,
                                 tiles(scan), tree, stride);
}

/// Enqueues all queries.
template <class Problem>
status query_all(const Problem& scan, const typename Problem::T* tree, cudaStream_t stream) {
  using tiles = in_tiles<Problem>;
  constexpr int num_threads = 256;
  return device::enqueue_waiting(query_tree<tiles>,
                                 {device::tiles_of(scan.num_items, num_threads), num_threads},
                                 stream, tiles(scan), tree);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
