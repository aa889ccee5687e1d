// Whether a call's spans are as long as the call needs them: of pointers nobody knows.
#ifndef SCAN_CALL_ROOM_HPP
#define SCAN_CALL_ROOM_HPP

#include <cstdint>

#include "scan/call/segment_heads.hpp"
#include "scan/call/validate_segments.hpp"
#include "scan/extents.hpp"
#include "scan/operands/contiguous.hpp"
#include "scan/options.hpp"
#include "scan/segments.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Elements that a call reads and writes, and what it says where there are fewer.
struct room_needed {
  std::int64_t read, written;
  const char *too_little_to_read, *too_little_to_write;
};

/// (Sizes that cannot be need none: they have yet to be checked.)
inline room_needed room_for(std::int64_t n, bool complete) noexcept {
  const std::int64_t extra = complete && n >= 0 && n < INT64_MAX ? 1 : 0;
  return {n, n + extra, "the input span's size is less than n",
          complete ? "the output span's size is less than n + 1"
                   : "the output span's size is less than n"};
}
inline room_needed room_for(const count& n, bool complete) noexcept {
  return room_for(n.capacity, complete);
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

template <class Offset>
std::int64_t room_of(const segments<Offset>& given) noexcept {
  return given.offsets.room;
}
template <class Word>
std::int64_t room_of(const flags<Word>& given) noexcept {
  return given.heads.room;
}

/// Whether `given`, of which the heads are, has as many offsets, keys or flags as the call reads.
template <class By>
status validate_heads_room(const By& given, const segment_heads& heads) noexcept {
  const std::int64_t room = room_of(given), n = heads.num_items;
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (has_offsets(heads)) {
    const bool is_said = room < INT64_MAX;
    if (!is_said || heads.num_segments <= 0 || room > heads.num_segments) return {};
    return refuse("the size of the span segments.offsets is less than num_segments + 1");
  }
  const bool in_bits = heads.kind == head_kind::flag_bits;
  if (room >= (in_bits ? n / 32 + (n % 32 > 0 ? 1 : 0) : n)) return {};
  if (in_bits) return refuse("the size of the span flags.heads is less than n / 32, rounded up");
  return refuse(are_flags(heads.kind) ? "the size of the span flags.heads is less than n"
                                      : "the size of the span of keys is less than n");
}
template <class By, class Keys, class Equal>
status validate_heads_room(const By& given, const keyed_heads<Keys, Equal>& heads) noexcept {
  if (room_of(given) >= heads.num_items) return {};
  return {cudaErrorInvalidValue, "the size of the span of keys is less than n"};
}

/// In host memory, with as many items as the last offset says where that is left to it and can be
/// read.
inline segment_heads counted(segment_heads heads) noexcept {
  if (!has_offsets(heads) || heads.num_items != unsaid_items || heads.num_segments <= 0 ||
      !validate_heads(heads, 1, true).ok()) {
    return heads;
  }
  const auto last = [&](auto offset) {
    offset = static_cast<const decltype(offset)*>(heads.data)[heads.num_segments];
    return static_cast<std::int64_t>(offset);
  };
  heads.num_items = are_wide_offsets(heads.kind)           ? last(std::int64_t{})
                    : heads.kind == head_kind::offsets_u32 ? last(std::uint32_t{})
                                                           : last(std::int32_t{});
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
