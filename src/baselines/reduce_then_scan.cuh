// D, reduce_then_scan: reduce the parts, scan their sums, scan the parts from there.
//
//   1. A block reduces a part and writes its sum, nothing else.                    n
//   2. The sums are scanned.                                                       next to nothing
//   3. A block scans a part, starting with the sum of all earlier parts.           2n
//
// Traffic: 3n, because the input is read twice but the output written once; at most 2/3 of the
// speed of a copy. The only reason for the second reading is that in step 1 nobody knows what
// precedes a part; the look-back kernel (scan/device/sequence/look_back_kernel.cuh) finds that out
// while the part is still in registers, which leaves 2n.
//
// D1, reduce_then_scan: a part is a tile, and step 2 is D1 again, until one tile holds all sums.
// D2, reduce_then_scan_two_pass: 1024 parts at most, however long; a block walks over its part tile
// by tile and carries the fold along. So one block scans all sums, and there is no recursion: two
// passes over the data and a glance between them.
//
// Sources: Dotsenko, Govindaraju, Sloan, Boyd, Manferdelli, "Fast scan algorithms on graphics
// processors", ICS 2008 (reduce first); Merrill, Grimshaw, "Parallel scan for stream
// architectures", University of Virginia CS2009-14 (as many parts as the device has blocks).
#ifndef SCAN_BASELINES_REDUCE_THEN_SCAN_CUH
#define SCAN_BASELINES_REDUCE_THEN_SCAN_CUH

#include "src/baselines/parts.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// Step 1, with parts of `part_tiles` tiles.
template <class Problem>
status reduce_first(const Problem& scan, std::int64_t part_tiles, const sums_of<Problem>& sums,
                    cudaStream_t stream) {
  using tiles = in_tiles<Problem>;
  return device::enqueue_waiting(reduce_parts<tiled<Problem>, tiles>,
                                 blocks_of<tiled<Problem>>(sums.num_parts), stream, tiles(scan),
                                 part_tiles, sums);
}

/// Step 3; `prefixes.data` is null for a single part, which nothing precedes.
template <class Problem>
status scan_from(const Problem& scan, std::int64_t part_tiles, const sums_of<Problem>& prefixes,
                 cudaStream_t stream) {
  using tiles = in_tiles<Problem>;
  return device::enqueue_waiting(scan_parts<tiled<Problem>, tiles>,
                                 blocks_of<tiled<Problem>>(prefixes.num_parts), stream, tiles(scan),
                                 part_tiles, prefixes, sums_of<Problem>{});
}

/// D1.
template <class Problem>
status reduce_then_scan(const Problem& scan, scratch memory, cudaStream_t stream) {
  const std::int64_t num_tiles = device::tiles_of(scan.num_items, in_tiles<Problem>::tile_items);
  sums_of<Problem> sums{nullptr, num_tiles};
  if (num_tiles > 1) {
    sums.data = memory.take<typename Problem::T>(num_tiles);
    const status first = reduce_first(scan, 1, sums, stream);
    if (!first.ok()) return first;
    const status second = reduce_then_scan(problem_of_sums(scan, sums), memory, stream);
    if (!second.ok()) return second;
  }
  return scan_from(scan, 1, sums, stream);
}

/// D2.
template <class Problem>
status reduce_then_scan_two_pass(const Problem& scan, scratch memory, cudaStream_t stream) {
  const std::int64_t num_tiles = device::tiles_of(scan.num_items, in_tiles<Problem>::tile_items);
  const std::int64_t part_tiles = device::tiles_of(num_tiles, two_pass_parts);
  sums_of<Problem> sums{nullptr, (num_tiles - 1) / part_tiles + 1};
  if (sums.num_parts > 1) {
    sums.data = memory.take<typename Problem::T>(sums.num_parts);
    const status first = reduce_first(scan, part_tiles, sums, stream);
    if (!first.ok()) return first;
    const auto of_sums = problem_of_sums(scan, sums);
    const status second = scan_from(of_sums, sums.num_parts, {nullptr, 1}, stream);
    if (!second.ok()) return second;
  }
  return scan_from(scan, part_tiles, sums, stream);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
