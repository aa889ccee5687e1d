// Whether a call's spans are as long as the call needs them: of pointers nobody knows.
#ifndef SCAN_ROOM_HPP
#define SCAN_ROOM_HPP

#include <cstdint>

#include "scan/contiguous.hpp"
#include "scan/extents.hpp"
#include "scan/segment_heads.hpp"
#include "scan/segments.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Elements that a call reads and writes, and what it says where there are fewer.
struct room_needed {
  std::int64_t read, written;
  const char *too_little_to_read, *too_little_to_write;
};

inline constexpr char too_few_keys[] = "the size of the span of keys is less than n";

/// (Sizes that cannot be need none: they have yet to be checked.)
inline room_needed room_for(std::int64_t n, bool complete) noexcept {
  const std::int64_t extra = complete && n >= 0 && n < INT64_MAX ? 1 : 0;
  return {n, n + extra, "the input span's size is less than n",
          complete ? "the output span's size is less than n + 1"
                   : "the output span's size is less than n"};
}
inline room_needed room_for(const extents& given, bool complete) noexcept {
  tensor_shape shape;
  if (!resolve(given, complete, 1, shape).ok()) shape = {};
  return {shape.span(shape.in_pitch), shape.span(shape.out_pitch, complete),
          "the input span's size is less than the extents need",
          "the output span's size is less than the extents need"};
}
template <class Heads>
room_needed room_for(const Heads& heads, bool) noexcept {
  const bool none = has_offsets(heads) && num_segments_of(heads) <= 0;
  const std::int64_t n = none ? 0 : heads.num_items;
  return has_offsets(heads)
             ? room_needed{n, n, "the input span's size is less than segments.num_items",
                           "the output span's size is less than segments.num_items"}
             : room_for(n, false);
}

/// In host memory, with as many items as the last offset says where that is left to it and can be
/// read.
inline segment_heads counted(segment_heads heads) noexcept {
  if (!has_offsets(heads) || heads.num_items != unsaid_items || heads.num_segments <= 0 ||
      !validate_heads(heads, 1, true).ok()) {
    return heads;
  }
  heads.num_items = are_wide_offsets(heads.kind)
                        ? static_cast<const std::int64_t*>(heads.data)[heads.num_segments]
                        : static_cast<const std::int32_t*>(heads.data)[heads.num_segments];
  return heads;
}
template <class Key, class Equal>
const keyed_heads<Key, Equal>& counted(const keyed_heads<Key, Equal>& heads) noexcept {
  return heads;
}

template <class In, class Out>
status validate_room(const In& in, const Out& out, const room_needed& needed) noexcept {
  if (room_of(in) < needed.read) return {cudaErrorInvalidValue, needed.too_little_to_read};
  if (room_of(out) < needed.written) return {cudaErrorInvalidValue, needed.too_little_to_write};
  return {};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
