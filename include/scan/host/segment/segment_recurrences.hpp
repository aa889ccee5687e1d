// Recurrences by segments, and by keys, on CPU threads: as their scans, of the maps that steps are.
//
// So factors of several steps are multiplied with each other, unlike in
// host/tensor/recurrences.hpp, where a block has no head; where it has one, states go from step to
// step (segment_chains.hpp).
#ifndef SCAN_HOST_SEGMENT_SEGMENT_RECURRENCES_HPP
#define SCAN_HOST_SEGMENT_SEGMENT_RECURRENCES_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call/entries.hpp"
#include "scan/call/recurrence_problem.hpp"
#include "scan/call/validate_segments.hpp"
#include "scan/host/segment/segment_scan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Of what has been checked, at least one item or one segment.
template <bool reversed, class Input, class Out, class Heads, class Options>
status recur_by_heads(const Input& in, Out* out, const Heads& heads, const Options& opts) {
  const auto walk = walk_of(heads, reversed);
  const std::int64_t num_items = walk.end() - walk.begin();
  auto values = describe_walk<reversed>(in, out, num_items, opts);
  if (num_items > 0) values.move_by(walk.begin());
  return scan_walk(segment_problem<decltype(values), std::decay_t<decltype(walk)>>{values, walk},
                   opts.threads);
}

/// `recurrence` and `recurrence_by_key` of segmented_recurrence.hpp in host memory.
template <class Input, class Out, class Heads>
status recur_segments(on_host, const Input& in, Out* out, const Heads& given,
                      const host_options<state_t<Out>>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  Heads heads = given;
  if (const status resolved = resolve_heads(heads, opts.threads); !resolved.ok()) return resolved;
  if (const status checked = validate_segment_recurrence(in, out, heads, opts, true);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(heads)) return {};
  return opts.reverse ? recur_by_heads<true>(in, out, heads, opts)
                      : recur_by_heads<false>(in, out, heads, opts);
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
