// Look-back: from the aggregates of earlier tiles to the exclusive prefix of a tile, in an order of
// operations that depends on the tile's index alone.
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
#ifndef SCAN_PROTOCOL_LOOK_BACK_HPP
#define SCAN_PROTOCOL_LOOK_BACK_HPP

#include <cstdint>

#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace scan {

/// One worker's running prefix. `Lanes` are the threads that look back together (a thread block, or
/// one CPU thread); all of them call, with the same arguments, and all of them get the result.
template <class T, class Op, class Lanes>
class look_back {
 public:
  SCAN_HOST_DEVICE look_back(const prefix<T>& init, Op op) : running_(init), op_(op) {}

  /// The fold of `init` and of all tiles before `tile`; absent for tile 0 without init. Waits until
  /// their aggregates are published. A worker's calls go in rising order of `tile`.
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE prefix<T> exclusive_prefix(const tile_states<T>& states, Lanes& lanes,
                                              std::int64_t tile) {
    for (;;) {
      // Look at several batches before waiting for the first, so that the loads overlap.
      observation<T> seen[batches_at_once] = {};
      for (int i = 0; i < batches_at_once; ++i) {
        const std::int64_t other = next_tile_ + i * Lanes::count + lanes.index();
        if (other < tile) seen[i] = states.observe(other);
      }
      for (int i = 0; i < batches_at_once; ++i) {
        const std::int64_t left = tile - next_tile_;
        if (left <= 0) return running_;
        const int num_tiles = left < Lanes::count ? static_cast<int>(left) : Lanes::count;
        if (lanes.index() < num_tiles) wait(states, lanes, next_tile_ + lanes.index(), seen[i]);
        const prefix<T> batch{lanes.fold(seen[i].value, num_tiles, op_), true};
        const prefix<T> joined = join(running_, batch, op_);
        if (num_tiles < Lanes::count) return joined;  // a later tile starts at this batch again
        running_ = joined;
        next_tile_ += Lanes::count;
      }
    }
  }

 private:
  static constexpr int batches_at_once = 2;

  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE static void wait(const tile_states<T>& states, const Lanes& lanes,
                                    std::int64_t tile, observation<T>& seen) {
    for (int attempt = 0; !seen.ready; ++attempt) {
      lanes.back_off(attempt);
      seen = states.observe(tile);
    }
  }

  prefix<T> running_;           // P(next_tile_ / W)
  std::int64_t next_tile_ = 0;  // a multiple of W
  Op op_;
};

}  // namespace scan

#endif
