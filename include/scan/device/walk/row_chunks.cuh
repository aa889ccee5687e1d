// What is done with rows in chunks, wherever these have come from: a warp folds its own of a step,
// learns what precedes it, and stores its results. What has been folded so far is in shared memory,
// for all warps of the block.
#ifndef SCAN_DEVICE_WALK_ROW_CHUNKS_CUH
#define SCAN_DEVICE_WALK_ROW_CHUNKS_CUH

#include <cstdint>

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/running_fold.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/walk_beside.cuh"
#include "scan/device/move/walk_io.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/device/walk/row_walk_cut.cuh"
#include "scan/device/walk/walk_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The chunks of its rows that a warp has one after another, each of a step of all its block's
/// warps; `Cut` is a row_walk_cut. `lone_bytes`: see walk_output.
template <class Cut, int lone_bytes = granule>
class row_chunks {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int vector_items = Cut::vector_items;
  static constexpr bool reversed = Cut::reversed;
  using vectors = walk_vectors<Cut, vector_items>;
  using elements = vector_elements<in_type, vector_items, reversed>;
  using output = walk_output<out_type, vector_items, reversed, lone_bytes>;
  struct shared {
    shared_array<T, tile_chunks> chunks[2];  // by parity: slow warps still read the last tile's
    running_fold<T, 1> running;
    granule_ends ends[tile_chunks];
  };

  /// From tile `first_tile` of row `index` on; of that and later rows so many steps.
  __device__ row_chunks(const Cut& scan, shared& memory, std::int64_t index, int first_tile,
                        int num_steps)
      : scan_(scan), memory_(memory), index_(index), steps_(num_steps) {
    enter_row(first_tile);
  }

  /// Whether there are more steps; and whether this one begins a row.
  __device__ bool goes_on() const { return steps_ > 0; }
  __device__ bool begins_row() const { return tile_ == 0 && chunk_ == warp_index(); }

  /// What the row starts with. Before a barrier.
  __device__ void start() {
    __syncwarp();  // (another lane has moved the last row's on)
    if (threadIdx.x == 0) memory_.running.enter(0, begin(), parity_);
  }

  /// Folds the warp's chunk.
  __device__ void fold() {
    const int count = count_of(left_);
    const T folded = vectors_.fold(scan_, items_, lane_index() < count, is_first_);
    is_first_ = false;
    scanned_ = warp_inclusive_scan(folded, count, scan_.op);
    if (lane_index() == count - 1) memory_.chunks[parity_][chunk_] = scanned_;
  }

  /// Stores the chunk's results; after a barrier. Then the next one is the warp's. `rest(k, i)` is
  /// item i of array k, of those that fill no vector.
  template <class Rest>
  __device__ void finish(const Rest& rest) {
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
      if (lane_index() == 0) finish_rest(join(before, {of_chunk, count > 0}, scan_.op), rest);
    }
    left_ -= step();
    --steps_;
    chunk_ += num_warps();
    const bool ends_row =
        left_ + warp_index() * chunk_vectors + (scan_.rest_items > 0 ? 1 : 0) <= 0;
    if (chunk_ < tile_chunks && !ends_row) return;
    ++tile_;
    parity_ ^= 1;
    chunk_ = warp_index();
    if (!ends_row) return;
    ++index_;
    enter_row(0);
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
  __device__ auto row() const { return scan_.sequence(index_, 0); }
  __device__ static std::int64_t first_vector(int tile) {
    return std::int64_t{tile} * (tile_chunks * chunk_vectors) + static_cast<int>(threadIdx.x);
  }
  __device__ void enter_row(int tile) {
    tile_ = 0;
    chunk_ = warp_index();
    left_ = scan_.whole_vectors - (tile * tile_chunks + warp_index()) * chunk_vectors;
    if (steps_ <= 0) return;
    const auto mine = row();
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) {
      to_[i] = output(mine.output(i), scan_.shape.length, first_vector(tile));
    }
  }
  /// What the chunk's items have besides elements. Of those that a step reads beside its own there
  /// is none at a row's ends, for which 1 stands.
  __device__ void complete_items() {
    if (begins_row()) items_.common = row().in_common();
    if (!Cut::reads_beside) return;
    const bool is_first = lane_index() == 0 && left_ == scan_.whole_vectors;
    const bool is_last = lane_index() == left_ - 1 && scan_.rest_items == 0;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      if (Cut::beside(i) == 0) continue;
      auto mine = elements::unpack(items_.of[i]);
      if (Cut::beside(i) < 0 && is_first) mine[0] = one_of<in_type>();
      if (Cut::beside(i) > 0 && is_last) mine[vector_items - 1] = one_of<in_type>();
      items_.of[i] = mine.pack();
    }
  }
  /// Vectors of all warps' chunks.
  __device__ static int step() { return static_cast<int>(blockDim.x); }
  __device__ static int num_warps() { return step() / warp_size; }
  __device__ static int count_of(int left) { return max(min(left, chunk_vectors), 0); }

  /// Of the tile's chunks up to the lane's, of those that have been folded.
  struct chunk_folds {
    T up_to;
    int count;
  };
  __device__ chunk_folds scan_chunks() {
    const int of_tile = (left_ + chunk_ * chunk_vectors + chunk_vectors - 1) / chunk_vectors;
    const int count = min(of_tile, chunk_ - warp_index() + num_warps());
    const T of_chunk = memory_.chunks[parity_][max(min(lane_index(), count - 1), 0)];
    return {device::scan_chunks(of_chunk, count, scan_.op), count};
  }

  /// The fold of what precedes the warp's chunk. The first warp moves it on, tile by tile.
  __device__ prefix<T> before_chunk() {
    const chunk_folds folds = scan_chunks();
    const T in_tile = shuffle(folds.up_to, max(chunk_ - 1, 0));
    const prefix<T> before = memory_.running.before(parity_, 0);
    if (warp_index() == 0 && lane_index() == tile_chunks - 1 && folds.count == tile_chunks) {
      memory_.running.move_on(tile_, 0, folds.up_to, scan_.op, parity_);
    }
    // (Behind the chunks that there are nothing has been folded.)
    return join(before, {in_tile, chunk_ > 0 && chunk_ <= folds.count}, scan_.op);
  }

  /// Of the items that fill no vector.
  __device__ std::int64_t rest_item(int i) const {
    return std::int64_t{scan_.whole_vectors} * vector_items + i;
  }
  /// Their results, after `running`. (A loop: who comes last of a row holds nobody up.)
  template <class Rest>
  __device__ void finish_rest(prefix<T> running, const Rest& rest) const {
    const auto mine = row();
#pragma unroll 1
    for (int i = 0; i < scan_.rest_items; ++i) {
      item_of<Cut> item{{}, items_.common};
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) {
        const std::int64_t beside = rest_item(i) + Cut::beside(k);
        const bool is_there = beside >= 0 && beside < scan_.shape.length;
        item.elements[k] = is_there ? rest(k, i) : one_of<in_type>();
      }
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
  output to_[num_outputs];
  int steps_;  // that there are from this one on
  int left_;   // whole vectors from the warp's chunk on, or less than 0
  int tile_;   // of the row, counted from the first that is the block's
  int chunk_;  // of the tile, the warp's
  int parity_ = 0;
  bool is_first_ = false;  // the lane's vector begins the row, with no init before it
  vectors vectors_;
  typename vectors::vectors items_;
  T scanned_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
