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
#ifndef SCAN_PROTOCOL_RUNNING_PREFIX_HPP
#define SCAN_PROTOCOL_RUNNING_PREFIX_HPP

#include <cstddef>
#include <cstdint>

#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace scan {

/// One worker's. `Lanes` are the threads that look back together (a thread block, or
/// one CPU thread); all of them call, with the same arguments, and all of them get the result.
/// Those that have none of the tiles to look at take part in the folds alone.
template <class T, class Op, class Lanes>
class running_prefix {
 public:
  /// `first`: the tile that the scan begins at, and batches are counted from.
  SCAN_HOST_DEVICE running_prefix(const prefix<T>& init, Op op, std::int64_t first = 0)
      : running_(init), next_tile_(first), op_(op) {}

  /// The fold of `init` and of all tiles before `tile`; absent for tile 0 without init. Waits until
  /// their aggregates are published. A worker's calls go in rising order of `tile`.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE prefix<T> exclusive_prefix(const tile_states<T>& states, Lanes& lanes,
                                              std::int64_t tile) {
    for (;;) {
      // Several batches at once, so that the loads overlap, and then the chains of operations.
      constexpr int num_batches = Lanes::batches_at_once, most = num_batches * Lanes::count;
      const std::int64_t left = tile - next_tile_;
      if (left == 0) return running_;
      const int num_tiles = left < most ? static_cast<int>(left) : most;
      T aggregate[std::size_t{num_batches}];
      if (lanes.looks(num_tiles)) look(states, lanes, num_tiles, aggregate);
      SCAN_UNROLL
      for (int i = 0; i < num_batches; ++i) {
        aggregate[i] = lanes.fold(aggregate[i], tiles_in(i, num_tiles), op_);
      }
      prefix<T> before = running_;
      SCAN_UNROLL
      for (int i = 0; i < num_batches; ++i) {
        if (tiles_in(i, num_tiles) > 0) before = join(running_, {aggregate[i], true}, op_);
        // A later tile starts at a partial batch again.
        if (tiles_in(i, num_tiles) == Lanes::count) running_ = before;
      }
      next_tile_ += num_tiles / Lanes::count * Lanes::count;
      if (left <= most) return before;
    }
  }

 private:
  /// Tiles of the batch `batch` among `num_tiles`.
  SCAN_HOST_DEVICE static int tiles_in(int batch, int num_tiles) {
    const int left = num_tiles - batch * Lanes::count;
    return left < 0 ? 0 : left < Lanes::count ? left : Lanes::count;
  }

  /// The lane's aggregates among the next `num_tiles` tiles, one a batch, once all are there.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE void look(const tile_states<T>& states, const Lanes& lanes, int num_tiles,
                             T (&aggregate)[Lanes::batches_at_once]) const {
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

  /// The lane's aggregate of one batch. No branch, or the loads of several batches would wait for
  /// each other: a lane whose tile is not wanted looks at the last one that is.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE bool look_at(const tile_states<T>& states, const Lanes& lanes, int batch,
                                int num_tiles, T& aggregate) const {
    const int wanted = batch * Lanes::count + lanes.index();
    const observation<T> seen =
        states.observe(next_tile_ + (wanted < num_tiles ? wanted : num_tiles - 1));
    aggregate = seen.value;
    return seen.ready;
  }

  prefix<T> running_;       // P(next_tile_ / W)
  std::int64_t next_tile_;  // a multiple of W from the first on
  Op op_;
};

}  // namespace scan

#endif
