// Rows that lie anywhere, walked by blocks: each goes along its rows tile by tile, a chunk a warp,
// with the next tiles' chunks, of the next row too, on their way to shared memory while this one is
// scanned. What has been folded so far is there, for all warps; nobody waits for another block, and
// a step takes one barrier.
#ifndef SCAN_DEVICE_WALK_ROW_WALK_CUH
#define SCAN_DEVICE_WALK_ROW_WALK_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/chunk_queue.cuh"
#include "scan/device/walk/row_chunks.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block does for its rows, one after another; `Cut` is a row_walk_cut.
template <class Cut>
class row_walk : public row_chunks<Cut> {
  using base = row_chunks<Cut>;
  static constexpr int num_stages = Cut::num_stages;

 public:
  /// From row `index` on. `queues`: one a warp.
  __device__ row_walk(const Cut& scan, typename base::shared& memory, chunk_queue<Cut>* queues,
                      std::int64_t index, int num_steps)
      : base(scan, memory, index, 0, num_steps), queue_(queues[warp_index()]) {
    queue_.start(scan, index);
  }

  /// Asks for the first chunks.
  __device__ void ask_first() {
#pragma unroll
    for (int step = 0; step + 1 < num_stages; ++step) {
      if (step < this->steps_) queue_.ask(this->scan_, step);
      __pipeline_commit();
    }
  }

  /// Takes the warp's chunk when it has come, and asks for one more.
  __device__ void take() {
    __pipeline_wait_prior(num_stages - 2);
    __syncwarp();  // all lanes' copies are there, and all are through with the last step's stage
#pragma unroll
    for (int i = 0; i < Cut::num_inputs; ++i) {
      this->items_.of[i] = queue_.here(stage_, i).read();
    }
    if (this->steps_ >= num_stages) {
      queue_.ask(this->scan_, stage_ == 0 ? num_stages - 1 : stage_ - 1);
    }
    __pipeline_commit();
    this->complete_items();
  }
  /// See row_chunks.
  __device__ void finish() {
    const int first_rest = base::count_of(this->left_) * Cut::vector_items;
    base::finish([&](int k, int i) { return queue_.here(stage_, k).item(first_rest + i); });
    stage_ = stage_ + 1 == num_stages ? 0 : stage_ + 1;
  }

 private:
  chunk_queue<Cut>& queue_;
  int stage_ = 0;
};

/// A block some rows. `Cut` is a row_walk_cut.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    row_walk_kernel(const __grid_constant__ Cut scan) {
  using walk_type = row_walk<Cut>;
  static_assert(sizeof(typename walk_type::shared) + queue_bytes<Cut>(tile_chunks) <= 48 * 1024);
  __shared__ typename walk_type::shared memory;
  extern __shared__ __align__(128) unsigned char arrays[];
  admit_later_kernels();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  const std::int64_t first = std::int64_t{blockIdx.x} * scan.block_rows;
  const int num_rows = valid_of(scan.shape.outer - first, scan.block_rows);
  walk_type walk(scan, memory, reinterpret_cast<chunk_queue<Cut>*>(arrays), first,
                 num_rows * scan.num_steps(static_cast<int>(blockDim.x)));
  walk.ask_first();
#pragma unroll 1
  while (walk.goes_on()) {
    if (walk.begins_row()) walk.start();
    walk.take();
    walk.fold();
    __syncthreads();
    walk.finish();
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
