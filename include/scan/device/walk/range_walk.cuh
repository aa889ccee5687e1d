// A segment that lies anywhere, walked by a block, tile by tile: the next tile's vectors are under
// way while this one is scanned; what has been folded so far is in shared memory, in the order of
// running_fold; a tile takes one barrier.
#ifndef SCAN_DEVICE_WALK_RANGE_WALK_CUH
#define SCAN_DEVICE_WALK_RANGE_WALK_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/running_fold.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/walk/range_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class T>
struct range_walk_shared {
  shared_array<T, tile_chunks> chunks[2];  // by parity: slow warps still read the last tile's
  running_fold<T, 1> running;
};

/// The fold of what precedes the warp's chunk of tile `tile`, which has `num_whole` whole vectors.
/// The first warp moves it on.
template <class Cut, class T = typename Cut::T>
__device__ prefix<T> before_chunk(const Cut& scan, range_walk_shared<T>& memory, int tile,
                                  int num_whole) {
  const int count = (num_whole + chunk_vectors - 1) / chunk_vectors;
  const T of_chunk = memory.chunks[tile % 2][min(lane_index(), tile_chunks - 1)];
  const T up_to = scan_chunks(of_chunk, count, scan.op);
  const T in_tile = shuffle(up_to, max(warp_index() - 1, 0));
  const prefix<T> before = memory.running.before(tile, 0);
  if (warp_index() == 0 && lane_index() == count - 1) {
    memory.running.move_on(tile, 0, up_to, scan.op, tile);
  }
  // (Behind the chunks that there are nothing has been folded, and nothing is asked.)
  return join(before, {in_tile, warp_index() > 0 && warp_index() <= count}, scan.op);
}

/// Scans segment `segment`; all threads of the block.
template <class Cut, class T = typename Cut::T>
__device__ void walk_segment(const Cut& scan, range_walk_shared<T>& memory,
                             const segment_place& place, std::int64_t segment) {
  using vector = range_vector<Cut>;
  const std::int64_t whole_vectors = place.length / Cut::vector_items;
  const std::int64_t num_vectors = Cut::num_vectors(place.length);
  vector next(scan, place, static_cast<int>(threadIdx.x));
  __syncthreads();  // all are through with the segment before
  if (threadIdx.x == 0) memory.running.enter(0, scan.start_of(segment));
  int tile = 0;
#pragma unroll 1
  for (std::int64_t first = 0; first < num_vectors; first += range_threads, ++tile) {
    const vector mine = next;
    next = vector(scan, place, first + range_threads + static_cast<int>(threadIdx.x));
    const int num_whole = valid_of(whole_vectors - first, range_threads);
    const int count = max(min(num_whole - warp_index() * warp_size, warp_size), 0);
    const T scanned = warp_inclusive_scan(mine.fold(scan), count, scan.op);
    if (lane_index() == count - 1) memory.chunks[tile % 2][warp_index()] = scanned;
    __syncthreads();
    const prefix<T> before = before_chunk(scan, memory, tile, num_whole);
    const T of_lanes = shuffle_up(scanned, 1);
    if (mine.exists()) {
      mine.finish(scan, join(before, {of_lanes, lane_index() > 0}, scan.op), segment);
    }
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
