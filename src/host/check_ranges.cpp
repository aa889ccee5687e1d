// Whether segments that lie anywhere lie within input and output: in host memory.
#include <algorithm>
#include <cstdint>

#include "scan/call/range_offsets.hpp"
#include "scan/host/workers.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {
namespace {

/// Thrown by who finds a wrong segment, to stop those who look elsewhere; never leaves this file.
struct wrong_range_found {};

status status_of(const range_offsets& where, wrong_range what, std::int64_t s) noexcept {
  switch (what) {
    case wrong_range::nothing:
      return {};
    case wrong_range::begin:
      return {cudaErrorInvalidValue,
              "segment_ranges.begins[i] is negative; i is the status's index", s};
    case wrong_range::out_begin:
      return {cudaErrorInvalidValue,
              "segment_ranges.out_begins[i]: the output does not have the segment's elements from "
              "there on; i is the status's index",
              s};
    case wrong_range::end:
      break;
  }
  const bool is_read = offset_at(where.kind, where.ends, s) > where.num_items;
  return {cudaErrorInvalidValue,
          is_read ? "segment_ranges.ends[i] is greater than num_items; i is the status's index"
                  : "segment_ranges.ends[i] is greater than num_out_items; i is the status's index",
          s};
}

}  // namespace

status check_ranges(const range_offsets& where, int threads) noexcept {
  constexpr std::int64_t part = 4096;
  const std::int64_t count = where.num_segments, num_parts = (count + part - 1) / part;
  const auto wrong = [&](std::int64_t s) {
    segment_place place;
    return find_segment(where, s, place);
  };
  try {
    const auto check_part = [&](std::int64_t i) {
      for (std::int64_t s = i * part; s < std::min((i + 1) * part, count); ++s) {
        if (wrong(s) != wrong_range::nothing) throw wrong_range_found{};
      }
    };
    run_parts(num_parts, worker_count(threads, num_parts, count * 16, true), check_part);
  } catch (...) {  // (whatever it is: then all are looked at here)
    for (std::int64_t s = 0; s < count; ++s) {
      const wrong_range what = wrong(s);
      if (what != wrong_range::nothing) return status_of(where, what, s);
    }
  }
  return {};
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan
