// What the blocks of a cluster tell each other: folds, one after another, in the shared memory of
// each. So they need neither tickets nor states. On capabilities before 9.0 there are no clusters.
#ifndef SCAN_DEVICE_FOLD_CLUSTER_FOLDS_CUH
#define SCAN_DEVICE_FOLD_CLUSTER_FOLDS_CUH

#include <cooperative_groups.h>

#include <cuda/ptx>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block's copy. In this order all threads of all blocks call begin(), await_blocks() and meet()
/// (or all end before the second); between the last two they give, behind them they fold.
template <class T, int most = most_cluster_blocks>
class cluster_folds {
 public:
  /// Some time before the others: blocks write to each other's shared memory, which exists from a
  /// block's start.
  __device__ static void begin() {
#if __CUDA_ARCH__ >= 900
    // Relaxed: says just that the block has started.
    cuda::ptx::barrier_cluster_arrive(cuda::ptx::sem_relaxed);
#endif
  }
  /// Until all have begun. Acquire, though nothing has been written: what pairs with it is that
  /// blocks are there, and without it a block could write to memory that is not.
  __device__ static void await_blocks() {
#if __CUDA_ARCH__ >= 900
    cuda::ptx::barrier_cluster_wait(cuda::ptx::sem_acquire);
#endif
  }
  /// Puts `fold` at `place` of the blocks from `first` on, of `num_blocks`; by a warp.
  __device__ void give(int place, const T& fold, int first, int num_blocks) {
#if __CUDA_ARCH__ >= 900
    const int receiver = lane_index();
    if (receiver >= first && receiver < num_blocks) {
      auto& theirs = *cooperative_groups::this_cluster().map_shared_rank(&folds_, receiver);
      theirs[place] = fold;
    }
#endif
  }
  __device__ static void meet() {
#if __CUDA_ARCH__ >= 900
    // Release and acquire: each pairs with the other blocks'. Were they relaxed, a block could read
    // its copy before the others' stores are in it.
    cuda::ptx::barrier_cluster_arrive(cuda::ptx::sem_release);
    cuda::ptx::barrier_cluster_wait(cuda::ptx::sem_acquire);
#endif
  }
  /// The block's copy, which its own threads may write as well where there is no cluster.
  __device__ T& operator[](int place) { return folds_[place]; }

  /// F of `count` > 0 of them from `begin` on: warp_inclusive_scan of each 32, then of what these
  /// come to. In all lanes.
  template <class Op>
  __device__ T fold(int begin, int count, Op op) {
    if constexpr (most <= warp_size) {
      return fold_of_few(begin, count, op);
    } else {
      const int num_parts = (count - 1) / warp_size + 1;
      T part;
#pragma unroll 1
      for (int i = 0; i < num_parts; ++i) {
        const int done = i * warp_size;
        const T folded = fold_of_few(begin + done, min(count - done, warp_size), op);
        if (i == 0 || lane_index() == i) part = folded;
      }
      if (num_parts == 1) return part;
      return shuffle(warp_scan_of_few(part, num_parts, op), num_parts - 1);
    }
  }

  /// Of a grid that is one cluster: gives a block's fold to those after it; returns the fold of
  /// those before it, absent in the first. All threads of all blocks, after begin().
  template <class Op>
  __device__ prefix<T> exchange(const T& fold_of_block, Op op) {
#if __CUDA_ARCH__ >= 900
    const int block = static_cast<int>(blockIdx.x);
    await_blocks();
    if (warp_index() == 0) give(block, fold_of_block, block + 1, static_cast<int>(gridDim.x));
    meet();
    if (block > 0) {
      const T mine = folds_[lane_index() < block ? lane_index() : 0];
      return {shuffle(warp_inclusive_scan(mine, block, op), block - 1), true};
    }
#endif
    return {};
  }

 private:
  template <class Op>
  __device__ T fold_of_few(int begin, int count, Op op) {
    const T mine = folds_[begin + min(lane_index(), count - 1)];
    return shuffle(warp_scan_of_few(mine, count, op), count - 1);
  }

  shared_array<T, most> folds_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
