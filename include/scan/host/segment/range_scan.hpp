// Scans of segments that lie anywhere on CPU threads: each is scanned as the row of a tensor that
// it is, whose bits it has. Threads take some segments at a time; what is as long as many parts
// they leave, and scan it together when the others are done. Included by <scan/host/host_scan.hpp>.
#ifndef SCAN_HOST_SEGMENT_RANGE_SCAN_HPP
#define SCAN_HOST_SEGMENT_RANGE_SCAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "scan/call/range_offsets.hpp"
#include "scan/call/tensor_problem.hpp"
#include "scan/call/validate_ranges.hpp"
#include "scan/host/sequence_scan.hpp"
#include "scan/host/tensor/tensor_scan.hpp"
#include "scan/host/workers.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// `Values` is the problem of the whole input, whose init and totals are one a segment.
template <class Values>
struct range_scans {
  const Values& values;
  const range_offsets& where;
  std::int64_t long_items;  // of a segment that threads share, at least

  /// Segment `s` by itself.
  Values segment(std::int64_t s, const segment_place& place) const {
    Values one = values;
    one.in.data = one.in.data + place.in_begin;
    one.out.data = one.out.data + place.out_begin;
    one.num_items = place.length;
    if (one.init_pointer != nullptr) one.init_pointer += s;
    if (one.total != nullptr) one.total += s;
    return one;
  }
  segment_place place(std::int64_t s) const {
    segment_place found;
    find_segment(where, s, found);
    return found;
  }

  /// Those of [first, last) that are no thread's but all threads'.
  status scan_long(std::int64_t first, std::int64_t last, int threads) const {
    for (std::int64_t s = first; s < last; ++s) {
      const segment_place at = place(s);
      if (at.length < long_items) continue;
      if (const status done = run(segment(s, at), threads); !done.ok()) return done;
    }
    return {};
  }
  /// The others; returns whether there are such.
  bool scan_part(std::int64_t first, std::int64_t last) const {
    bool has_long = false;
    for (std::int64_t s = first; s < last; ++s) {
      const segment_place at = place(s);
      if (at.length == 0) {
        if (values.total != nullptr) segment(s, at).write_end(segment(s, at).start());
      } else if (at.length < long_items) {
        scan_one(segment(s, at));
      } else {
        has_long = true;
      }
    }
    return has_long;
  }

 private:
  static void scan_one(const Values& one) {
    if constexpr (in_arrays<Values>) {
      const tensor_shape row{1, one.num_items, 1, one.num_items, one.num_items};
      scan_rows_of_part(tensor_problem<Values>(one, row), 0, 1, false);
    } else {
      static_cast<void>(run(one, 1));  // (which one thread takes no memory for)
    }
  }
};

/// Scans what has been checked.
template <class Values>
status scan_ranges(const Values& values, const range_offsets& where, int threads) {
  constexpr std::int64_t item_bytes =
      sizeof(typename Values::in_type) + sizeof(typename Values::out_type);
  // (Of outputs, which do not overlap; with gaps it is less.)
  const std::int64_t count = where.num_segments, num_bytes = where.num_out_items * item_bytes;
  const std::int64_t each = std::clamp<std::int64_t>(part_bytes / (num_bytes / count + 1), 1, 4096);
  const std::int64_t num_parts = (count - 1) / each + 1;
  const bool shares = worker_count(threads, INT32_MAX, num_bytes, true) > 1;
  const range_scans<Values> scans{values, where,
                                  shares ? (std::int64_t{4} << 20) / item_bytes : INT64_MAX};
  // (Each part's own, so that nobody waits; without memory for them all parts are asked again.)
  const std::unique_ptr<bool[]> has_long(
      new (std::nothrow) bool[static_cast<std::size_t>(num_parts)]);
  const auto end_of = [&](std::int64_t part) { return std::min((part + 1) * each, count); };
  run_parts(num_parts, worker_count(threads, num_parts, num_bytes, true), [&](std::int64_t part) {
    const bool found = scans.scan_part(part * each, end_of(part));
    if (has_long != nullptr) has_long[static_cast<std::size_t>(part)] = found;
  });
  for (std::int64_t part = 0; shares && part < num_parts; ++part) {
    if (has_long != nullptr && !has_long[static_cast<std::size_t>(part)]) continue;
    const status done = scans.scan_long(part * each, end_of(part), threads);
    if (!done.ok()) return done;
  }
  return {};
}

/// Scans of segments that lie anywhere in host memory: segment_ranges.hpp.
template <class Input, class Output, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out,
                  const range_offsets& where, Op op,
                  const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  if (const status checked = validate_ranges<Op>(exclusive, in, out, where, opts); !checked.ok()) {
    return checked;
  }
  if (where.num_segments == 0) return {};
  if (const status checked = check_ranges(where, opts.threads); !checked.ok()) return checked;
  const auto scan = [&](auto values) {
    values.init_pointer = opts.init_pointer;
    return scan_ranges(values, where, opts.threads);
  };
  return opts.reverse ? scan(describe<true>(exclusive, in, out, where.num_items, op, opts))
                      : scan(describe<false>(exclusive, in, out, where.num_items, op, opts));
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
