// Rows, each walked by a block: it goes along the row chunk by chunk, with the next chunk's vectors
// under way while this one is scanned. What has been folded so far is in shared memory, for all
// warps; nobody waits for another block, and a step takes one barrier.
#ifndef SCAN_DEVICE_WALK_ROW_WALK_CUH
#define SCAN_DEVICE_WALK_ROW_WALK_CUH

#include <cstdint>

#include "scan/device/fold/running_fold.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/move/walk_beside.cuh"
#include "scan/device/move/walk_io.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/row_walk_cut.cuh"
#include "scan/device/walk/walk_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block does for its row; `Cut` is a row_walk_cut.
template <class Cut>
class row_walk {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int vector_items = Cut::vector_items;
  static constexpr bool reversed = Cut::reversed;
  using vectors = walk_vectors<Cut, vector_items>;
  using input = walk_input<in_type, vector_items, reversed, Cut::aligned>;
  using output = walk_output<out_type, vector_items, reversed, Cut::aligned>;
  using beside = walk_beside<Cut, vector_items>;
  struct shared {
    shared_array<T, tile_chunks> chunks[2];  // by parity: slow warps still read the last tile's
    running_fold<T, 1> running;
    granule_ends ends[tile_chunks];
    shared_array<in_type, vector_items> rest[num_inputs];
  };
  /// What a lane has asked for of each array.
  struct fetched {
    typename input::fetched of[num_inputs];
    beside ends;
  };

  /// From tile `first_tile` of row `index` on.
  __device__ row_walk(const Cut& scan, shared& memory, std::int64_t index, int first_tile)
      : scan_(scan),
        memory_(memory),
        index_(index),
        left_(scan.whole_vectors - first_tile * (tile_chunks * chunk_vectors) -
              warp_index() * chunk_vectors) {
    const auto mine = row();
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      from_[i] = input(mine.input(i), scan.shape.length, first_vector(first_tile));
    }
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) {
      to_[i] = output(mine.output(i), scan.shape.length, first_vector(first_tile));
    }
  }

  /// What the row starts with; and what is wanted at its end. All threads, before a barrier.
  __device__ void start() {
    if (threadIdx.x == 0) memory_.running.enter(0, begin());
    fetch_rest();
  }

  /// Asks for the vectors of the warp's chunk `ahead` steps from here.
  __device__ fetched fetch(int ahead) {
    const int left = left_ - ahead * step(), count = count_of(left);
    fetched result;
    if (num_inputs > 1 && scan_.lines_ahead > 0) {
      const int distance = scan_.lines_ahead * step();
#pragma unroll
      for (int i = 0; i < num_inputs; ++i) from_[i].prefetch(left_ - ahead * step(), distance);
    }
    result.ends = beside::fetch(from_, count, left == scan_.whole_vectors,
                                left == count && scan_.rest_items == 0);
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      const in_type* const begin = scan_.input(i);
      result.of[i] = from_[i].fetch(
          count, step(),
          {begin, begin + (scan_.shape.outer - 1) * scan_.shape.in_pitch + scan_.shape.length});
    }
    return result;
  }

  /// Asks the L2 for the lines of the warp's chunk.
  __device__ void prefetch_chunk() const {
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) from_[i].prefetch(left_, 0);
  }

  /// Takes the warp's chunk, for which has been asked.
  __device__ void take(const fetched& from) {
    if (tile_ == 0) items_.common = row().in_common();
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      items_.of[i] = from_[i].arrived(from.of[i], count_of(left_));
    }
    from.ends.meet(items_, lane_index() == 0, lane_index() == count_of(left_) - 1);
  }

  /// Folds it.
  __device__ void fold() {
    const int count = count_of(left_);
    const T folded = vectors_.fold(scan_, items_, lane_index() < count, is_first_);
    is_first_ = false;
    scanned_ = warp_inclusive_scan(folded, count, scan_.op);
    if (lane_index() == count - 1) memory_.chunks[tile_ % 2][warp_index()] = scanned_;
  }

  /// Stores the chunk's results; after a barrier. Then the next one is the warp's.
  __device__ void finish() {
    const prefix<T> before = before_chunk();
    const int count = count_of(left_);
    const T of_lanes = shuffle_up(scanned_, 1);
    typename vectors::results results;
    if (lane_index() < count) {
      const prefix<T> end = vectors_.scan(
          scan_, items_, join(before, {of_lanes, lane_index() > 0}, scan_.op), results);
      if (lane_index() == left_ - 1 && scan_.rest_items == 0) {
        results.finish(row(), end);
        row().write_end(end);
      }
    }
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) {
      to_[i].store(results.of[i], count, step(), memory_.ends[warp_index()]);
    }
    if (scan_.rest_items > 0 && left_ >= 0 && left_ < chunk_vectors) {
      const T of_chunk = shuffle(scanned_, max(count - 1, 0));
      if (lane_index() == 0) finish_rest(join(before, {of_chunk, count > 0}, scan_.op));
    }
    left_ -= step();
    ++tile_;
  }

 protected:
  /// What the row starts with; by the thread that has its first vector.
  __device__ prefix<T> begin() {
    const auto mine = row();
    const prefix<T> start = mine.start();
    is_first_ = !start.exists;
    mine.write_start(start);
    return start;
  }
  __device__ void fetch_rest() {
    if (static_cast<int>(threadIdx.x) >= scan_.rest_items) return;
    const auto mine = row();
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      memory_.rest[i][threadIdx.x] = element_or_one<reversed>(
          mine.input(i), rest_item(static_cast<int>(threadIdx.x)) + Cut::beside(i),
          scan_.shape.length);
    }
  }
  __device__ auto row() const { return scan_.sequence(index_, 0); }
  __device__ static std::int64_t first_vector(int tile) {
    return std::int64_t{tile} * (tile_chunks * chunk_vectors) + static_cast<int>(threadIdx.x);
  }
  /// Vectors of all warps' chunks.
  __device__ static int step() { return static_cast<int>(blockDim.x); }
  __device__ static int count_of(int left) { return max(min(left, chunk_vectors), 0); }

  /// Of the tile's chunks up to the lane's, of those that there are.
  struct chunk_folds {
    T up_to;
    int count;
  };
  __device__ chunk_folds scan_chunks() {
    const int of_tile = min(left_ + warp_index() * chunk_vectors, tile_chunks * chunk_vectors);
    const int count = (of_tile + chunk_vectors - 1) / chunk_vectors;
    T value = memory_.chunks[tile_ % 2][min(lane_index(), tile_chunks - 1)];
#pragma unroll
    for (int delta = 1; delta < tile_chunks; delta *= 2) {
      const T earlier = shuffle_up(value, delta);
      if (lane_index() >= delta && lane_index() < count) value = scan_.op(earlier, value);
    }
    return {value, count};
  }

  /// The fold of what precedes the warp's chunk. The first warp moves it on.
  __device__ prefix<T> before_chunk() {
    const chunk_folds folds = scan_chunks();
    const T in_tile = shuffle(folds.up_to, max(warp_index() - 1, 0));
    const prefix<T> before = memory_.running.before(tile_, 0);
    if (warp_index() == 0 && lane_index() == folds.count - 1) {
      memory_.running.move_on(tile_, 0, folds.up_to, scan_.op);
    }
    // (Behind the chunks that there are nothing has been folded.)
    return join(before, {in_tile, warp_index() > 0 && warp_index() <= folds.count}, scan_.op);
  }

  /// Of the items that fill no vector.
  __device__ std::int64_t rest_item(int i) const {
    return std::int64_t{scan_.whole_vectors} * vector_items + i;
  }
  /// Their results, after `running`. (A loop: who comes last of a row holds nobody up.)
  __device__ void finish_rest(prefix<T> running) const {
    const auto mine = row();
#pragma unroll 1
    for (int i = 0; i < scan_.rest_items; ++i) {
      item_of<Cut> item{{}, items_.common};
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) item.elements[k] = memory_.rest[k][i];
      auto results = results_of<Cut>::scanned(scan_, item, running);
      if (i == scan_.rest_items - 1) results.finish(mine, running);
      const std::int64_t at = reversed ? scan_.shape.length - 1 - rest_item(i) : rest_item(i);
#pragma unroll
      for (int k = 0; k < num_outputs; ++k) mine.output(k)[at] = results.of[k];
    }
    mine.write_end(running);
  }

  const Cut& scan_;
  shared& memory_;
  std::int64_t index_;
  input from_[num_inputs];
  output to_[num_outputs];
  int left_;  // whole vectors from the warp's chunk on, or less than 0
  int tile_ = 0;
  bool is_first_ = false;  // the lane's vector begins the row, with no init before it
  vectors vectors_;
  typename vectors::vectors items_;
  T scanned_;
};

/// A block a row. `Cut` is a row_walk_cut.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    row_walk_kernel(const __grid_constant__ Cut scan) {
  __shared__ typename row_walk<Cut>::shared memory;
  admit_later_kernels();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  row_walk<Cut> walk(scan, memory, blockIdx.x, 0);
  auto next = walk.fetch(0);
  walk.start();
#pragma unroll 1
  for (int vectors = scan.num_vectors(); vectors > 0; vectors -= static_cast<int>(blockDim.x)) {
    walk.take(next);
    next = walk.fetch(1);  // (under way from the step's beginning on)
    walk.fold();
    __syncthreads();
    walk.finish();
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
