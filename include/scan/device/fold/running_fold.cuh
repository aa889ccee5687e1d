// What a walk along sequences has folded of each, in an order that depends on where in the sequence
// its tiles begin and not on who folds them. A(t) is the fold of tile t:
//
//   B(k) = L(A of the tiles of group k)         P(q+1) = P(q) + L(B of the groups of span q)
//   E(t) = (P(q) + L(B of q's groups before t's)) + L(A of the group's tiles before t)
//
// It is kept in shared memory, so that threads have their registers for what is on its way: one
// thread a sequence moves it on while all scan, for the tile that begins with the next barrier.
#ifndef SCAN_DEVICE_FOLD_RUNNING_FOLD_CUH
#define SCAN_DEVICE_FOLD_RUNNING_FOLD_CUH

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// H of the folds of a tile's chunks, of which lane i has that of chunk i: in lane i up to it, for
/// i < count.
template <class T, class Op>
__device__ T scan_chunks(T value, int count, Op op) {
#pragma unroll
  for (int delta = 1; delta < tile_chunks; delta *= 2) {
    const T earlier = shuffle_up(value, delta);
    if (lane_index() >= delta && lane_index() < count) value = op(earlier, value);
  }
  return value;
}

/// Of `sequences` sequences side by side, whose tiles are as many, `in_groups` to a group and
/// `in_spans` groups to a span.
template <class T, int sequences, int in_groups = group_tiles, int in_spans = span_groups>
class running_fold {
 public:
  /// One thread a sequence, before a barrier; its first tile is step `step` of those who walk.
  __device__ void enter(int sequence, const prefix<T>& start, int step = 0) {
    spans_[sequence] = before_group_[sequence] = before_tile_[step % 2][sequence] = start;
  }
  /// E(t), of the tile that is this step's.
  __device__ const prefix<T>& before(int step, int sequence) {
    return before_tile_[step % 2][sequence];
  }
  /// Takes A(t) of tile t = `tile`, which is this step's; one thread a sequence, behind a barrier
  /// after who has entered or moved it on before.
  template <class Op>
  __device__ void move_on(int tile, int sequence, T folded, Op op, int step) {
    const int in_group = tile % in_groups, in_span = tile / in_groups % in_spans;
    // (Slow warps still read what precedes this tile.)
    prefix<T>& next = before_tile_[(step + 1) % 2][sequence];
    if (in_group > 0) folded = op(tiles_[sequence], folded);
    if (in_group + 1 < in_groups) {
      tiles_[sequence] = folded;
      next = join(before_group_[sequence], {folded, true}, op);
      return;
    }
    if (in_span > 0) folded = op(groups_[sequence], folded);
    groups_[sequence] = folded;
    next = join(spans_[sequence], {folded, true}, op);
    before_group_[sequence] = next;
    if (in_span + 1 == in_spans) spans_[sequence] = next;
  }

 private:
  shared_array<prefix<T>, sequences> before_tile_[2];
  // P(q), P(q) + L(B ..), L(B ..) and L(A ..): what is of whole spans, groups and tiles.
  shared_array<prefix<T>, sequences> spans_, before_group_;
  shared_array<T, sequences> groups_, tiles_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
