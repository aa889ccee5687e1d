// Block scan: the coarsened scan inside one tile, from thread to warp to block. Knows nothing of
// other tiles, and never hands the operator an element outside of [0, num_valid).
//
// It reduces first: each vector is folded to one value and only these are scanned across lanes; the
// elements themselves are folded again, from their exclusive prefix on, when they are stored. So
// what stays in registers between the two passes is the raw input and one value per vector.
#ifndef SCAN_DEVICE_FOLD_BLOCK_SCAN_CUH
#define SCAN_DEVICE_FOLD_BLOCK_SCAN_CUH

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/packed.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Shared memory for `count` values of a type that need not be default-constructible there.
template <class T, int count>
struct shared_array {
  alignas(T) unsigned char bytes[count * sizeof(T)];
  __device__ T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

/// The fold of `aggregates` before this warp (absent for warp 0 and behind the first warp without
/// items), and of the first `num_valid`.
template <class T>
struct warps_scan {
  prefix<T> before_warp;
  T aggregate;
};

/// Scans one value per warp, the same in every warp; after the barrier that follows their writing.
/// `first_warp`: those before it do not take part.
template <int num_warps, class T, class Op>
__device__ warps_scan<T> scan_warp_aggregates(shared_array<T, num_warps>& aggregates, int num_valid,
                                              Op op, int first_warp = 0) {
  const int place = first_warp + lane_index(), mine = warp_index() - first_warp;
  T value = aggregates[place < num_warps ? place : 0];
  value = warp_inclusive_scan(value, num_valid, op);
  const int previous = mine > 0 ? mine - 1 : 0;
  const bool follows = mine > 0 && mine <= num_valid;
  return {{shuffle(value, previous), follows}, shuffle(value, num_valid - 1)};
}

/// The first `num_warps` warps of a block as those who look back: a batch is one tile a thread.
/// Blocks with fewer warps have fewer tiles to look at. Warps with no tile look at nothing, but
/// take part in the folds: so they have the prefix without being told. (And no warps meet without
/// the others, of which racecheck loses track.)
template <class T, int num_warps>
class block_lookers {
 public:
  static constexpr int count = num_warps * warp_size;
  static constexpr int batches_at_once = 1;

  /// Two buffers: while slow warps read one fold's, fast ones write the next fold's.
  struct shared {
    shared_array<T, num_warps> warp_aggregates[2];
  };
  __device__ explicit block_lookers(shared& memory) : memory_(memory) {}

  __device__ int index() const { return static_cast<int>(threadIdx.x); }
  __device__ bool looks(int num_tiles) const { return warp_index() * warp_size < num_tiles; }

  /// value(0) op ... op value(num_valid - 1) in all threads: warp_inclusive_scan of each warp's,
  /// then of the warps'. A barrier.
  template <class Op>
  __device__ T fold(T value, int num_valid, Op op) {
    const int num_valid_lanes = min(num_valid - warp_index() * warp_size, warp_size);
    value = warp_inclusive_scan(value, num_valid_lanes, op);
    auto& aggregates = memory_.warp_aggregates[parity_];
    parity_ ^= 1;
    if (lane_index() == num_valid_lanes - 1) aggregates[warp_index()] = value;
    __syncthreads();
    return scan_warp_aggregates(aggregates, (num_valid - 1) / warp_size + 1, op).aggregate;
  }

  /// Each warp stays together while it waits.
  __device__ bool all(bool ready) const { return __all_sync(all_lanes, ready); }
  /// Leaves the memory system to those we wait for.
  __device__ void back_off(int attempt) const {
    if (attempt > 0) __nanosleep(look_pause_ns(attempt));
  }

 private:
  shared& memory_;
  int parity_ = 0;
};

template <class T, class Op, class Tuned>
struct block_scan {
  static constexpr int stripes = Tuned::tile.stripes;
  static constexpr int vector_items = Tuned::tile.vector_items;
  static constexpr int stripe_items = Tuned::tile.stripe_items();
  static constexpr int warp_items = Tuned::tile.warp_items();
  static constexpr int tile_items = Tuned::tile.tile_items();
  static constexpr int num_warps = Tuned::tile.warps_per_block();

  using warp_aggregates = shared_array<T, num_warps>;

  /// What a thread knows of its own warp.
  struct warp_part {
    /// Fold of the warp's items before this thread's vector of stripe r. Absent for the warp's very
    /// first vector; means something only where that vector has valid items.
    T before[stripes];
    /// Fold of the warp's valid items; means something only if there are any.
    T aggregate;
  };

  /// `before`, this thread's warp_part::before of stripe `stripe`, as a prefix.
  __device__ static prefix<T> before_vector(const T& before, int stripe) {
    return {before, stripe > 0 || lane_index() > 0};
  }

  /// Scans the warp's vectors. `items` is this thread's part, as tile_io::load left it; `scan` a
  /// problem.
  template <class Part, class Problem>
  __device__ static warp_part scan_warp(const Part& items, int num_valid, const Problem& scan) {
    // Bounds cost instructions, and all warps but one are full or empty.
    const int num_mine = num_valid - warp_index() * warp_items;
    return uniform(num_mine >= warp_items) ? scan_warp_stripes<true>(items, warp_items, scan)
                                           : scan_warp_stripes<false>(items, num_mine, scan);
  }

  /// Scans the warps' aggregates of a tile with `num_valid` items; after a barrier.
  __device__ static warps_scan<T> scan_aggregates(warp_aggregates& aggregates, int num_valid,
                                                  Op op) {
    return scan_warp_aggregates<num_warps>(aggregates, (num_valid - 1) / warp_items + 1, op);
  }

 private:
  template <bool full, class Part, class Problem>
  __device__ static warp_part scan_warp_stripes(const Part& items, int num_valid,
                                                const Problem& scan) {
    Op op = scan.op;
    warp_part part;
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      const int left =
          num_valid - stripe * stripe_items;  // valid items of this stripe and later ones
      const int num_lanes = full ? warp_size : (left + vector_items - 1) / vector_items;
      const T folded = fold_vector(items, stripe,
                                   full ? vector_items : left - lane_index() * vector_items, scan);
      const T scanned = warp_inclusive_scan(folded, num_lanes, op);
      const T before = shuffle_up(scanned, 1);
      const T stripe_aggregate =
          shuffle(scanned, full || num_lanes >= warp_size ? warp_size - 1 : max(num_lanes, 1) - 1);
      if (stripe == 0) {
        part.before[stripe] = before;
        part.aggregate = stripe_aggregate;
      } else if (full || num_lanes > 0) {
        part.before[stripe] = part.aggregate;
        if (lane_index() > 0 && (full || lane_index() < num_lanes)) {
          part.before[stripe] = op(part.aggregate, before);
        }
        part.aggregate = op(part.aggregate, stripe_aggregate);
      }
    }
    return part;
  }

  template <class Part, class Problem>
  __device__ static T fold_vector(const Part& items, int stripe, int num_valid,
                                  const Problem& scan) {
    if constexpr (packed<Problem>::folds && sizeof(items.stripe[0]) % 4 == 0) {
      packed_fold<Problem> folded(scan);
      folded.take(num_valid >= vector_items
                      ? items.stripe[stripe]
                      : packed<Problem>::first_items(scan, items.stripe[stripe], num_valid));
      return folded.result();
    } else {
      return fold_items(scan, items.unpack(stripe), num_valid);
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
