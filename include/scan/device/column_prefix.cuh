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
#ifndef SCAN_DEVICE_COLUMN_PREFIX_CUH
#define SCAN_DEVICE_COLUMN_PREFIX_CUH

#include <cstdint>

#include "scan/device/block_scan.cuh"
#include "scan/device/column_problem.cuh"
#include "scan/device/warp.cuh"
#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace scan::device {

/// Scans the parts' folds across the groups of each column (and slab). All threads, thread i with
/// part i.
template <class T, int threads>
class group_scan {
 public:
  /// Two buffers: while slow warps read one step's, fast ones write the next step's.
  using shared = shared_array<T, threads>[2];
  prefix<T> before;  // the fold of the column's earlier groups
  T inclusive;       // and of this one too; of a part that has rows

  template <class Problem>
  __device__ group_scan(const Problem& scan, const column_part& part, const T& fold, shared& memory)
      : inclusive(fold) {
    auto op = scan.op;
    const int thread = static_cast<int>(threadIdx.x), width = scan.cut.width;
    int from = 0;
    if (part.count > 0) memory[from][thread] = inclusive;
    __syncthreads();
    for (int delta = 1; delta < scan.cut.groups; delta *= 2) {
      if (part.count > 0) {
        if (part.group >= delta) inclusive = op(memory[from][thread - delta * width], inclusive);
        memory[from ^ 1][thread] = inclusive;
      }
      from ^= 1;
      __syncthreads();
    }
    before.exists = part.count > 0 && part.group > 0;
    if (before.exists) before.value = memory[from][thread - width];
  }
};

/// The states of a strip's tiles.
template <class Problem>
class column_states {
 public:
  using T = typename Problem::T;
  using states_type = tile_states<T, dense_state_words(static_cast<int>(sizeof(T)))>;
  /// What was seen, or the folds of it.
  using shared = shared_array<T, most_column_looks * Problem::tuned.most_width>;

  __device__ column_states(const Problem& scan, const column_place& at, const column_part& part,
                           states_type& states, shared& memory)
      : scan_(scan), at_(at), part_(part), states_(states), memory_(memory) {
    const auto tile = static_cast<int>(at.tile);
    batch_ = tile / batch_tiles;
    span_ = batch_ / span_batches;
    num_tiles_ = tile - batch_ * batch_tiles;
    first_batch_ = max(span_ - 1, 0) * span_batches;
    num_batches_ = batch_ - first_batch_;
    first_ = at.strip * scan.cut.strip_states(sizeof(T)) + min(part.column, at.width - 1);
  }

  /// Publishes `aggregate`, the fold of the tile's rows of the column, if the caller is the one who
  /// has it.
  __device__ void publish(bool has_it, const T& aggregate) {
    const bool is_wanted = num_tiles_ < batch_tiles - 1 && at_.tile < scan_.cut.followed();
    if (has_it && is_wanted) states_.publish(state(at_.tile), aggregate);
  }

  /// The fold of `start` and of the column's rows before the tile. All threads, who wait for
  /// earlier tiles and then publish what else there is to publish.
  __device__ prefix<T> exclusive_prefix(const prefix<T>& start, bool has_aggregate,
                                        const T& aggregate) {
    auto op = scan_.op;
    const int num_looks = num_tiles_ + num_batches_ + (span_ > 1 ? 1 : 0);
    const bool ends_batch = num_tiles_ == batch_tiles - 1 && at_.tile < scan_.cut.followed();
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
          states_.publish(state(scan_.cut.followed() + batch_), batch);
        }
      }
      from = to;
    }
    prefix<T> running = start;
    int next = num_tiles_;
    if (span_ > 1) running = {memory_[place(num_looks - 1)], true};
    if (span_ > 0) {
      running = join(running, fold(next, next + span_batches), op);
      next += span_batches;
    }
    const prefix<T> batches = fold(next, num_tiles_ + num_batches_);
    if (ends_batch && has_aggregate && batch_ % span_batches == span_batches - 1) {
      const prefix<T> span = join(batches, {batch, true}, op);
      states_.publish(state(scan_.cut.followed() + scan_.cut.batches() + span_),
                      join(running, span, op).value);
    }
    return join(join(running, batches, op), tiles, op);
  }

 private:
  /// Looks under way at once.
  static constexpr int at_once = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;

  __device__ std::int64_t state(std::int64_t row) const {
    return first_ + row * scan_.cut.state_width(sizeof(T));
  }
  /// Of those looked at: the batch's earlier tiles, earlier batches, the prefix.
  __device__ std::int64_t looked_at(int look) const {
    std::int64_t row = std::int64_t{batch_} * batch_tiles + look;
    if (look >= num_tiles_) row = scan_.cut.followed() + first_batch_ + (look - num_tiles_);
    if (look >= num_tiles_ + num_batches_)
      row = scan_.cut.followed() + scan_.cut.batches() + span_ - 2;
    return state(row);
  }
  __device__ int place(int look) const { return look * scan_.cut.width + part_.column; }

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
        if (attempt > 0) __nanosleep(attempt < 5 ? 20u << attempt : 320u);
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
        if (look < to && group < groups) memory_[place(look)] = seen[i].value;
      }
    }
  }

  /// L of what was seen from `from` to `to`.
  __device__ prefix<T> fold(int from, int to) const {
    auto op = scan_.op;
    prefix<T> folded{};
    if (from == to) return folded;
    folded = {memory_[place(from)], true};
#pragma unroll 4
    for (int i = from + 1; i < to; ++i) folded.value = op(folded.value, memory_[place(i)]);
    return folded;
  }

  const Problem& scan_;
  const column_place& at_;
  const column_part& part_;
  states_type& states_;
  shared& memory_;
  int batch_, span_;                           // of the tile
  int num_tiles_, first_batch_, num_batches_;  // before it, that are looked at
  std::int64_t first_;  // state of the strip's first tile and the thread's column
};

}  // namespace scan::device

#endif
