// Where segments begin and end that lie anywhere, as the kernel and the host path take it.
#ifndef SCAN_CALL_RANGE_OFFSETS_HPP
#define SCAN_CALL_RANGE_OFFSETS_HPP

#include <cstdint>

#include "scan/abi.hpp"
#include "scan/call/segment_heads.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// segment_ranges of any offsets: `kind`, one of head_kind's offsets, is that of all arrays.
struct range_offsets {
  head_kind kind;
  const void *begins, *ends;
  const void* out_begins;  // null: the outputs are where the inputs are
  std::int64_t num_segments;
  std::int64_t num_items, num_out_items;  // elements that there are to read, and to write
};

/// `offsets[i]`; of 64 bits without a sign at most 2^63 - 1, which no array reaches.
SCAN_HOST_DEVICE inline std::int64_t offset_at(head_kind kind, const void* offsets,
                                               std::int64_t i) noexcept {
  switch (kind) {
    case head_kind::offsets_32:
      return static_cast<const std::int32_t*>(offsets)[i];
    case head_kind::offsets_u32:
      return static_cast<const std::uint32_t*>(offsets)[i];
    case head_kind::offsets_u64: {
      const std::uint64_t offset = static_cast<const std::uint64_t*>(offsets)[i];
      return offset > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(offset);
    }
    default:
      return static_cast<const std::int64_t*>(offsets)[i];
  }
}

/// Where a segment's elements are, `length` of each; one that is empty is nowhere.
struct segment_place {
  std::int64_t in_begin = 0, out_begin = 0, length = 0;
};

/// What keeps a segment from being where its offsets say.
enum class wrong_range : int { nothing, begin, end, out_begin };

/// Of segment `s`. What is wrong with an empty one does not matter.
SCAN_HOST_DEVICE inline wrong_range find_segment(const range_offsets& where, std::int64_t s,
                                                 segment_place& place) noexcept {
  const std::int64_t begin = offset_at(where.kind, where.begins, s);
  const std::int64_t end = offset_at(where.kind, where.ends, s);
  place = {};
  if (end <= begin) return wrong_range::nothing;
  if (begin < 0) return wrong_range::begin;
  if (end > where.num_items) return wrong_range::end;
  const bool is_moved = where.out_begins != nullptr;
  const std::int64_t out_begin = is_moved ? offset_at(where.kind, where.out_begins, s) : begin;
  // (Neither a negative place nor one that is too large: the sum might be anything.)
  if (out_begin < 0 || out_begin > where.num_out_items - (end - begin)) {
    return is_moved ? wrong_range::out_begin : wrong_range::end;
  }
  place = {begin, out_begin, end - begin};
  return wrong_range::nothing;
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
