// A warp's chunks of its block's rows on their way to shared memory, some steps before they are
// wanted; and where the next one is, which is there too: registers are short.
#ifndef SCAN_DEVICE_WALK_CHUNK_QUEUE_CUH
#define SCAN_DEVICE_WALK_CHUNK_QUEUE_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/walk_io.cuh"
#include "scan/device/plan/walk_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp's own, in shared memory; `Cut` is a row_walk_cut. Steps are counted by who takes chunks.
template <class Cut>
class chunk_queue {
 public:
  using in_type = typename Cut::in_type;
  static constexpr int num_inputs = Cut::num_inputs, vector_items = Cut::vector_items;
  static constexpr int num_stages = Cut::num_stages;
  using stage = typename Cut::stage;

  /// From row `row` on. All lanes.
  __device__ void start(const Cut& scan, std::int64_t row) {
    if (lane_index() == 0) {
      row_ = row;
      enter_row(scan);
    }
    __syncwarp();
  }

  /// Asks for the next chunk, of this row or the one after it. All lanes, which are through with
  /// what was in stage `into`.
  __device__ void ask(const Cut& scan, int into) {
    const int left = left_;
    const int items = left >= chunk_vectors ? chunk_vectors * vector_items
                      : left < 0            ? 0
                                            : left * vector_items + scan.rest_items;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      stages_[into][i].load(next_[i], items, scan.readable(i));
    }
    __syncwarp();  // all have read where it is
    if (lane_index() == 0) go_on(scan, left);
    __syncwarp();
  }

  __device__ const stage& here(int which, int input) const { return stages_[which][input]; }

 private:
  __device__ void go_on(const Cut& scan, int left) {
    const int step = static_cast<int>(blockDim.x);
    left_ = left - step;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      next_[i] = Cut::reversed ? next_[i] - step * vector_items : next_[i] + step * vector_items;
    }
    // (That of all warps is.)
    if (left_ + warp_index() * chunk_vectors + (scan.rest_items > 0 ? 1 : 0) > 0) return;
    ++row_;
    enter_row(scan);
  }
  __device__ void enter_row(const Cut& scan) {
    const auto mine = scan.sequence(row_, 0);
    const int vector = warp_index() * chunk_vectors;
    left_ = scan.whole_vectors - vector;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      next_[i] =
          stage::lowest(mine.input(i), scan.shape.length, vector * vector_items + Cut::beside(i));
    }
  }

  stage stages_[num_stages][num_inputs];
  const in_type* next_[num_inputs];
  std::int64_t row_;
  int left_;  // whole vectors of it from the next chunk on, or less than 0
};

/// Of dynamic shared memory that those of so many warps take. (Of 8, with what else a block has, no
/// more than is granted unasked.)
template <class Cut>
SCAN_HOST_DEVICE constexpr std::size_t queue_bytes(int num_warps) {
  return num_warps * sizeof(chunk_queue<Cut>);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
