// Rows, each walked by a block: it goes along the row chunk by chunk, with the next chunk's vectors
// under way while this one is scanned. What has been folded so far is in shared memory, for all
// warps; nobody waits for another block, and a step takes one barrier.
#ifndef SCAN_DEVICE_WALK_ROW_WALK_CUH
#define SCAN_DEVICE_WALK_ROW_WALK_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/running_fold.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/move/walk_io.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/walk_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The rows of a tensor, inner = 1; `Tensor` is a tensor_problem. `aligned`: the vectors of all
/// rows, of all arrays, lie at multiples of their size.
template <class Tensor, bool aligned_>
struct row_walk_cut : Tensor {
  using Tensor::num_inputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr bool aligned = aligned_;
  /// (Not of the states of 16-bit recurrences, which are wider: their vectors would be half as
  /// wide.)
  static constexpr int element_bytes =
      static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = tile_chunks * warp_size;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  static constexpr int most_blocks_per_sm = 1024 / most_threads;
#else
  static constexpr int most_blocks_per_sm = 1536 / most_threads;
#endif
  static constexpr int blocks_per_sm =
      std::min(walk_threads_per_sm(num_inputs, static_cast<int>(sizeof(T)),
                                   !aligned && sizeof(in_type) < walk_lone_bytes) /
                   most_threads,
               most_blocks_per_sm);

  int whole_vectors;  // of a row
  int rest_items;     // at its end, fewer than a vector

  explicit row_walk_cut(const Tensor& scan)
      : Tensor(scan),
        whole_vectors(static_cast<int>(scan.shape.length / vector_items)),
        rest_items(static_cast<int>(scan.shape.length % vector_items)) {}

  /// Vectors of a row, of which the last may be partial.
  __device__ int num_vectors() const { return whole_vectors + (rest_items > 0 ? 1 : 0); }

  /// Whether a tensor's vectors lie so.
  static bool are_aligned(const Tensor& scan) {
    const auto lies = [&](auto* data, std::int64_t pitch) {
      const auto* const boundary = Tensor::reversed ? data + scan.shape.length : data;
      return vector_aligned(boundary, vector_items) &&
             (scan.shape.outer < 2 || pitch % vector_items == 0);
    };
    bool all = lies(scan.out.data, scan.shape.out_pitch);
    for (int i = 0; i < num_inputs; ++i) all = all && lies(scan.input(i), scan.shape.in_pitch);
    return all;
  }
};

/// What a block does for its row; `Cut` is a row_walk_cut.
template <class Cut>
class row_walk {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  static constexpr int num_inputs = Cut::num_inputs, vector_items = Cut::vector_items;
  static constexpr bool reversed = Cut::reversed;
  using vectors = walk_vectors<Cut, vector_items>;
  using input = walk_input<in_type, vector_items, reversed, Cut::aligned>;
  using output = walk_output<out_type, vector_items, reversed, Cut::aligned>;
  struct shared {
    shared_array<T, tile_chunks> chunks[2];  // by parity: slow warps still read the last tile's
    running_fold<T, 1> running;
    granule_ends ends[tile_chunks];
    shared_array<in_type, vector_items> rest[num_inputs];
  };
  /// What a lane has asked for of each array.
  struct fetched {
    typename input::fetched of[num_inputs];
  };

  __device__ row_walk(const Cut& scan, shared& memory)
      : scan_(scan),
        memory_(memory),
        to_(row().out.data, scan.shape.length),
        left_(scan.whole_vectors - warp_index() * chunk_vectors) {
    const auto mine = row();
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) from_[i] = input(mine.input(i), scan.shape.length);
  }

  /// What the row starts with; and what is wanted at its end. All threads, before a barrier.
  __device__ void start() {
    const auto mine = row();
    if (threadIdx.x == 0) {
      const prefix<T> start = mine.start();
      is_first_ = !start.exists;
      memory_.running.enter(0, start);
      mine.write_start(start);
    }
    if (static_cast<int>(threadIdx.x) < scan_.rest_items) {
#pragma unroll
      for (int i = 0; i < num_inputs; ++i) {
        memory_.rest[i][threadIdx.x] = *rest_item(mine.input(i), static_cast<int>(threadIdx.x));
      }
    }
  }

  /// Asks for the vectors of the warp's chunk `ahead` steps from here.
  __device__ fetched fetch(int ahead) {
    const int count = count_of(left_ - ahead * step());
    fetched result;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      const in_type* const begin = scan_.input(i);
      result.of[i] = from_[i].fetch(
          count, step(),
          {begin, begin + (scan_.shape.outer - 1) * scan_.shape.in_pitch + scan_.shape.length});
    }
    return result;
  }

  /// Takes the warp's chunk, for which has been asked.
  __device__ void take(const fetched& from) {
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      items_.of[i] = from_[i].arrived(from.of[i], count_of(left_));
    }
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
    typename vectors::out_vector results;
    if (lane_index() < count) {
      const prefix<T> end = vectors_.scan(
          scan_, items_, join(before, {of_lanes, lane_index() > 0}, scan_.op), results);
      if (lane_index() == left_ - 1 && scan_.rest_items == 0) row().write_end(end);
    }
    to_.store(results, count, step(), memory_.ends[warp_index()]);
    if (scan_.rest_items > 0 && left_ >= 0 && left_ < chunk_vectors) {
      const T of_chunk = shuffle(scanned_, max(count - 1, 0));
      if (lane_index() == 0) finish_rest(join(before, {of_chunk, count > 0}, scan_.op));
    }
    left_ -= step();
    ++tile_;
  }

 private:
  __device__ auto row() const { return scan_.sequence(blockIdx.x, 0); }
  /// Vectors of all warps' chunks.
  __device__ static int step() { return static_cast<int>(blockDim.x); }
  __device__ static int count_of(int left) { return max(min(left, chunk_vectors), 0); }

  /// The fold of what precedes the warp's chunk. The first warp moves it on.
  __device__ prefix<T> before_chunk() {
    const int of_tile = min(left_ + warp_index() * chunk_vectors, tile_chunks * chunk_vectors);
    const int num_chunks = (of_tile + chunk_vectors - 1) / chunk_vectors;
    T value = memory_.chunks[tile_ % 2][min(lane_index(), tile_chunks - 1)];
#pragma unroll
    for (int delta = 1; delta < tile_chunks; delta *= 2) {
      const T earlier = shuffle_up(value, delta);
      if (lane_index() >= delta && lane_index() < num_chunks) value = scan_.op(earlier, value);
    }
    const T in_tile = shuffle(value, max(warp_index() - 1, 0));
    const prefix<T> before = memory_.running.before(tile_, 0);
    if (warp_index() == 0 && lane_index() == num_chunks - 1) {
      memory_.running.move_on(tile_, 0, value, scan_.op);
    }
    // (Behind the chunks that there are nothing has been folded.)
    return join(before, {in_tile, warp_index() > 0 && warp_index() <= num_chunks}, scan_.op);
  }

  /// Of the items that fill no vector.
  template <class Element>
  __device__ Element* rest_item(Element* data, int i) const {
    const std::int64_t item = std::int64_t{scan_.whole_vectors} * vector_items + i;
    return reversed ? data + scan_.shape.length - 1 - item : data + item;
  }
  /// Their results, after `running`. (A loop: who comes last of a row holds nobody up.)
  __device__ void finish_rest(prefix<T> running) const {
    const auto mine = row();
#pragma unroll 1
    for (int i = 0; i < scan_.rest_items; ++i) {
      item_of<Cut> item;
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) item.elements[k] = memory_.rest[k][i];
      *rest_item(mine.out.data, i) = scan_item(scan_, item, running);
    }
    mine.write_end(running);
  }

  const Cut& scan_;
  shared& memory_;
  input from_[num_inputs];
  output to_;
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
  row_walk<Cut> walk(scan, memory);
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
