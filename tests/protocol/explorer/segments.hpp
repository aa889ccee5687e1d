// What tiles tell each other of scans that start anew: folds since the last place where a segment
// begins, as the library has them.
#ifndef SCAN_TESTS_EXPLORER_SEGMENTS_HPP
#define SCAN_TESTS_EXPLORER_SEGMENTS_HPP

#include <cstdint>

#include "scan/call/segment_heads.hpp"
#include "tests/protocol/explorer/scans.hpp"

namespace explorer {

/// What is thrown away in the end is shown to nobody either.
struct concatenate_neighbours {
  using value = segment<std::int16_t>;
  value operator()(const value& earlier, const value& later) const {
    if (earlier.end != later.begin || earlier.begin >= earlier.end) {
      running->fail("the operator is shown what are no neighbours");
    }
    return {earlier.begin, later.end};
  }
};

/// Bit t of `heads`: a segment begins in tile t, half way. (Values are in halves of a tile.)
/// Without `has_start` nothing precedes the first tile, in which a segment begins then. `later`: of
/// calls after the first, which find what that has left.
struct headed_folds {
  using value = segment<std::int16_t>;
  using T = scan::segment_fold<value>;
  using op = scan::segmented<concatenate_neighbours>;
  unsigned heads = 0;
  bool has_start = true;
  unsigned later = heads;

  bool begins_in(int phase, std::int64_t tile) const {
    return ((phase == 0 ? heads : later) >> tile & 1) != 0;
  }
  static std::int16_t begin_of(int phase, std::int64_t tile) {
    return static_cast<std::int16_t>(100 * phase + 2 * tile);
  }
  T aggregate(int phase, std::int64_t tile) const {
    const auto begin = static_cast<std::int16_t>(begin_of(phase, tile) + begins_in(phase, tile));
    return {{begin, begin_of(phase, tile + 1)}, begins_in(phase, tile)};
  }
  scan::prefix<T> start(int phase) const {
    const std::int16_t first = begin_of(phase, 0);
    return {{{static_cast<std::int16_t>(first - 5), first}, 0}, has_start};
  }
  /// `before` is of the last segment that begins before `tile`, or of all that precedes it.
  bool is_prefix(const scan::prefix<T>& before, int phase, std::int64_t tile) const {
    std::int64_t last = tile - 1;
    while (last >= 0 && !begins_in(phase, last)) --last;
    if (last < 0 && !has_start) return tile == 0 ? !before.exists : false;
    const std::int16_t begin =
        last >= 0 ? aggregate(phase, last).value.begin : start(phase).value.value.begin;
    return before.exists && before.value.has_head == (last >= 0 ? 1 : 0) &&
           before.value.value == value{begin, begin_of(phase, tile)};
  }
};
template <int at_once = 1>
using segment_scans = scans<std::int16_t, at_once, headed_folds>;

}  // namespace explorer

#endif
