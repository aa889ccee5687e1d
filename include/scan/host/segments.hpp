// Scans of segments, and by keys, on CPU threads: from the arguments of a call to the workers of
// host_scan.hpp, whose tiles are cut by items wherever segments begin. Included by it.
#ifndef SCAN_HOST_SEGMENTS_HPP
#define SCAN_HOST_SEGMENTS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/host/host_scan.hpp"
#include "scan/host/segment_blocks.hpp"
#include "scan/host/segment_tiles.hpp"
#include "scan/host/segment_walks.hpp"
#include "scan/segmented.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

template <class Plain, class Walk>
struct tile_scan_for<segment_problem<Plain, Walk>, false> {
  using type = segment_tiles<segment_problem<Plain, Walk>>;
};

/// Totals of segments that are all empty.
template <class Problem>
void write_empty_totals(const Problem& scan) {
  for (std::int64_t j = 0; j < scan.walk.num_segments(); ++j) {
    scan.plain.total[scan.walk.segment(j)] = scan.plain.as_value(scan.start_of(j));
  }
}

/// Scans what has been checked, at least one item or one segment.
template <bool reversed, class Input, class Output, class Heads, class Op, class Options>
status scan_by_heads(bool exclusive, Input in, Output out, const Heads& heads, Op op,
                     const Options& opts) {
  const auto walk = walk_of(heads, reversed);
  const std::int64_t num_items = walk.end() - walk.begin();
  if (num_items > 0) {
    in.data = in.data + walk.begin();
    out.data = out.data + walk.begin();
  }
  auto plain = describe<reversed>(exclusive, in, out, num_items, op, opts);
  plain.init_pointer = opts.init_pointer;
  const segment_problem<decltype(plain), std::decay_t<decltype(walk)>> scan{plain, walk};
  if (num_items > 0) return run(scan, opts.threads);
  if (opts.total != nullptr) write_empty_totals(scan);
  return {};
}

/// Scans of segments in host memory, and by keys: segmented.hpp.
template <class Input, class Output, class Heads, class Op>
status scan_segments(bool exclusive, const Input& in, const Output& out, const Heads& given, Op op,
                     const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  Heads heads = given;
  if (const status resolved = resolve_heads(heads, opts.threads); !resolved.ok()) return resolved;
  if (const status checked = validate_segments<Op>(exclusive, in, out, heads, opts, true);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(heads)) return {};
  return opts.reverse ? scan_by_heads<true>(exclusive, in, out, heads, op, opts)
                      : scan_by_heads<false>(exclusive, in, out, heads, op, opts);
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
