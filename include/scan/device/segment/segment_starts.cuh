// What begins the segments of a thread's run that have an init each.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_STARTS_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_STARTS_CUH

#include <cstdint>

#include "scan/device/segment/chunk_numbers.cuh"
#include "scan/device/segment/head_bits.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// One after another; `Problem` is a segment_ring with values.
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
