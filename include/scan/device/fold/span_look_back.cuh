// The look-back of those who share a sequence, in the walks' order (running_fold.cuh): a part of it
// is some tiles of a group, or a whole group. With A(t), B(k), P(q) as there,
//
//   G(q) = L(B of the groups of span q)          P(q+1) = P(q) op G(q)
//
// Who has a part publishes its A(t), or B(k) of a whole group, before anything is waited for; who
// has a span's last tile makes G(q) of these and publishes it before waiting for more. All of it is
// of lower tickets. So only P is a chain, and nobody waits for its newest link where an older one
// and the G since are there.
#ifndef SCAN_DEVICE_FOLD_SPAN_LOOK_BACK_CUH
#define SCAN_DEVICE_FOLD_SPAN_LOOK_BACK_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What precedes a part: E(t) = before_group op in_group of its first tile.
template <class T>
struct part_prefix {
  prefix<T> before_group, in_group;
};

/// A block's. The sequence's states begin at `first`: of tiles or groups, then G(0), P(1), G(1) ..
template <class T, class Op>
class span_look_back {
 public:
  struct shared {
    shared_array<T, span_groups * group_tiles> folds;  // of the span's tiles, or groups, and others
    shared_array<T, span_groups> groups;
  };

  /// `tile`: the part's first, of `count`.
  __device__ span_look_back(const relay_plan& plan, std::int64_t first, int tile, int count, Op op,
                            shared& memory)
      : plan_(plan), memory_(memory), op_(op), first_(first), tile_(tile), count_(count) {}

  /// By a warp: `folds[i * stride]` is A of the part's tile i. Who is followed publishes it.
  __device__ void publish(const T* folds, int stride, tile_states<T>& states) const {
    if (whole()) {
      if (!is_followed()) return;  // (a row's last tile, if partial, has no fold)
      const prefix<T> group = fold({}, folds, stride, count_);
      if (lane_index() == 0) states.publish(first_ + tile_ / group_tiles, group.value);
    } else if (lane_index() < count_ && tile_ + lane_index() + 1 < plan_.tiles_per_row) {
      states.publish(first_ + tile_ + lane_index(), folds[lane_index() * stride]);
    }
  }

  /// All threads: waits for what the span's earlier parts publish. A barrier follows.
  __device__ void await_span(const tile_states<T>& states) const {
    const int in_span = tile_ % (span_groups * group_tiles);
    const int wanted = whole() ? in_span / group_tiles : in_span;
    const std::int64_t from = first_ + (tile_ - in_span) / (whole() ? group_tiles : 1);
    for (int i = threadIdx.x; i < wanted; i += blockDim.x) {
      observation<T> seen = states.observe(from + i);
      for (int attempt = 0; !seen.ready; ++attempt) {
        if (attempt > 0) __nanosleep(look_pause_ns(attempt));
        seen = states.observe(from + i);
      }
      memory_.folds[i] = seen.value;
    }
  }

  /// By the warp that has published. Publishes what there is for later spans.
  __device__ part_prefix<T> exclusive_prefix(const T* folds, int stride, const prefix<T>& start,
                                             tile_states<T>& states) const {
    const int group = tile_ / group_tiles, span = group / span_groups;
    const int groups_before = group % span_groups, tiles_before = tile_ % group_tiles;
    if (!whole()) {
      if (lane_index() < groups_before) {
        const T* const mine = &memory_.folds[lane_index() * group_tiles];
        memory_.groups[lane_index()] = fold({}, mine, 1, group_tiles).value;
      }
      __syncwarp();
    }
    part_prefix<T> before;
    before.in_group =
        fold({}, &memory_.folds[groups_before * group_tiles], 1, whole() ? 0 : tiles_before);
    const prefix<T> of_span =
        fold({}, whole() ? &memory_.folds[0] : &memory_.groups[0], 1, groups_before);
    const bool ends_span =
        is_followed() && groups_before == span_groups - 1 && tiles_before + count_ == group_tiles;
    prefix<T> whole_span{};
    if (ends_span) {
      whole_span = join(of_span, fold(before.in_group, folds, stride, count_), op_);
      if (lane_index() == 0) states.publish(fold_of_span(span), whole_span.value);
    }
    const prefix<T> before_span = span > 0 ? await_spans(span, start, states) : start;
    if (ends_span && lane_index() == 0) {
      states.publish(fold_of_span(span) + 1, join(before_span, whole_span, op_).value);
    }
    before.before_group = join(before_span, of_span, op_);
    return before;
  }

 private:
  __device__ bool whole() const { return plan_.block_tiles == group_tiles; }
  __device__ bool is_followed() const { return tile_ + count_ < plan_.tiles_per_row; }
  /// State of G(span); that of P(span + 1) follows.
  __device__ std::int64_t fold_of_span(int span) const {
    return first_ + plan_.folds_per_row() + 2 * std::int64_t{span};
  }

  /// L(running, values[0], values[stride] ..), in all lanes.
  __device__ prefix<T> fold(prefix<T> running, const T* values, int stride, int count) const {
#pragma unroll 4
    for (int i = 0; i < count; ++i) running = join(running, {values[i * stride], true}, op_);
    return running;
  }

  /// P(span), of the newest one that is there with all G since. A lane looks `lane` spans back.
  __device__ prefix<T> await_spans(int span, const prefix<T>& start,
                                   const tile_states<T>& states) const {
    const int at = span - lane_index();
    observation<T> prefix_there{start.value, at == 0}, fold_there{start.value, false};
    for (int attempt = 0;; ++attempt) {
      if (attempt > 0) __nanosleep(warp_look_pause_ns(attempt));
      if (at > 0 && !prefix_there.ready) {
        prefix_there = states.observe(fold_of_span(at - 1) + 1);
      }
      if (at > 0 && !fold_there.ready) fold_there = states.observe(fold_of_span(at - 1));
      const unsigned prefixes = __ballot_sync(all_lanes, prefix_there.ready);
      const unsigned folds = __ballot_sync(all_lanes, fold_there.ready);
      const int back = __ffs(static_cast<int>(prefixes)) - 1;
      if (back < 0 || (~folds & ((1u << back) - 1)) != 0) continue;
      prefix<T> running{shuffle(prefix_there.value, back), back < span || start.exists};
      for (int i = back - 1; i >= 0; --i) {
        running = join(running, {shuffle(fold_there.value, i), true}, op_);
      }
      return running;
    }
  }

  const relay_plan& plan_;
  shared& memory_;
  Op op_;
  std::int64_t first_;
  int tile_, count_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
