// Totals of segments in the ring: those that end in a chunk, and those that are empty.
//
// Those who scan know of a segment's number only where it has an init. Totals are written from
// results: of an inclusive scan the total is the result of the segment's last item; where the scan
// is exclusive it is left in the place of the next segment's first result, which whoever writes the
// totals knows. So what a warp writes lies side by side, however short segments are.
#ifndef SCAN_DEVICE_SEGMENT_RING_VALUES_CUH
#define SCAN_DEVICE_SEGMENT_RING_VALUES_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/segment/boundary_search.cuh"
#include "scan/device/segment/chunk_numbers.cuh"
#include "scan/device/segment/segment_items.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// ---- Totals of segments without items. Of most of them who scans the item that follows writes
// them. But there may be any number of them at one item: windows of `empty_window` boundaries that
// all lie there are left to all blocks.

/// Of the segments [first, last) in scan order; by a warp.
template <class Problem>
__device__ void write_empty_totals(const Problem& scan, std::int64_t first, std::int64_t last) {
  const auto boundary = scan.boundaries();
  for (std::int64_t j = first + lane_index(); j < last; j += warp_size) {
    const std::int64_t segment = boundary.segment(j);
    scan.write_total(segment, scan.init_of(segment));
  }
}
/// Of segments [first, last) that are all at one item those that are in no window as a whole.
template <class Problem>
__device__ void write_lone_empty_totals(const Problem& scan, std::int64_t first,
                                        std::int64_t last) {
  const std::int64_t begin = (first + empty_window - 1) / empty_window * empty_window;
  const std::int64_t end = last / empty_window * empty_window;
  if (begin >= end) return write_empty_totals(scan, first, last);
  write_empty_totals(scan, first, begin);
  write_empty_totals(scan, end, last);
}
/// Those in windows, or all, if there are no items; warp `warp` of `num_warps` of the grid.
template <class Problem>
__device__ void write_empty_windows(const Problem& scan, std::int64_t warp,
                                    std::int64_t num_warps) {
  if (scan.total == nullptr) return;
  const auto boundary = scan.boundaries();
  const std::int64_t all = boundary.num_segments, count = all / empty_window;
  if (scan.num_items == 0) {
    for (std::int64_t j = warp * empty_window; j < all; j += num_warps * empty_window) {
      write_empty_totals(scan, j, min(j + empty_window, all));
    }
    return;
  }
  for (std::int64_t k = warp * warp_size; k < count; k += num_warps * warp_size) {
    const std::int64_t mine = (k + lane_index()) * empty_window;
    const bool empty = k + lane_index() < count && boundary(mine) == boundary(mine + empty_window);
    for (unsigned left = __ballot_sync(all_lanes, empty); left != 0; left &= left - 1) {
      const std::int64_t first = (k + __ffs(static_cast<int>(left)) - 1) * empty_window;
      write_empty_totals(scan, first, first + empty_window);
    }
  }
}

/// What a warp does with the results of its chunk, of `num_valid` items, when all lanes have
/// written them: writes totals. `last`: the result of the last item, of an inclusive scan.
template <class Problem>
struct chunk_totals {
  static constexpr int run_items = Problem::run_items;
  /// (bench/NOTES.md, "Segments with values in the ring".)
  static constexpr int many = 400;
  using out_type = typename Problem::out_type;
  const Problem& scan;
  out_type* results;
  int num_valid;
  const numbered_heads<typename Problem::boundaries_type, run_items>& heads;
  out_type last;

  __device__ void write() const {
    // (What is at the first item of all is behind nothing.)
    if (uniform(heads.item == 0)) write_lone_empty_totals(scan, 0, heads.begin - 1);
    const int count = uniform(heads.count);
    if (count < 0) {
      write_numbered();
    } else if (count > many) {
      write_words();
    } else if (count > 0) {
      write_lanes();
    }
    if (scan.exclusive) {
      __syncwarp();  // totals have been read
      if (lane_index() == 0 && (heads.bits[heads.first / 32] & 1) != 0) {
        begin_at(0, heads.begin - 1);
      }
    }
  }

 private:
  /// The total of the segment that ends before `place`, the chunk's one of number `rank`.
  __device__ void write_one(int rank, int place) const {
    out_type* const first = scan.total + scan.boundaries().segment(heads.begin - 1);
    first[Problem::reversed ? -rank : rank] = total_before(place);
    if (scan.exclusive && place < num_valid) begin_at(place, heads.begin + rank);
  }
  /// The first result of the segment from boundary `j` on.
  __device__ void begin_at(int place, std::int64_t j) const {
    const auto boundary = scan.boundaries();
    at(place) = scan.give(scan.init_of(boundary.segment(min(j, boundary.num_segments - 1))));
  }
  /// Of a few each lane those of its own items.
  __device__ void write_lanes() const {
    auto ends = heads.ends;
    const int mine = ends.num_heads();
    int rank = __popc(__ballot_sync(all_lanes, mine > 0) & lanes_below());
    if (__any_sync(all_lanes, mine > 1)) rank = warp_inclusive_scan(mine, warp_size, plus{}) - mine;
#pragma unroll
    for (int w = 0; w < ends.num_words; ++w) {
      for (; ends.words[w] != 0; ends.words[w] &= ends.words[w] - 1) {
        const int item = w * 32 + __ffs(static_cast<int>(ends.words[w])) - 1;
        write_one(rank++, lane_index() * run_items + item + 1);
      }
    }
  }
  /// Of many: 32 items at a time, so that what is written lies side by side.
  __device__ void write_words() const {
    const unsigned* const words = heads.bits + heads.first / 32;
    int rank = 0;
#pragma unroll 4
    for (int word = 0; word < run_items && word * 32 < num_valid; ++word) {
      const unsigned ends = __funnelshift_r(words[word], words[word + 1], 1);
      if ((ends >> lane_index() & 1) != 0) {
        write_one(rank + __popc(ends & lanes_below()), word * 32 + lane_index() + 1);
      }
      rank += __popc(ends);
    }
    // (The last one of all has no head behind it.)
    if (rank < heads.count && lane_index() == 0) write_one(rank, num_valid);
  }
  /// Where some are empty: boundary by boundary.
  __device__ void write_numbered() const {
    constexpr int at_once = 4;
    const auto boundary = scan.boundaries();
    const int lane = lane_index();
    int carried = 0;  // the place of the boundary before these: no later one
    for (std::int64_t j = heads.begin; uniform(j < heads.end);) {
      int place[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const std::int64_t mine = j + k * warp_size + lane;
        place[k] = k < heads.num_ahead && j == heads.begin
                       ? place_of(boundary.place_of(heads.ahead[k].raw()), mine)
                       : place_at(mine);
      }
      const int first_place = shuffle(place[0], 0);
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (uniform(j + k * warp_size >= heads.end)) break;
        const std::int64_t mine = j + k * warp_size + lane;
        int before = shuffle_up(place[k], 1);
        if (lane == 0) before = carried;
        if (mine < heads.end) {
          const std::int64_t ended = boundary.segment(mine - 1);
          if (place[k] == before) {
            scan.write_total(ended, scan.init_of(ended));
          } else if (place[k] > 0 && place[k] <= num_valid) {
            scan.total[ended] = total_before(place[k]);
          }
        }
        carried = shuffle(place[k], warp_size - 1);
        if (scan.exclusive) {
          int after = shuffle(place[k], (lane + 1) % warp_size);
          const int of_next = shuffle(place[min(k + 1, at_once - 1)], 0);
          // (What the last of all writes too early is written again with the next ones.)
          if (lane == warp_size - 1) after = k + 1 < at_once ? of_next : INT32_MAX;
          __syncwarp();  // totals have been read
          // (Behind an empty segment another begins.)
          if (mine < heads.end && place[k] > 0 && place[k] < num_valid &&
              (mine + 1 == heads.end || after != place[k])) {
            begin_at(place[k], mine);
          }
        }
      }
      j += at_once * warp_size;
      if (uniform(first_place == carried && heads.end - j > 2 * empty_window)) {
        // All but the last one at that item, of which the segment may have items.
        const std::int64_t next_item =
            lower_bound(boundary, j, heads.end - 1, heads.item + carried + 1) - 1;
        if (next_item > j) {
          write_lone_empty_totals(scan, j - 1, next_item - 1);
          j = next_item;
        }
      }
    }
  }

  /// Where boundary `j` lies in the chunk; what is behind the last one is far out.
  __device__ int place_of(std::int64_t item, std::int64_t j) const {
    if (j >= heads.end) return INT32_MAX;
    return static_cast<int>(max(min(item - heads.item, std::int64_t{INT32_MAX}), std::int64_t{-1}));
  }
  __device__ int place_at(std::int64_t j) const {
    return j >= heads.end ? INT32_MAX : place_of(scan.boundaries()(j), j);
  }
  __device__ out_type& at(int place) const {
    return results[Problem::reversed ? Problem::warp_items - 1 - place : place];
  }
  __device__ out_type total_before(int place) const {
    if (!scan.exclusive) return at(place - 1);
    return place == num_valid ? last : at(place);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
