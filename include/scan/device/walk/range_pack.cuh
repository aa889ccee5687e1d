// Short segments that lie anywhere, up to a tile each, scanned by a warp: as many side by side as
// its lanes have vectors for, the next step's under way. In a row's order: the step that a segment
// begins in has all of its first 32 vectors, so its chunks are what they would be without others.
#ifndef SCAN_DEVICE_WALK_RANGE_PACK_CUH
#define SCAN_DEVICE_WALK_RANGE_PACK_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/walk/range_walk.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp's way through up to 32 segments, of which lane i knows the i-th, or one that is empty.
template <class Cut>
class range_pack {
 public:
  using T = typename Cut::T;
  using vector = range_vector<Cut>;

  /// `places`: of all lanes, in shared memory; `first_segment`: lane 0's. `vectors`: of the lane's
  /// segment; 0: it is not for the warp.
  __device__ range_pack(const Cut& scan, const segment_place* places, std::int64_t first_segment,
                        int vectors)
      : scan_(scan), places_(places), first_segment_(first_segment), left_(vectors) {}

  /// All lanes.
  __device__ void run() {
    step next = begin_step();
#pragma unroll 1
    while (__any_sync(all_lanes, next.mine.exists())) {
      const step now = next;
      next = begin_step();
      finish_step(now);
    }
  }

 private:
  /// What a lane does in a step.
  struct step {
    vector mine;
    prefix<T> start;  // of its segment
    int first;        // the lane with the first of its segment's vectors that are in the step
    int chunk;        // of the segment, which these are
    bool goes_on;     // the segment has more chunks than one
    std::int64_t segment;
  };

  /// Deals out the lanes to as many segments as have all of what is left, or a whole chunk, and
  /// asks for the vectors.
  __device__ step begin_step() {
    const int wanted = min(left_, warp_size);
    int end = wanted;
#pragma unroll
    for (int delta = 1; delta < warp_size; delta *= 2) {
      const int earlier = __shfl_up_sync(all_lanes, end, delta);
      if (lane_index() >= delta) end += earlier;
    }
    // The lane's segment is the first that ends behind it.
    int which = 0;
#pragma unroll
    for (int half = warp_size / 2; half > 0; half /= 2) {
      if (__shfl_sync(all_lanes, end, which + half - 1) <= lane_index()) which += half;
    }
    const int its_end = __shfl_sync(all_lanes, end, which);
    const int its_done = __shfl_sync(all_lanes, done_, which);
    const int its_left = __shfl_sync(all_lanes, left_, which);
    if (end <= warp_size) {
      done_ += wanted;
      left_ -= wanted;
    }
    step mine{};
    if (its_end <= lane_index() || its_end > warp_size) return mine;
    mine.first = its_end - min(its_left, warp_size);
    mine.chunk = its_done / chunk_vectors;
    mine.goes_on = its_done + its_left > chunk_vectors;
    mine.segment = first_segment_ + which;
    mine.start = scan_.start_of(mine.segment);
    mine.mine = vector(scan_, places_[which], its_done + lane_index() - mine.first);
    return mine;
  }

  __device__ void finish_step(const step& now) {
    T scanned = now.mine.fold(scan_);
#pragma unroll
    for (int delta = 1; delta < warp_size; delta *= 2) {
      const T earlier = shuffle_up(scanned, delta);
      if (now.mine.is_whole() && lane_index() - delta >= now.first) {
        scanned = scan_.op(earlier, scanned);
      }
    }
    const prefix<T> before = before_chunk(now, scanned);
    const T of_lanes = shuffle_up(scanned, 1);
    if (now.mine.exists()) {
      now.mine.finish(scan_, join(before, {of_lanes, lane_index() > now.first}, scan_.op),
                      now.segment);
    }
  }

  /// The fold of what precedes the lane's chunk. Only the segment of lane 0 may have several.
  __device__ prefix<T> before_chunk(const step& now, const T& scanned) {
    if (!__shfl_sync(all_lanes, now.goes_on ? 1 : 0, 0)) return now.start;
    const int chunk = __shfl_sync(all_lanes, now.chunk, 0);
    const T up_to = scan_chunks(chunk_, chunk, scan_.op);
    const T in_tile = shuffle(up_to, max(chunk - 1, 0));
    const T folded = shuffle(scanned, warp_size - 1);  // (of a last chunk, which nobody asks for)
    if (lane_index() == chunk) chunk_ = folded;
    return join(now.start, {in_tile, now.first == 0 && chunk > 0}, scan_.op);
  }

  const Cut& scan_;
  const segment_place* places_;
  std::int64_t first_segment_;
  int left_, done_ = 0;  // vectors of the lane's segment
  T chunk_;              // of the segment that several steps go along: the lane's chunk's fold
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
