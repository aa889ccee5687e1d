// The look-back: from the aggregates of earlier tiles to the exclusive prefix of a tile, in an
// order of operations that depends on the tile's index alone.
//
// The idea is the decoupled look-back of Merrill and Garland, "Single-pass Parallel Prefix Scan
// with Decoupled Look-back" (NVIDIA NVR-2016-002): a worker publishes its tile's aggregate before
// it waits for others. Unlike there, nobody publishes inclusive prefixes. A worker keeps its own
// running prefix and folds in, batch by batch, the aggregates since its last tile; so how a sum is
// associated never depends on who was first. With a batch of W = Lanes::count tiles and A(t) the
// aggregate of tile t:
//
//   P(0)     = init, or absent
//   P(b + 1) = P(b) op fold(A(bW), ..., A(bW + W - 1))
//   exclusive prefix of tile t = P(t / W) op fold(A(t / W * W), ..., A(t - 1))
//
// where fold is Lanes::fold, whose order is fixed too.
//
// Of segment folds nothing before the last one with a head in it changes what comes after: so a
// look-back that has found one waits for none before it, and takes whatever stands there for a fold
// that has a head too, which no operator then sees.
#ifndef SCAN_PROTOCOL_RUNNING_PREFIX_HPP
#define SCAN_PROTOCOL_RUNNING_PREFIX_HPP

#include <cstddef>
#include <cstdint>

#include "scan/call/segment_heads.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// One worker's. `Aggregate`: of a tile, and of as many as are looked at in one go; a T, or what is
/// narrower and becomes one. `Lanes` are the threads that look back together (a thread block, or
/// one CPU thread); all of them call, with the same arguments, and all of them get the result.
/// Those that have none of the tiles to look at take part in the folds alone.
template <class T, class Op, class Lanes, class Aggregate = T>
class running_prefix {
 public:
  /// `first`: the tile that the scan begins at, and batches are counted from.
  SCAN_HOST_DEVICE running_prefix(const prefix<T>& init, Op op, std::int64_t first = 0)
      : running_(init), next_tile_(first), op_(op) {}
  /// The same anew, with the same operator. (Which is not assigned: lambdas cannot be.)
  SCAN_HOST_DEVICE void restart(const prefix<T>& init, std::int64_t first) {
    running_ = init;
    next_tile_ = first;
  }

  /// The fold of `init` and of all tiles before `tile`; absent for tile 0 without init. Waits until
  /// their aggregates are published. A worker's calls go in rising order of `tile`.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE prefix<T> exclusive_prefix(const tile_states<Aggregate>& states, Lanes& lanes,
                                              std::int64_t tile) {
    if constexpr (has_absorbing<Op>) {
      prefix<T> before{};
      if (near_head_ && tile - next_tile_ > Lanes::count && is_near(states, lanes, tile, before)) {
        return before;
      }
      skip_to_last_head(states, lanes, tile);
    }
    for (;;) {
      // Several batches at once, so that the loads overlap, and then the chains of operations.
      const std::int64_t left = tile - next_tile_;
      if (left == 0) return running_;
      const int num_tiles = left < most ? static_cast<int>(left) : most;
      Aggregate aggregate[std::size_t{num_batches}];
      prefix<T> before{};
      if constexpr (has_absorbing<Op>) {
        const std::int64_t last_batch = (num_tiles - 1) / Lanes::count * Lanes::count;
        const int from = look_for_heads<num_batches>(states, lanes, num_tiles, aggregate);
        near_head_ = from >= last_batch;
        before = from < 0 ? fold_values(lanes, num_tiles, aggregate)
                          : fold_batches(lanes, num_tiles, aggregate);
      } else {
        if (lanes.looks(num_tiles)) look(states, lanes, num_tiles, aggregate);
        before = fold_batches(lanes, num_tiles, aggregate);
      }
      next_tile_ += num_tiles / Lanes::count * Lanes::count;
      if (left <= most) return before;
    }
  }

  /// Of segment folds: whether the last look found a head in its last batch. At first it may.
  SCAN_HOST_DEVICE bool near_head() const { return near_head_; }

 private:
  static constexpr int num_batches = Lanes::batches_at_once, most = num_batches * Lanes::count;

  /// Tiles of the batch `batch` among `num_tiles`.
  SCAN_HOST_DEVICE static int tiles_in(int batch, int num_tiles) {
    const int left = num_tiles - batch * Lanes::count;
    return left < 0 ? 0 : left < Lanes::count ? left : Lanes::count;
  }

  /// The fold of all before and of these `num_tiles` tiles.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE prefix<T> fold_batches(
      Lanes& lanes, int num_tiles, Aggregate (&aggregate)[std::size_t{Lanes::batches_at_once}]) {
    SCAN_UNROLL
    for (int i = 0; i < num_batches; ++i) {
      aggregate[i] = lanes.fold(aggregate[i], tiles_in(i, num_tiles), op_);
    }
    prefix<T> before = running_;
    SCAN_UNROLL
    for (int i = 0; i < num_batches; ++i) {
      if (tiles_in(i, num_tiles) > 0) {
        before = join(running_, prefix<T>{static_cast<T>(aggregate[i]), true}, op_);
      }
      // A later tile starts at a partial batch again.
      if (tiles_in(i, num_tiles) == Lanes::count) running_ = before;
    }
    return before;
  }

  /// The same of segment folds without heads, operation by operation, in half as many instructions:
  /// where no head ends a look, looks are what everything else waits for.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE prefix<T> fold_values(
      Lanes& lanes, int num_tiles,
      const Aggregate (&aggregate)[std::size_t{Lanes::batches_at_once}]) {
    using V = decltype(T::value);
    constexpr int first = num_batches < 4 ? num_batches : 4;  // batches that most looks have whole
    prefix<T> before = running_;
    const bool has_first = num_tiles >= first * Lanes::count;
    if (has_first) {
      V folded[std::size_t{first}];
      SCAN_UNROLL
      for (int i = 0; i < first; ++i) {
        folded[i] = lanes.fold(aggregate[i].value, Lanes::count, op_.op);
      }
      SCAN_UNROLL
      for (int i = 0; i < first; ++i) append(before, folded[i], true);
    }
    SCAN_UNROLL
    for (int i = 0; i < num_batches; ++i) {
      const int here = i < first && has_first ? 0 : tiles_in(i, num_tiles);
      if (here > 0) {
        append(before, lanes.fold(aggregate[i].value, here, op_.op), here == Lanes::count);
      }
    }
    return before;
  }

  SCAN_CALLS_EITHER_SIDE
  template <class V>
  SCAN_HOST_DEVICE void append(prefix<T>& before, const V& folded, bool is_whole) {
    before.value.value = before.exists ? op_.op(before.value.value, folded) : folded;
    if (!before.exists) before.value.has_head = 0;
    before.exists = true;
    if (is_whole) running_ = before;
  }

  /// The lane's aggregates among the next `num_tiles` tiles, one a batch, once all are there.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE void look(const tile_states<Aggregate>& states, const Lanes& lanes,
                             int num_tiles, Aggregate (&aggregate)[Lanes::batches_at_once]) const {
    bool ready[Lanes::batches_at_once], all_ready = true;
    SCAN_UNROLL
    for (int i = 0; i < Lanes::batches_at_once; ++i) {
      ready[i] = look_at(states, lanes, i, num_tiles, aggregate[i]);
      all_ready &= ready[i];
    }
    if (lanes.all(all_ready)) return;
    SCAN_UNROLL
    for (int i = 0; i < Lanes::batches_at_once; ++i) {
      for (int attempt = 0; !lanes.all(ready[i]); ++attempt) {
        lanes.back_off(attempt);
        ready[i] = look_at(states, lanes, i, num_tiles, aggregate[i]);
      }
    }
  }

  /// The same of segment folds, once all are there from the last one with a head on, whose place it
  /// returns; or -1.
  SCAN_CALLS_EITHER_SIDE
  template <int num_batches>
  SCAN_HOST_DEVICE int look_for_heads(const tile_states<Aggregate>& states, const Lanes& lanes,
                                      int num_tiles,
                                      Aggregate (&aggregate)[std::size_t{num_batches}]) const {
    bool ready[std::size_t{num_batches}], no_head = true;
    SCAN_UNROLL
    for (int i = 0; i < num_batches; ++i) {
      ready[i] = look_at(states, lanes, i, num_tiles, aggregate[i]);
      no_head = no_head && ready[i] && !absorbs_earlier(op_, aggregate[i]);
    }
    if (lanes.all(no_head)) return -1;
    for (int attempt = 0;; ++attempt) {
      int from = -1;  // the last tile with a head in it
      SCAN_UNROLL
      for (int i = 0; i < num_batches; ++i) {
        const int lane = lanes.last(ready[i] && absorbs_earlier(op_, aggregate[i]));
        if (lane >= 0) from = place_of(i, lane, num_tiles);
      }
      bool enough = true;
      SCAN_UNROLL
      for (int i = 0; i < num_batches; ++i) {
        enough &= ready[i] || place_of(i, lanes.index(), num_tiles) < from;
      }
      if (lanes.all(enough)) {
        SCAN_UNROLL
        for (int i = 0; i < num_batches; ++i) {
          // All of them: one that is there must not be joined to one that is not.
          if (place_of(i, lanes.index(), num_tiles) < from) aggregate[i].has_head = 1;
        }
        return from;
      }
      lanes.back_off(attempt);
      SCAN_UNROLL
      for (int i = 0; i < num_batches; ++i) {
        if (!lanes.all(ready[i] || place_of(i, lanes.index(), num_tiles) < from)) {
          ready[i] = look_at(states, lanes, i, num_tiles, aggregate[i]);
        }
      }
    }
  }

  /// Where more tiles are to be looked at than in one go: if one of the last has a head in it,
  /// begins with these.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE void skip_to_last_head(const tile_states<Aggregate>& states, const Lanes& lanes,
                                          std::int64_t tile) {
    const std::int64_t left = tile - next_tile_;
    if (left <= most) return;
    running_prefix later = *this;
    later.next_tile_ += (left - most + Lanes::count - 1) / Lanes::count * Lanes::count;
    Aggregate aggregate[Lanes::batches_at_once];
    if (later.template look_for_heads<num_batches>(
            states, lanes, static_cast<int>(tile - later.next_tile_), aggregate) < 0) {
      return;
    }
    next_tile_ = later.next_tile_;
    // Whatever was before: a tile with a head follows, in a batch that is looked at again.
    running_.exists = false;
  }

  /// Whether one of the last batch's tiles has a head in it; then what that and the rest of these
  /// tiles fold to. Where segments are short that is all there is to look at.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE bool is_near(const tile_states<Aggregate>& states, Lanes& lanes,
                                std::int64_t tile, prefix<T>& before) {
    running_prefix later = *this;
    later.next_tile_ += (tile - 1 - next_tile_) / Lanes::count * Lanes::count;
    const int num_tiles = static_cast<int>(tile - later.next_tile_);
    Aggregate aggregate[1];
    near_head_ = later.template look_for_heads<1>(states, lanes, num_tiles, aggregate) >= 0;
    if (!near_head_) return false;
    next_tile_ = later.next_tile_;
    running_.exists = false;
    before = {lanes.fold(aggregate[0], num_tiles, op_), true};
    if (num_tiles == Lanes::count) {
      running_ = before;
      next_tile_ += Lanes::count;
    }
    return true;
  }

  /// A look's tile, by batch and lane: see look_at.
  SCAN_HOST_DEVICE static int place_of(int batch, int lane, int num_tiles) {
    const int wanted = batch * Lanes::count + lane;
    return wanted < num_tiles - 1 ? wanted : num_tiles - 1;
  }

  /// The lane's aggregate of one batch. No branch, or the loads of several batches would wait for
  /// each other: a lane whose tile is not wanted looks at the last one that is.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE bool look_at(const tile_states<Aggregate>& states, const Lanes& lanes, int batch,
                                int num_tiles, Aggregate& aggregate) const {
    const observation<Aggregate> seen =
        states.observe(next_tile_ + place_of(batch, lanes.index(), num_tiles));
    aggregate = seen.value;
    return seen.ready;
  }

  prefix<T> running_;       // P(next_tile_ / W)
  std::int64_t next_tile_;  // a multiple of W from the first on
  Op op_;
  bool near_head_ = true;  // of segment folds: whether the last look found a head in its last batch
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
