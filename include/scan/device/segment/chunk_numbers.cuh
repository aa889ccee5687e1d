// Which boundaries of segments lie in a chunk of a tile in shared memory, where segments have
// values: their numbers are told by counting heads, from the first one on.
#ifndef SCAN_DEVICE_SEGMENT_CHUNK_NUMBERS_CUH
#define SCAN_DEVICE_SEGMENT_CHUNK_NUMBERS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/segment/boundary_search.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/segment_items.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of a tile's chunks, for each edge between them, the first boundary behind it: chunk c has those
/// of [of[c], of[c + 1]), which are behind its first item, up to the next chunk's. There segments
/// end with an item of the chunk, or are empty. Found by who marks heads: who scans has no time.
template <int num_chunks>
struct chunk_edges {
  std::int64_t of[num_chunks + 1];  // or more than any, if there is none among the tile's

  /// Before a tile, by threads of which `thread` is one.
  __device__ void clear(int thread) {
    if (thread <= num_chunks) of[thread] = INT64_MAX;
  }
  /// Looks at the `count` boundaries from boundary `begin` on, at `here`, of the tile that begins
  /// at item `first`; by a warp, of which a lane has an edge.
  template <class Boundaries>
  __device__ void find(const Boundaries& here, std::int64_t begin, int count, std::int64_t first,
                       int chunk_items) {
    static_assert(num_chunks < warp_size);
    const int edge = lane_index();
    if (edge > num_chunks) return;
    const std::int64_t item = first + edge * chunk_items;
    int from = 0, to = count;
    while (from < to) {
      const int middle = (from + to) / 2;
      const int held = Boundaries::is_reversed ? count - 1 - middle : middle;
      if (here.item_of(here.array[held]) <= item) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    if (from < count) lower_to(of + edge, begin + from);
  }
};
struct without_edges {};

/// The heads of a chunk whose first item is `item`, and the boundaries [begin, end) behind that, up
/// to the first item behind the chunk. `ends`: at which of the lane's items segments end. `count`:
/// of the boundaries, where boundary follows boundary from end to end; -1 where some are empty.
template <class Boundaries, int run_items>
struct numbered_heads : chunk_heads {
  static constexpr int num_ahead = 2;
  std::int64_t item = 0, begin = 0, end = 0;
  item_heads<run_items> ends{};
  int count = 0;
  typename Boundaries::pending ahead[num_ahead] = {};  // where some are: the lane's first ones

  /// Item `i` of the lane's run.
  __device__ std::int64_t item_of(int i) const { return item + lane_index() * run_items + i; }
};

/// The boundary of the segment, in scan order, that item `item` of the chunk is in. One lane by
/// itself.
template <class Boundaries, class Heads>
__device__ std::int64_t segment_with(const Boundaries& boundary, const Heads& of_chunk,
                                     std::int64_t item) {
  std::int64_t begin = of_chunk.begin, end = of_chunk.end;
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

/// What a stage holds of its tile's heads.
template <int tile_items, int warp_items, bool valued, int search_warps>
struct ring_stage_heads {
  unsigned bits[head_words(tile_items)];
  boundary_range range;
  phase_barrier searched;
  std::conditional_t<valued, chunk_edges<tile_items / warp_items>, without_edges> edges;

  __device__ void initialise() { searched.initialise(search_warps * warp_size); }
  __device__ chunk_heads of_chunk(int c) const { return {bits, c * warp_items}; }
};

/// Of chunk `c` of a tile; `Problem` is a segment_chunks with values, `Stage` the tile's.
template <class Problem>
struct chunk_numbers {
  static constexpr int run_items = Problem::run_items;
  using heads_type = numbered_heads<typename Problem::boundaries_type, run_items>;

  /// Where its boundaries begin, and the lane's ends.
  template <class Stage>
  __device__ static heads_type located(const Problem& scan, std::int64_t tile, const Stage& stage,
                                       int c) {
    heads_type heads{stage.of_chunk(c), tile * Problem::tile_items + c * Problem::warp_items};
    const int mine = lane_index() * run_items;
    heads.begin = max(edge(stage, c), std::int64_t{1});
    heads.ends = {heads.bits, heads.first + mine + 1, std::false_type{}};
    if (is_last(scan, heads)) {
      const auto last = static_cast<int>(scan.num_items - heads.item) - 1 - mine;
      if (last >= 0 && last < run_items) heads.ends.set(last);
    }
    return heads;
  }
  template <class Stage>
  __device__ static std::int64_t end_of(const Problem& scan, const heads_type& heads,
                                        const Stage& stage, int c) {
    return is_last(scan, heads) ? scan.heads.num_segments + 1 : edge(stage, c + 1);
  }
  /// And how many they are. All lanes.
  template <class Stage>
  __device__ static heads_type numbered(const Problem& scan, std::int64_t tile, const Stage& stage,
                                        int c) {
    heads_type heads = located(scan, tile, stage, c);
    heads.end = end_of(scan, heads, stage, c);
    heads.count = warp_sum(heads.ends.num_heads());
    if (heads.count != heads.end - heads.begin) heads.count = -1;
    return heads;
  }

 private:
  /// Whether the last item of all is the chunk's.
  __device__ static bool is_last(const Problem& scan, const heads_type& heads) {
    return heads.item + scan.valid_items(heads.item, Problem::warp_items) == scan.num_items;
  }
  template <class Stage>
  __device__ static std::int64_t edge(const Stage& stage, int i) {
    return min(stage.edges.of[i], stage.range.last);
  }
};

/// What begins the segments of a thread's run that have an init each, one after another; `Problem`
/// is a segment_chunks with values.
template <class Problem>
struct segment_starts {
  static constexpr int run_items = Problem::run_items;
  using V = typename Problem::V;
  using run_heads = item_heads<run_items>;

  const Problem& scan;
  const typename chunk_numbers<Problem>::heads_type& of_chunk;
  std::int64_t next = 0;    // boundary of the next head
  bool all = true;          // no segment is empty
  std::uint64_t later = 0;  // else bit i: at boundary next + 1 + i there is a head, too
  bool are_known = true;

  /// Of a run whose first head is at boundary `first`, or, if that is -1, with empty segments:
  /// then which boundaries are at its heads, if there are few enough.
  __device__ void find(const run_heads& heads, std::int64_t first) {
    next = first;
    if (first < 0 && heads.any()) find_boundaries(heads);
  }
  __device__ V of_next() {
    const auto boundary = scan.boundaries();
    const V start = scan.init_of(boundary.segment(min(next, boundary.num_segments - 1)));
    const int step = all ? 1 : __ffsll(static_cast<long long>(later));
    next += step;
    if (step > 0) later = later >> (step - 1) >> 1;
    return start;
  }
  /// The same where heads are too many: that of item `i` of the run.
  __device__ V of_item(int i) {
    if (are_known) return of_next();
    const auto boundary = scan.boundaries();
    next = boundary.last_at(of_chunk.item_of(i), next);
    return scan.init_of(boundary.segment(next));
  }

 private:
  __device__ void find_boundaries(const run_heads& heads) {
    all = false;
    const auto boundary = scan.boundaries();
    const std::int64_t item = of_chunk.item_of(0);
    next = segment_with(boundary, of_chunk, item + heads.first());
    std::int64_t before = INT64_MIN;
    int i = 0;
    for (; i < 64 && next + 1 + i < of_chunk.end; ++i) {
      const std::int64_t at = boundary(next + 1 + i) - item;
      if (at >= run_items) break;
      if (at == before) later &= ~(std::uint64_t{1} << (i - 1));
      later |= std::uint64_t{1} << i;
      before = at;
    }
    are_known = i < 64;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
