// What precedes a tile of narrow columns in the ring, as the warps that look back find it. With
// A(t) the fold of tile t of a column, and batches of 8 tiles:
//
//   P(0) = init, or absent          P(k + 1) = P(k) + L(A(8 k) .. A(8 k + 7))
//   E(t) = P(k) + L(A(8 k) .. A(t - 1)),  k = t / 8
//
// A(t) is published before anybody waits for anything of earlier tiles, and nothing else is, so
// nobody waits for what waits itself. A block keeps the P of its last tile's batch, from which on
// it looks at all that has been published since.
#ifndef SCAN_DEVICE_TENSOR_COLUMN_RING_LOOKS_CUH
#define SCAN_DEVICE_TENSOR_COLUMN_RING_LOOKS_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/named_barrier.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/column_ring_plan.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of one of `look_threads` threads: each looks at a batch of one column, and the first ones, one a
/// column, have the prefixes. `Problem` is a column_ring_cut.
template <class Problem, int look_threads>
class column_ring_looks {
 public:
  using T = typename Problem::T;
  using states_type = tile_states<T, dense_state_words(static_cast<int>(sizeof(T)))>;
  /// By parity of the look: slow threads still read what the last one saw.
  struct shared {
    shared_array<T, most_ring_columns> batches[2][most_column_batches];
  };

  __device__ column_ring_looks(const Problem& scan, shared& memory, int thread)
      : scan_(scan), memory_(memory), thread_(thread), inner_(scan.inner()) {}

  __device__ bool has_column() const { return thread_ < inner_; }
  /// The next tiles are those of another slab, from tile `first` of all on; `start`: what the
  /// thread's column starts with.
  __device__ void restart(std::int64_t first, const prefix<T>& start) {
    first_ = first;
    next_ = 0;
    before_batch_ = start;
  }
  /// E(t) of the thread's column, for tile t = `tile` of the slab: they go in rising order. All
  /// threads; waits until earlier tiles are published.
  __device__ prefix<T> before(const states_type& states, std::int64_t tile) {
    for (;;) {
      const bool is_last = tile - next_ <= most_column_batches * column_ring_batch;
      auto& batches = memory_.batches[parity_];
      parity_ ^= 1;
      look(states, tile, batches);
      named_barrier<1>{look_threads}.meet();
      const prefix<T> seen = pass(tile, batches);
      if (is_last) return seen;
    }
  }

 private:
  using batches_type = shared_array<T, most_ring_columns>[most_column_batches];

  /// Tiles of batch `batch` from next_ on that come before `tile`.
  __device__ int tiles_in(int batch, std::int64_t tile) const {
    const std::int64_t left = tile - next_ - batch * column_ring_batch;
    return left > column_ring_batch ? column_ring_batch : left > 0 ? static_cast<int>(left) : 0;
  }
  /// Looks at the batches from next_ on until all are there, and folds each.
  __device__ void look(const states_type& states, std::int64_t tile, batches_type& batches) const {
    const int at_once = look_threads / inner_, nth = thread_ / inner_;
    const int column = thread_ - nth * inner_;
    if (nth >= at_once) return;
    for (int batch = nth; batch < most_column_batches; batch += at_once) {
      const int count = tiles_in(batch, tile);
      if (count == 0) return;
      batches[batch][column] =
          look_at(states, first_ + next_ + batch * column_ring_batch, count, column);
    }
  }
  __device__ T look_at(const states_type& states, std::int64_t first, int count, int column) const {
    observation<T> seen[column_ring_batch];
    bool ready = false;
    for (int attempt = 0; !ready; ++attempt) {
      if (attempt > 0) __nanosleep(warp_look_pause_ns(attempt));
      ready = true;
#pragma unroll
      for (int i = 0; i < column_ring_batch; ++i) {  // without a branch: all are under way at once
        seen[i] = states.observe((first + min(i, count - 1)) * inner_ + column);
        ready &= seen[i].ready;
      }
    }
    auto op = scan_.op;
    T folded = seen[0].value;
#pragma unroll
    for (int i = 1; i < column_ring_batch; ++i) {
      if (i < count) folded = op(folded, seen[i].value);
    }
    return folded;
  }
  /// Joins what was seen to what is before it; passes the batches that are whole.
  __device__ prefix<T> pass(std::int64_t tile, batches_type& batches) {
    prefix<T> before = before_batch_;
#pragma unroll 4
    for (int batch = 0; batch < most_column_batches; ++batch) {
      const int count = has_column() ? tiles_in(batch, tile) : 0;
      if (count == 0) break;
      before = join(before_batch_, {batches[batch][thread_], true}, scan_.op);
      if (count == column_ring_batch) before_batch_ = before;
    }
    const std::int64_t whole = (tile - next_) / column_ring_batch;
    next_ += column_ring_batch * (whole < most_column_batches ? whole : most_column_batches);
    return before;
  }

  const Problem& scan_;
  shared& memory_;
  const int thread_, inner_;
  prefix<T> before_batch_{};           // P, of the thread's column
  std::int64_t first_ = 0, next_ = 0;  // of the slab's tiles; of the batch that P is of
  int parity_ = 0;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
