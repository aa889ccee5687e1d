// A tile's offsets on their way through a ring block: which slices of them come into the slots, and
// the warps that search for them.
#ifndef SCAN_DEVICE_RING_BOUNDARIES_CUH
#define SCAN_DEVICE_RING_BOUNDARIES_CUH

#include <cstdint>

#include "scan/device/boundary_search.cuh"
#include "scan/device/named_barrier.cuh"
#include "scan/device/ring_marks.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Warps that search, tile by tile in turn.
inline constexpr int num_search_warps = 3;

/// Boundaries of a tile that are marked as bits at once, not as bytes that are gathered.
inline constexpr int few_boundaries = 512;

/// The rows of slices of a tile's boundaries; by a warp, whose first lanes have a slice each.
template <class Source>
class boundary_rows {
 public:
  __device__ boundary_rows(const Source& source, boundary_range range, const mark_slots& slots,
                           int tile_items)
      : source_(source),
        range_(range),
        many_(2 * tile_items),
        few_(range.last - range.first <= few_boundaries) {
    // As many for each warp, if they are fewer than there is room for.
    const int room = slots.slot_bytes / static_cast<int>(sizeof(typename Source::element));
    const std::int64_t share = (range.last - range.first) / num_mark_warps;
    most_ = share < room ? min((max(static_cast<int>(share), 0) / 32 + 1) * 32, room) : room;
  }
  __device__ mark_slice next() {
    const int of_row = most_ * num_mark_warps;
    std::int64_t after = range_.first + of_row;
    if (range_.last - range_.first > many_ && source_(range_.first) == source_(after - 1)) {
      // Many are empty, and maybe at one item.
      after = lower_bound(source_, after - 1, range_.last, source_(after - 1) + 1);
    }
    const std::int64_t begin = range_.first + min(lane_index(), num_mark_warps) * most_;
    const int count =
        static_cast<int>(max(min(range_.last - begin, std::int64_t{most_}), std::int64_t{0}));
    const std::int64_t element =
        Source::is_reversed ? source_.element_of(begin + count - 1) : begin;
    is_last_ = after >= range_.last;
    range_.first = after;
    return {count == 0 ? 0 : element, count, is_last_, few_};
  }
  /// Whether that was the last row.
  __device__ bool is_last() const { return is_last_; }

 private:
  const Source& source_;
  boundary_range range_;
  std::int64_t many_;
  int most_;  // of a slice
  bool few_, is_last_ = false;
};

/// What search warps do, of which `warp` is one. `Block` is a ring_block.
template <class Block, class Source>
struct boundary_searcher {
  static constexpr int num_threads = num_search_warps * warp_size;
  const Block& block;
  const Source& source;
  int warp;

  __device__ int thread() const { return warp * warp_size + lane_index(); }

  /// All search warps see every ticket, or a phase could pass one of them by.
  __device__ void search_tiles(boundary_samples& samples, int tile_items) const {
    samples.take(source, thread(), num_threads);
    named_barrier<2>{num_threads}.meet();
    ring_position at;
    for (int turn = 0;; turn = (turn + 1) % num_search_warps, at.advance(block.num_stages)) {
      const ticket drawn = block.await_ticket(at);
      if (!block.is_tile(drawn)) return;
      auto& stage = block.stages[at.stage];
      if (turn == warp) {
        const std::int64_t first = drawn.tile * tile_items;
        const boundary_range found = range_between(samples, first, first + tile_items);
        if (lane_index() == 0) stage.range = found;
      }
      stage.searched.arrive();
    }
  }

 private:
  __device__ boundary_range range_between(const boundary_samples& samples, std::int64_t first,
                                          std::int64_t end) const {
    const std::int64_t item[2] = {first, end};
    std::int64_t from[2], to[2];
    samples.narrow(source, item, from, to);
    lower_bounds<search_slack>(source, from, to, item);
    return {from[0], to[1]};
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
