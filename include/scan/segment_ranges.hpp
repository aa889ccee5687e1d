// Scans of segments that lie anywhere: in any order, with gaps, with outputs at places of their
// own.
//
// Included by <scan/scan.hpp>. libscan.a holds the sums of 4- and 8-byte integers, float and
// double; for more, and for functions on the way in and out and iterators that are not over arrays,
// include <scan/scan.cuh> or, for CPU threads, <scan/host/host_scan.hpp>.
#ifndef SCAN_SEGMENT_RANGES_HPP
#define SCAN_SEGMENT_RANGES_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call/front_door.hpp"
#include "scan/call/range_offsets.hpp"
#include "scan/call/validate_ranges.hpp"
#include "scan/iterators.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/segments.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Segment s is elements [begins[s], ends[s]) of the input, and as many of the output from
/// out_begins[s] on or, without these (null), in the same places. It is empty where ends[s] <=
/// begins[s]. `num_segments` offsets each, integers of 4 or 8 bytes, signed or not, in the memory
/// that the call is about.
///
/// Segments may be in any order, leave gaps, and have inputs in common; outputs must not overlap
/// each other, nor another segment's input in place. Elements in no segment have no part in it:
/// their values do not matter, and outputs that are no segment's are not written.
///
/// The input has `num_items` elements, the output `num_out_items`, or as many where it is not
/// given: nothing beyond these is read or written whatever the offsets say. A segment that does not
/// lie within is, on the device, taken for an empty one.
template <class Offset>
struct SCAN_SHOWN segment_ranges {
  static_assert(std::is_integral_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "scan::segment_ranges takes offsets that are integers of 4 or 8 bytes");
  array_pointer<Offset> begins, ends;
  std::int64_t num_segments;
  std::int64_t num_items;
  array_pointer<Offset> out_begins = {};
  std::int64_t num_out_items = unsaid_items;
};
template <class Begins, class Ends>
segment_ranges(Begins, Ends, std::int64_t, std::int64_t) -> segment_ranges<element_in<Begins>>;
template <class Begins, class Ends, class OutBegins>
segment_ranges(Begins, Ends, std::int64_t, std::int64_t, OutBegins, std::int64_t = unsaid_items)
    -> segment_ranges<element_in<Begins>>;

template <class Offset>
range_offsets shape_of(const segment_ranges<Offset>& given) noexcept {
  const bool is_said = given.num_out_items != unsaid_items;
  return {kind_of_offsets<Offset>(),
          given.begins,
          given.ends,
          given.out_begins,
          given.num_segments,
          given.num_items,
          is_said ? given.num_out_items : given.num_items};
}
/// Whether spans of offsets have as many as are read.
template <class Offset>
status validate_heads_of(const segment_ranges<Offset>& given, const range_offsets&) noexcept {
  const auto is_short = [&](const array_pointer<Offset>& offsets) {
    return offsets.data != nullptr && offsets.room < given.num_segments;
  };
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (is_short(given.begins)) {
    return refuse("the size of the span segment_ranges.begins is less than num_segments");
  }
  if (is_short(given.ends)) {
    return refuse("the size of the span segment_ranges.ends is less than num_segments");
  }
  if (is_short(given.out_begins)) {
    return refuse("the size of the span segment_ranges.out_begins is less than num_segments");
  }
  return {};
}

/// `inclusive` of scan.hpp for each of these segments.
///
/// A segment is walked by one block, or one warp where it is short: thousands of any lengths are
/// scanned at nearly the speed of a copy, a few giants are not. Segments that follow each other
/// without gaps are better given as scan::segments, whose work is cut by elements.
///
/// `d_in` has room for `given.num_items` elements, `d_out` for `given.num_out_items`. Without
/// `given.out_begins` they may be the same pointer (in place); otherwise they do not overlap. The
/// output, `options.total` and the offsets do not overlap either. `options.init_pointer` and
/// `options.total` point to a value a segment; the total of an empty segment is its init, or the
/// operator's identity. `options.reverse` scans each from its end. `options.complete` is refused,
/// `options.algorithm` has to be `automatic`; no workspace is needed. The offsets are read when the
/// scan runs.
///
/// A segment's bits depend on its length, the types and the build: on the device they are those of
/// a row of a tensor (see extents). Errors: as `inclusive`.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive(In d_in, Out d_out, const segment_ranges<Offset>& given, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, false, d_in, d_out, given, op, opts);
}
/// `exclusive` likewise: the first result of a segment is its init, or the identity.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(In d_in, Out d_out, const segment_ranges<Offset>& given, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, given, op, opts);
}

/// The same in host memory on CPU threads. A segment that does not lie within input and output is
/// an error here, with `status::index()` the first such and the output untouched.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, In in, Out out, const segment_ranges<Offset>& given,
                               Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, false, in, out, given, op, opts);
}
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, In in, Out out, const segment_ranges<Offset>& given,
                               Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, true, in, out, given, op, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
