// The look-back of a block that holds a group of a row's tiles: from the aggregates of the row's
// earlier tiles to the prefix of each of its own, in the order of the one-sequence call.
//
// With batches of W = row_batch_tiles, k = t / W and F a fold of 32 at a time (warp_inclusive_scan
// of each 32, then of their folds):
//
//   P(0) = start of the row    P(k + 1) = P(k) op F(A(kW) .. A(kW + W - 1))
//   E(t) = P(k) op F(A(kW) .. A(t - 1))
//
// P(k + 1) is published by who holds the batch's last tile, so a look reaches back one batch at
// most. Rows of more than W tiles have groups of one tile.
#ifndef SCAN_DEVICE_TENSOR_ROW_LOOK_BACK_CUH
#define SCAN_DEVICE_TENSOR_ROW_LOOK_BACK_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/tuning.hpp"
#include "scan/device/tensor/row_cut.cuh"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The value of `state`, once it is there. It is published by a block that runs already.
template <class T>
__device__ T awaited(const tile_states<T>& states, std::int64_t state) {
  observation<T> seen = states.observe(state);
  for (int attempt = 0; !seen.ready; ++attempt) {
    if (attempt > 0) __nanosleep(look_pause_ns(attempt));
    seen = states.observe(state);
  }
  return seen.value;
}

template <class Problem>
class row_look_back {
  using T = typename Problem::T;

 public:
  struct shared {
    shared_array<T, row_batch_tiles> aggregates;  // of the batch's tiles, up to the group's last
    prefix<T> before_batch;
  };

  /// All threads.
  __device__ row_look_back(const Problem& scan, const row_group& group, shared& memory)
      : scan_(scan), group_(group), memory_(memory) {
    first_ = group.first_tile / row_batch_tiles * row_batch_tiles;
    before_ = group.first_tile - first_;
  }

  /// One warp for each tile of the group: keeps its aggregate, and publishes it to other blocks.
  __device__ void put(int tile, const T& aggregate, tile_states<T>& states) {
    if (lane_index() != 0) return;
    memory_.aggregates[before_ + tile] = aggregate;
    if (scan_.looks_back) states.publish(state_of(group_.first_tile + tile), aggregate);
  }

  /// All threads, after the barrier that follows put(); a barrier. Then the prefixes are there.
  /// `start`: of the row.
  __device__ void look(const tile_states<T>& states, const prefix<T>& start) {
    for (int i = threadIdx.x; i < before_; i += blockDim.x) {
      memory_.aggregates[i] = awaited(states, state_of(first_ + i));
    }
    if (threadIdx.x == 0) {
      const int batch = first_ / row_batch_tiles;
      memory_.before_batch =
          batch == 0 ? start : prefix<T>{awaited(states, prefix_of(batch)), true};
    }
    __syncthreads();
    const int count = before_ + group_.count;
    for (int i = warp_index() * warp_size; i < count; i += blockDim.x) {
      const int at = min(i + lane_index(), count - 1);
      const T scanned =
          warp_inclusive_scan(T(memory_.aggregates[at]), min(count - i, warp_size), scan_.op);
      __syncwarp();
      if (i + lane_index() < count) memory_.aggregates[at] = scanned;
    }
    __syncthreads();
  }

  /// The prefix of the group's tile `tile`; by a warp.
  __device__ prefix<T> before(int tile) const {
    return join(memory_.before_batch, fold(before_ + tile), scan_.op);
  }

  /// By a warp: where the group ends a batch and more follow, what precedes the next.
  __device__ void publish_batch(tile_states<T>& states) {
    const int next = group_.first_tile + group_.count;
    if (next % row_batch_tiles != 0 || next >= scan_.tiles_per_row) return;
    const prefix<T> after = join(memory_.before_batch, fold(row_batch_tiles), scan_.op);
    if (lane_index() == 0) states.publish(prefix_of(next / row_batch_tiles), after.value);
  }

 private:
  /// F of the batch's first `count` tiles.
  __device__ prefix<T> fold(int count) const {
    if (count == 0) return {T(memory_.aggregates[0]), false};
    const int num_parts = (count - 1) / warp_size + 1, lane = lane_index();
    const int at = lane < num_parts - 1 ? lane * warp_size + warp_size - 1 : count - 1;
    const T folded = warp_inclusive_scan(T(memory_.aggregates[at]), num_parts, scan_.op);
    return {shuffle(folded, num_parts - 1), true};
  }
  __device__ std::int64_t state_of(int tile) const {
    return group_.first_row * scan_.tiles_per_row + tile;
  }
  /// The states of P(1), P(2) .. follow those of all tiles.
  __device__ std::int64_t prefix_of(int batch) const {
    const int most = (scan_.tiles_per_row - 1) / row_batch_tiles;
    return scan_.shape.outer * scan_.tiles_per_row + group_.first_row * most + batch - 1;
  }

  const Problem& scan_;
  row_group group_;
  shared& memory_;
  int first_;   // tile of the batch
  int before_;  // tiles of the batch before the group
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
