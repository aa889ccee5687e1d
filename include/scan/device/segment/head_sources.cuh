// Where segments begin, read: keys and flags item by item, offsets by search.
#ifndef SCAN_DEVICE_SEGMENT_HEAD_SOURCES_CUH
#define SCAN_DEVICE_SEGMENT_HEAD_SOURCES_CUH

#include <cstdint>
#include <type_traits>

#include "scan/call/element_count.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/device/fold/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Elements [first, first + count) of the arrays.
template <class Int>
struct range_in {
  Int first, count;
};
using item_range = range_in<std::int64_t>;
/// Those between two offsets, whatever these are, of at most `most`.
template <class Int>
__device__ range_in<Int> range_between(Int begin, Int end, Int most) {
  const Int first = max(min(begin, most), Int{0});
  return {first, max(min(end, most) - first, Int{0})};
}

// ---- marks: what says of an item, or of two neighbours, whether a segment begins ----
// `mark` is what is read for an element; an item is a head if begins(mark of the item before, its
// own), or, where marks are not of_two, if that one is marked which begins the segment in memory.

struct equal_bits {
  template <class Word>
  __device__ bool operator()(Word a, Word b) const {
    return a == b;
  }
};
/// Keys; `with`, here and below: the same, read from another array. An equality sees its operands
/// in memory's order.
template <class Key, class Equal, bool reversed>
struct key_marks {
  using element = Key;
  using mark = Key;
  static constexpr bool of_two = true;
  /// Whether it may be asked about bits that are no keys of the call: a caller's equality may
  /// follow its operands anywhere.
  static constexpr bool takes_any_bits = std::is_same_v<Equal, equal_bits>;
  static constexpr int items_per_element = 1;
  const Key* array;
  Equal equal;

  __device__ key_marks with(const Key* other) const { return {other, equal}; }
  template <class Index>
  __device__ mark read(Index item) const {
    return array[item];
  }
  __device__ bool begins(const mark& before, const mark& own) const {
    Equal same = equal;
    return reversed ? !same(own, before) : !same(before, own);
  }
};
/// The same through a cursor (iterators.hpp).
template <class Cursor, class Equal, bool reversed>
struct cursor_marks {
  using mark = typename Cursor::value_type;
  static constexpr bool of_two = true;
  static constexpr bool takes_any_bits = false;
  static constexpr int items_per_element = 1;
  Cursor array;
  Equal equal;

  __device__ cursor_marks with(const Cursor& other) const { return {other, equal}; }
  __device__ mark read(std::int64_t item) const { return array[item]; }
  __device__ bool begins(const mark& before, const mark& own) const {
    return reversed ? !equal(own, before) : !equal(before, own);
  }
};
template <class Marks>
inline constexpr bool are_through_cursor = false;
template <class Cursor, class Equal, bool reversed>
inline constexpr bool are_through_cursor<cursor_marks<Cursor, Equal, reversed>> = true;
struct byte_marks {
  using element = std::uint8_t;
  using mark = std::uint8_t;
  static constexpr bool of_two = false, takes_any_bits = true;
  static constexpr int items_per_element = 1;
  const std::uint8_t* array;

  __device__ byte_marks with(const std::uint8_t* other) const { return {other}; }
  template <class Index>
  __device__ mark read(Index item) const {
    return array[item];
  }
  __device__ bool begins(mark, mark own) const { return own != 0; }
};
struct bit_marks {
  using element = std::uint32_t;
  using mark = std::uint32_t;
  static constexpr bool of_two = false;
  static constexpr int items_per_element = 32;
  const std::uint32_t* array;

  __device__ bit_marks with(const std::uint32_t* other) const { return {other}; }
  template <class Index>
  __device__ mark read(Index item) const {
    return array[item / 32] >> item % 32 & 1;
  }
  __device__ bool begins(mark, mark own) const { return own != 0; }
};

// ---- offsets ----

/// Which of the call's offsets boundary j in scan order is, and the other way round.
template <bool reversed>
__device__ std::int64_t offset_index(std::int64_t j, std::int64_t num_segments) {
  return reversed ? num_segments - j : j;
}
/// Which item in scan order begins at an offset, of `count` items from element `first` on.
template <bool reversed, class Int>
__device__ Int item_at(Int offset, Int first, Int count) {
  return reversed ? count - (offset - first) : offset - first;
}

/// Boundary j, of [0, num_segments], in scan order: rising from 0 on to the number of items, where
/// offsets are as they should be.
template <class Offset, bool reversed>
struct boundaries {
  using element = Offset;
  static constexpr bool is_reversed = reversed;
  const Offset* array;
  std::int64_t num_segments;
  item_range range;

  __device__ boundaries with(const Offset* other) const { return {other, num_segments, range}; }
  __device__ std::int64_t element_of(std::int64_t j) const {
    return reversed ? num_segments - j : j;
  }
  /// The offset of a boundary at item `item`.
  __device__ std::int64_t offset_of(std::int64_t item) const {
    return range.first + (reversed ? range.count - item : item);
  }
  __device__ std::int64_t item_of(Offset element) const {
    const std::int64_t offset = std::int64_t{element} - range.first;
    return reversed ? range.count - offset : offset;
  }
};

template <class Source>
inline constexpr bool is_boundaries = false;
template <class Offset, bool reversed>
inline constexpr bool is_boundaries<boundaries<Offset, reversed>> = true;

/// Calls `visit` with the boundaries that `heads`, which are offsets, say.
template <bool reversed, class Visit>
__device__ void with_boundaries(const segment_heads& heads, const item_range& range, Visit visit) {
  // (One less than 0, which cannot be, lies far out either way.)
  if (are_wide_offsets(heads.kind)) {
    visit(boundaries<std::int64_t, reversed>{static_cast<const std::int64_t*>(heads.data),
                                             heads.num_segments, range});
  } else {
    visit(boundaries<std::uint32_t, reversed>{static_cast<const std::uint32_t*>(heads.data),
                                              heads.num_segments, range});
  }
}
/// Calls `visit` with what `heads` are: marks, or boundaries.
template <bool reversed, class Visit>
__device__ void with_source(const segment_heads& heads, const item_range& range, Visit visit) {
  switch (heads.kind) {
    case head_kind::offsets_32:
    case head_kind::offsets_u32:
    case head_kind::offsets_64:
    case head_kind::offsets_u64:
      with_boundaries<reversed>(heads, range, visit);
      break;
    case head_kind::keys_8:
      visit(key_marks<std::uint8_t, equal_bits, reversed>{
          static_cast<const std::uint8_t*>(heads.data), {}});
      break;
    case head_kind::keys_16:
      visit(key_marks<std::uint16_t, equal_bits, reversed>{
          static_cast<const std::uint16_t*>(heads.data), {}});
      break;
    case head_kind::keys_32:
      visit(key_marks<std::uint32_t, equal_bits, reversed>{
          static_cast<const std::uint32_t*>(heads.data), {}});
      break;
    case head_kind::keys_64:
      visit(key_marks<std::uint64_t, equal_bits, reversed>{
          static_cast<const std::uint64_t*>(heads.data), {}});
      break;
    case head_kind::flag_bytes:
      visit(byte_marks{static_cast<const std::uint8_t*>(heads.data)});
      break;
    case head_kind::flag_bits:
      visit(bit_marks{static_cast<const std::uint32_t*>(heads.data)});
      break;
  }
}
template <bool reversed, class Keys, class Equal, class Visit>
__device__ void with_source(const keyed_heads<Keys, Equal>& heads, const item_range&, Visit visit) {
  if constexpr (std::is_pointer_v<Keys>) {
    using key = typename keyed_heads<Keys, Equal>::Key;
    visit(key_marks<key, Equal, reversed>{heads.keys, heads.equal});
  } else {
    visit(cursor_marks<Keys, Equal, reversed>{heads.keys, heads.equal});
  }
}

// ---- what they are as bytes ----

SCAN_HOST_DEVICE inline int element_bytes_of(const segment_heads& heads) {
  switch (heads.kind) {
    case head_kind::keys_8:
    case head_kind::flag_bytes:
      return 1;
    case head_kind::keys_16:
      return 2;
    case head_kind::keys_64:
      return 8;
    default:
      return are_wide_offsets(heads.kind) ? 8 : 4;
  }
}
SCAN_HOST_DEVICE inline int items_per_element_of(const segment_heads& heads) {
  return heads.kind == head_kind::flag_bits ? 32 : 1;
}
template <class Keys, class Equal>
SCAN_HOST_DEVICE int element_bytes_of(const keyed_heads<Keys, Equal>&) {
  return static_cast<int>(sizeof(typename keyed_heads<Keys, Equal>::Key));
}
template <class Keys, class Equal>
SCAN_HOST_DEVICE int items_per_element_of(const keyed_heads<Keys, Equal>&) {
  return 1;
}
/// How many an item has, about; of offsets twice as many, for there are places with more than
/// elsewhere.
template <class Heads>
double mark_bytes(const Heads& heads) {
  const double bytes = element_bytes_of(heads);
  if (!has_offsets(heads)) return bytes / items_per_element_of(heads);
  const auto most = static_cast<double>(heads.num_items > 0 ? heads.num_items : 1);
  return 2 * bytes * static_cast<double>(num_segments_of(heads)) / most;
}

/// Where they lie.
SCAN_HOST_DEVICE inline const void* data_of(const segment_heads& heads) { return heads.data; }
template <class Keys, class Equal>
SCAN_HOST_DEVICE const void* data_of(const keyed_heads<Keys, Equal>& heads) {
  return heads.keys;
}

// ---- where the items are ----

template <class Offset>
__device__ item_range range_of_offsets(const Offset* offsets, std::int64_t num_segments,
                                       std::int64_t most) {
  const std::int64_t begin = offsets[0], end = offsets[num_segments];
  return range_between(begin, end, most);
}
/// Of keys and flags.
template <class Heads>
__device__ std::int64_t items_of(const Heads& heads) {
  if (heads.counted == nullptr) return heads.num_items;
  return items_counted(*heads.counted, heads.num_items);
}
__device__ inline item_range range_of(const segment_heads& heads) {
  if (!has_offsets(heads)) return {0, items_of(heads)};
  if (are_wide_offsets(heads.kind)) {
    return range_of_offsets(static_cast<const std::int64_t*>(heads.data), heads.num_segments,
                            heads.num_items);
  }
  return range_of_offsets(static_cast<const std::uint32_t*>(heads.data), heads.num_segments,
                          heads.num_items);
}
template <class Keys, class Equal>
__device__ item_range range_of(const keyed_heads<Keys, Equal>& heads) {
  return {0, items_of(heads)};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
