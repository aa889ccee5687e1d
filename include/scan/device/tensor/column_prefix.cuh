// What precedes a column's rows: groups of the same tile, and earlier tiles of the strip.
//
// With A(t) the fold of tile t of a column, of a batch k (16 tiles) and of a span s (8 batches):
//
//   B(k) = L(A(16 k) .. A(16 k + 15))                who has the batch's last tile publishes it
//   P(0) = init, or absent
//   P(s + 1) = P(s) + L(B(8 s) .. B(8 s + 7))        who has the span's last tile publishes it
//   E(t) = (P(s) + L(B(8 s) .. B(k - 1))) + L(A(16 k) .. A(t - 1)),  k = t / 16, s = k / 8
//
// A(t) and B(k) are published before their publisher waits for anything that does not precede them
// in these formulas; all of it is of lower tickets. So only P is a chain. Its newest link would
// come late: who wants P(s) makes it from P(s - 1) and the B of that span.
#ifndef SCAN_DEVICE_TENSOR_COLUMN_PREFIX_CUH
#define SCAN_DEVICE_TENSOR_COLUMN_PREFIX_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/tuning.hpp"
#include "scan/device/tensor/column_cut.cuh"
#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans the parts' folds across the groups of each column (and slab). All threads,
/// thread i with part i, whose fold is `inclusive`; afterwards `folds` has what `inclusive` is
/// then: the fold of the column's groups up to the part's. `other`: another buffer, so that fast
/// warps write one step's while slow ones read the last one's.
template <class T, int threads, class Problem>
__device__ void scan_groups(const Problem& scan, const column_part& part, T& inclusive,
                            shared_array<T, threads>& folds, shared_array<T, threads>& other) {
  auto op = scan.op;
  const int thread = static_cast<int>(threadIdx.x), width = scan.cut.width;
  bool in_other = false;
  if (part.count > 0) folds[thread] = inclusive;
  __syncthreads();
  for (int delta = 1; delta < scan.cut.groups; delta *= 2) {
    auto& from = in_other ? other : folds;
    auto& to = in_other ? folds : other;
    if (part.count > 0) {
      if (part.group >= delta) inclusive = op(from[thread - delta * width], inclusive);
      to[thread] = inclusive;
    }
    in_other = !in_other;
    __syncthreads();
  }
  if (!in_other) return;
  if (part.count > 0) folds[thread] = inclusive;
  __syncthreads();
}
/// The fold of the column's groups before the part's.
template <class T, int threads, class Problem>
__device__ prefix<T> groups_before(const Problem& scan, const column_part& part,
                                   shared_array<T, threads>& folds) {
  prefix<T> before{};
  before.exists = part.count > 0 && part.group > 0;
  if (before.exists) before.value = folds[static_cast<int>(threadIdx.x) - scan.cut.width];
  return before;
}

/// State `row` of a strip's, of `column` of the tile's columns.
template <class Problem>
__device__ std::int64_t state_of(const Problem& scan, const column_place& at, int column,
                                 std::int64_t row) {
  constexpr int bytes = sizeof(typename Problem::T);
  return at.strip * scan.cut.strip_states(bytes) + column + row * scan.cut.state_width(bytes);
}
/// Publishes `aggregate`, the fold of the tile's rows of the column, where somebody wants it.
template <class Problem, class States, class T>
__device__ void publish_tile(const Problem& scan, const column_place& at, int column,
                             States& states, const T& aggregate) {
  if (at.tile % column_batch_tiles < column_batch_tiles - 1 && at.tile < scan.cut.followed()) {
    states.publish(state_of(scan, at, column, at.tile), aggregate);
  }
}

/// The states of a strip's tiles, and what they say of a thread's column. `Problem` is a column_cut
/// or a column_wave_cut.
template <class Problem>
class column_states {
 public:
  using T = typename Problem::T;
  using states_type = tile_states<T, dense_state_words(static_cast<int>(sizeof(T)))>;
  /// What was seen, or the folds of it.
  using shared = shared_array<T, most_column_looks * Problem::tuned.whole_width>;

  /// `column`: whose prefix the thread wants to know.
  __device__ column_states(const Problem& scan, const column_place& at, int column,
                           states_type& states, shared& memory)
      : scan_(scan), at_(at), states_(states), memory_(memory), column_(column) {
    const int thread = static_cast<int>(threadIdx.x);
    looked_ = thread - scan.per_width.quotient(thread) * scan.cut.width;
    const auto tile = static_cast<int>(at.tile);
    batch_ = tile / column_batch_tiles;
    span_ = batch_ / span_batches;
    num_tiles_ = tile - batch_ * column_batch_tiles;
    first_batch_ = max(span_ - 1, 0) * span_batches;
    num_batches_ = batch_ - first_batch_;
    first_ = state_of(scan, at, 0, 0);
  }

  /// The fold of `start` and of the column's rows before the tile. All threads, who wait for
  /// earlier tiles and then publish what else there is to publish.
  __device__ prefix<T> exclusive_prefix(const prefix<T>& start, bool has_aggregate,
                                        const T& aggregate) {
    auto op = scan_.op;
    const int num_looks = num_tiles_ + num_batches_ + (span_ > 1 ? 1 : 0);
    const bool ends_batch = num_tiles_ == column_batch_tiles - 1 && at_.tile < scan_.cut.followed();
    prefix<T> tiles{};
    T batch = aggregate;
    // Who ends a batch publishes its fold before it waits for more than the batch.
    for (int from = 0; from < num_looks;) {
      const int to = from == 0 && ends_batch ? num_tiles_ : num_looks;
      look(from, to);
      __syncthreads();
      if (from == 0) {
        tiles = fold(0, num_tiles_);
        if (ends_batch && has_aggregate) {
          batch = op(tiles.value, aggregate);
          states_.publish(state(scan_.cut.followed() + batch_, column_), batch);
        }
      }
      from = to;
    }
    prefix<T> running = start;
    int next = num_tiles_;
    if (span_ > 1) running = {memory_[place(num_looks - 1, column_)], true};
    if (span_ > 0) {
      running = join(running, fold(next, next + span_batches), op);
      next += span_batches;
    }
    const prefix<T> batches = fold(next, num_tiles_ + num_batches_);
    if (ends_batch && has_aggregate && batch_ % span_batches == span_batches - 1) {
      const prefix<T> span = join(batches, {batch, true}, op);
      states_.publish(state(scan_.cut.followed() + scan_.cut.batches() + span_, column_),
                      join(running, span, op).value);
    }
    return join(join(running, batches, op), tiles, op);
  }

 private:
  /// Looks under way at once.
  static constexpr int at_once = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;

  __device__ std::int64_t state(std::int64_t row, int column) const {
    return first_ + row * scan_.cut.state_width(sizeof(T)) + column;
  }
  /// Of those looked at: the batch's earlier tiles, earlier batches, the prefix.
  __device__ std::int64_t looked_at(int look) const {
    std::int64_t row = std::int64_t{batch_} * column_batch_tiles + look;
    if (look >= num_tiles_) row = scan_.cut.followed() + first_batch_ + (look - num_tiles_);
    if (look >= num_tiles_ + num_batches_)
      row = scan_.cut.followed() + scan_.cut.batches() + span_ - 2;
    return state(row, min(looked_, at_.width - 1));
  }
  __device__ int place(int look, int column) const { return look * scan_.cut.width + column; }

  /// Looks at states [from, to) of all columns until all are there. A group of threads looks at one
  /// of them; those that have nothing to look at look at the last.
  __device__ void look(int from, int to) {
    const int groups = max(1, Problem::threads / scan_.cut.width);
    const int group = static_cast<int>(threadIdx.x) / scan_.cut.width;
    for (int next = from; next < to; next += groups * at_once) {
      observation<T> seen[at_once];
      bool ready = true;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {  // without a branch, so that all are under way at once
        seen[i] = states_.observe(looked_at(min(next + i * groups + group, to - 1)));
        ready &= seen[i].ready;
      }
      for (int attempt = 0; !__all_sync(all_lanes, ready); ++attempt) {
        if (attempt > 0) __nanosleep(look_pause_ns(attempt));
        ready = true;
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (!seen[i].ready) {
            seen[i] = states_.observe(looked_at(min(next + i * groups + group, to - 1)));
          }
          ready &= seen[i].ready;
        }
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int look = next + i * groups + group;
        if (look < to && group < groups) memory_[place(look, looked_)] = seen[i].value;
      }
    }
  }

  /// L of what was seen from `from` to `to`.
  __device__ prefix<T> fold(int from, int to) const {
    auto op = scan_.op;
    prefix<T> folded{};
    if (from == to) return folded;
    folded = {memory_[place(from, column_)], true};
#pragma unroll 4
    for (int i = from + 1; i < to; ++i) folded.value = op(folded.value, memory_[place(i, column_)]);
    return folded;
  }

  const Problem& scan_;
  const column_place& at_;
  states_type& states_;
  shared& memory_;
  int column_, looked_;                        // whose prefix; at whose states the thread looks
  int batch_, span_;                           // of the tile
  int num_tiles_, first_batch_, num_batches_;  // before it, that are looked at
  std::int64_t first_;                         // state of the strip's first tile and column
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
