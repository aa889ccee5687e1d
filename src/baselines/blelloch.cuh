// B, blelloch: the work-efficient scan, in shared memory without bank conflicts.
//
// The scan_then_fan scheme (scan_then_fan.cuh) with this as its first step:
//
//   1. A block scans a part of 512 items over a balanced binary tree, two items a thread:
//      up-sweep    towards the root; each node becomes the fold of its two children,
//      down-sweep  back to the leaves; each node hands what precedes it to its left child, and that
//                  and the left child's fold to the right child.                    2n
//   2. The sums of the parts are scanned, by the same three steps.                  n / 128
//   3. What precedes a part is folded into each of its results.                     2n
//
// Traffic: 4n. A naive parallel scan folds n log2(n) times, this one 2n times, which is what
// "work-efficient" means; but between its 18 layers per part stand barriers, at which ever fewer
// threads have anything to do. Warp shuffles (scan_then_fan.cuh) do more folds in less time.
//
// Neighbours in a layer are 2^k apart, and so would be in the same few of the 32 banks of shared
// memory; an element of padding after every 32 spreads them.
//
// An identity, which the down-sweep starts with in the literature, is not needed: what precedes a
// node is absent exactly where the node starts at item 0, and nodes without items are left out.
//
// Sources: Blelloch, "Prefix sums and their applications" (1990), section 1.2; Harris, Sengupta,
// Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3 (2007), chapter 39.2.2 to 39.2.4.
#ifndef SCAN_BASELINES_BLELLOCH_CUH
#define SCAN_BASELINES_BLELLOCH_CUH

#include "src/baselines/scan_then_fan.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// A node of this thread and its children, in the layer whose nodes have `half` items on each side.
/// A node's value is where its last item is.
struct sweep_node {
  int begin;   // its first item
  int middle;  // the right child's first item
  bool is_there;

  __device__ sweep_node(int half, int num_valid)
      : begin(static_cast<int>(threadIdx.x) * 2 * half),
        middle(begin + half),
        is_there(begin < num_valid),
        half_(half) {}
  __device__ int left() const { return middle - 1; }
  __device__ int right() const { return middle + half_ - 1; }

 private:
  int half_;
};

/// Where item or node `i` is in shared memory.
__device__ constexpr int padded(int i) { return i + i / device::warp_size; }

/// Scans each part by itself and writes its sum. An exclusive scan's first result in a part, which
/// would be absent, means nothing.
template <class Problem>
__global__ void __launch_bounds__(blelloch_part_items / 2)
    sweep_parts(const __grid_constant__ Problem scan, sums_of<Problem> sums) {
  using T = typename Problem::T;
  constexpr int num_threads = blelloch_part_items / 2, items_per_thread = 2;
  __shared__ device::shared_array<T, blelloch_part_items + blelloch_part_items / 32> tree;
  const std::int64_t first = std::int64_t{blockIdx.x} * blelloch_part_items;
  const int num_valid = scan.valid_items(first, blelloch_part_items);

  // ---- load ----
  T items[items_per_thread];
#pragma unroll
  for (int i = 0; i < items_per_thread; ++i) {
    const int item = i * num_threads + static_cast<int>(threadIdx.x);
    if (item < num_valid) tree[padded(item)] = items[i] = scan.take(*scan.input(first + item));
  }

  // ---- up-sweep ----
  typename Problem::op_type op = scan.op;
  for (int half = 1; half < blelloch_part_items; half *= 2) {
    __syncthreads();
    const sweep_node node(half, num_valid);
    if (!node.is_there) continue;  // beyond the part, too, for threads that have no node
    T& right = tree[padded(node.right())];
    const T& left = tree[padded(node.left())];
    right = node.middle < num_valid ? op(left, right) : left;
  }

  // ---- down-sweep: from the folds of nodes to those of what precedes them ----
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[padded(blelloch_part_items - 1)];
  for (int half = blelloch_part_items / 2; half > 0; half /= 2) {
    __syncthreads();
    const sweep_node node(half, num_valid);
    if (!node.is_there) continue;
    T& right = tree[padded(node.right())];
    T& left = tree[padded(node.left())];
    const T fold_of_left = left;
    if (node.begin > 0) left = right;  // what precedes the node precedes its left child
    if (node.middle < num_valid) right = node.begin > 0 ? op(left, fold_of_left) : fold_of_left;
  }
  __syncthreads();

  // ---- store ----
#pragma unroll
  for (int i = 0; i < items_per_thread; ++i) {
    const int item = i * num_threads + static_cast<int>(threadIdx.x);
    if (item >= num_valid) break;
    T result = items[i];
    if (item > 0) {
      const T& before = tree[padded(item)];
      result = scan.exclusive ? before : op(before, result);
    }
    *scan.output(first + item) = scan.give(result);
  }
}

/// Step 1 of `fan_out`.
struct sweeps_first {
  template <class Tuned>
  static constexpr int part_items = blelloch_part_items;

  template <class Tuned, class Problem>
  static status enqueue(const Problem& parts, const sums_of<Problem>& sums, cudaStream_t stream) {
    using tiles = in_tiles<Problem, Tuned>;
    return device::enqueue_waiting(sweep_parts<tiles>, {sums.num_parts, blelloch_part_items / 2},
                                   stream, tiles(parts), sums);
  }
};

template <class Problem>
status blelloch(const Problem& scan, const scratch& memory, cudaStream_t stream) {
  return fan_out<sweeps_first>(scan, memory, stream);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
