// Values a segment in the ring: which boundaries lie in a chunk, and the totals of the segments
// that end there.
//
// Those who scan know of a segment's number only where it has an init. Totals are written from
// results: of an inclusive scan the total is the result of the segment's last item; where the scan
// is exclusive it is left in the place of the next segment's first result, which whoever writes the
// totals knows. So what a warp writes lies side by side, however short segments are.
#ifndef SCAN_DEVICE_SEGMENT_RING_VALUES_CUH
#define SCAN_DEVICE_SEGMENT_RING_VALUES_CUH

#include <cstdint>
#include <type_traits>

#include "scan/call/recurrence_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/segment/boundary_search.cuh"
#include "scan/device/segment/segment_items.cuh"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether a total has the bits of a result.
template <class Values>
inline constexpr bool are_totals_results =
    std::is_same_v<typename Values::out_type, typename Values::value_type>&&
        std::is_same_v<std::decay_t<decltype(Values::out.function)>, as_is>;
template <class Input, class Out, bool reversed>
inline constexpr bool are_totals_results<recurrence_problem<Input, Out, reversed>> =
    std::is_same_v<Out, state_t<Out>>;

/// Whether the ring has values of the segments of a segment_problem.
template <class Segments>
inline constexpr bool has_ring_values = std::is_same_v<typename Segments::Heads, segment_heads>&&
    are_totals_results<typename Segments::Values>;

/// Which boundaries lie in the chunks of a tile: those of chunk c are [of[c], of[c + 1]). Found by
/// the warp that has searched for the tile's, while the tile is on its way: who scans has no time.
template <int num_chunks>
struct chunk_edges {
  std::int64_t of[num_chunks + 1];
  phase_barrier found;

  __device__ void initialise() { found.initialise(warp_size); }
  /// Of the boundaries [range.first, range.last] of the tile that begins at item `first`; by a
  /// warp, of which a lane has an edge.
  template <class Boundaries>
  __device__ void find(const Boundaries& boundary, const boundary_range& range, std::int64_t first,
                       int chunk_items) {
    static_assert(num_chunks < warp_size);
    constexpr int few = 5;
    const std::int64_t items = boundary.range.count;
    std::int64_t begin = range.first, end = range.last;
    if (end - begin <= few * warp_size) {
      // All at once: one trip to memory.
      std::int64_t at[few];
#pragma unroll
      for (int k = 0; k < few; ++k) {
        const std::int64_t j = range.first + k * warp_size + lane_index();
        at[k] = j < range.last ? boundary(j) : INT64_MAX;
      }
#pragma unroll 1
      for (int edge = 0; edge <= num_chunks; ++edge) {
        const std::int64_t item = min(first + edge * chunk_items, items);
        int less = 0;
#pragma unroll
        for (int k = 0; k < few; ++k) less += __popc(__ballot_sync(all_lanes, at[k] < item));
        if (lane_index() == edge) begin = range.first + less;
      }
    } else {
      const std::int64_t item = min(first + lane_index() * chunk_items, items);
      while (begin < end) {
        const std::int64_t middle = begin + (end - begin) / 2;
        if (boundary(middle) < item) {
          begin = middle + 1;
        } else {
          end = middle;
        }
      }
    }
    if (lane_index() <= num_chunks) of[lane_index()] = begin;
    found.arrive();
  }
};
struct without_edges {
  __device__ void initialise() {}
};

/// The heads of a chunk whose first item is `item`: boundaries [begin, end) lie at its items, and
/// `end` is the first one behind. `ahead`: this lane's of the first 32, where totals are wanted.
template <class Boundaries>
struct numbered_heads : chunk_heads {
  std::int64_t item = 0, begin = 0, end = 0;
  typename Boundaries::pending ahead{};
};

/// The boundary of the segment, in scan order, that item `item` is in, if it is between these of
/// [begin, end). One lane by itself.
template <class Boundaries>
__device__ std::int64_t segment_with(const Boundaries& boundary, std::int64_t begin,
                                     std::int64_t end, std::int64_t item) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (boundary(middle) <= item) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return max(min(begin, boundary.num_segments) - 1, std::int64_t{0});
}

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
    const std::int64_t each = (all + num_warps - 1) / num_warps;
    return write_empty_totals(scan, min(warp * each, all), min((warp + 1) * each, all));
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

/// The last boundary that is looked at for the totals of a chunk: the first one behind, or of the
/// last chunk all that are left.
template <class Problem, class Heads>
__device__ std::int64_t last_boundary(const Problem& scan, const Heads& heads, int num_valid) {
  return heads.item + num_valid == scan.num_items ? scan.heads.num_segments : heads.end;
}
/// What a warp does with the results of its chunk, of `num_valid` items, when all lanes have
/// written them: writes totals. `last`: the result of the last item, of an inclusive scan.
template <class Problem>
struct chunk_totals {
  using out_type = typename Problem::out_type;
  const Problem& scan;
  out_type* results;
  int num_valid;
  const numbered_heads<typename Problem::boundaries_type>& heads;
  out_type last;

  __device__ void write() const {
    constexpr int at_once = 4;
    const auto boundary = scan.boundaries();
    const std::int64_t stop = last_boundary(scan, heads, num_valid);
    const int lane = lane_index();
    const int ahead = place_of(boundary.place_of(heads.ahead.raw()), heads.begin + lane, stop);
    if (heads.begin == stop && shuffle(ahead, 0) > num_valid) return;  // nothing ends here
    int carried = -2;  // the place of the boundary before these
    for (std::int64_t j = heads.begin; j <= stop;) {
      int place[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        place[k] = k == 0 && j == heads.begin ? ahead : place_at(j + k * warp_size + lane, stop);
      }
      const int first_place = shuffle(place[0], 0);
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (j + k * warp_size > stop) break;
        const std::int64_t mine = j + k * warp_size + lane;
        int before = shuffle_up(place[k], 1);
        if (lane == 0) before = carried;
        if (mine <= stop && mine > 0) {
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
          if (mine <= stop && mine < boundary.num_segments && place[k] >= 0 &&
              place[k] < num_valid && (mine == stop || after != place[k])) {
            at(place[k]) = scan.give(scan.init_of(boundary.segment(mine)));
          }
        }
      }
      j += at_once * warp_size;
      if (first_place == carried && stop - j > 2 * empty_window) {
        // All but the last one at that item, of which the segment may have items.
        const std::int64_t next_item = lower_bound(boundary, j, stop, heads.item + carried + 1) - 1;
        if (next_item > j) {
          write_lone_empty_totals(scan, j - 1, next_item - 1);
          j = next_item;
        }
      }
    }
  }

 private:
  /// Where boundary `j`, of those up to `stop`, lies in the chunk; what is behind is far out.
  __device__ int place_of(std::int64_t item, std::int64_t j, std::int64_t stop) const {
    if (j > stop) return INT32_MAX;
    return static_cast<int>(max(min(item - heads.item, std::int64_t{INT32_MAX}), std::int64_t{-1}));
  }
  __device__ int place_at(std::int64_t j, std::int64_t stop) const {
    return j > stop ? INT32_MAX : place_of(scan.boundaries()(j), j, stop);
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
