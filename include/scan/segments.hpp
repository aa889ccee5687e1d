// Ragged segments: how callers say where they begin.
#ifndef SCAN_SEGMENTS_HPP
#define SCAN_SEGMENTS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call/element_count.hpp"
#include "scan/call/problem.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/call/validate.hpp"
#include "scan/iterators.hpp"
#include "scan/operators.hpp"
#include "scan/status.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// A pointer to what is only read, which an iterator over an array or a span (iterators.hpp) may be
/// given for.
template <class T>
struct SCAN_SHOWN array_pointer {
  const T* data = nullptr;
  std::int64_t room = INT64_MAX;  // elements there are at least, where it says: see room_of

  SCAN_HIDDEN array_pointer() = default;
  SCAN_HIDDEN constexpr array_pointer(const T* array) noexcept : data(array) {}
  template <class Array,
            std::enable_if_t<is_contiguous<Array> && !std::is_pointer_v<Array>, int> = 0>
  SCAN_HIDDEN_TEMPLATE array_pointer(const Array& array) noexcept
      : data(as_pointer(array)), room(room_of(array)) {}
  SCAN_HIDDEN constexpr operator const T*() const noexcept { return data; }
};
/// The type of what such an array has.
template <class Array>
using element_in = std::remove_cv_t<
    std::remove_pointer_t<decltype(contiguous<Array>::pointer(std::declval<const Array&>()))>>;

/// Segment s is elements [offsets[s], offsets[s + 1]) of input and output; it may be empty. There
/// are `num_segments` + 1 offsets, integers of 4 or 8 bytes, signed or not, in the memory that the
/// call is about; none is less than the one before, the first is at least 0. Elements before
/// offsets[0], and from offsets[num_segments] on, are in no segment: their outputs are not written.
///
/// `num_items` is the number of elements, or more, but no offset exceeds it: of a call in device
/// memory, which does not know offsets[num_segments], it says how much work there may be, and has
/// to be given. Nothing beyond it is read or written whatever the offsets say. In host memory it
/// may be left out, and is then offsets[num_segments]. 0 says that all segments are empty.
///
/// With segments `options.init_pointer` and `options.total` point to a value a segment;
/// `options.init` is one value for all. A total is bit for bit the last output of an inclusive call
/// with the same options (small calls without `total` and `init_pointer` have another kernel, which
/// may round otherwise). That of an empty segment is its init, or the operator's identity; `total`
/// without either is an error. `options.reverse` scans each from its end. `options.complete` is
/// refused.
template <class Offset>
struct SCAN_SHOWN segments {
  static_assert(std::is_integral_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "scan::segments takes offsets that are integers of 4 or 8 bytes");
  array_pointer<Offset> offsets;
  std::int64_t num_segments;
  std::int64_t num_items = unsaid_items;
};
template <class Offsets>
segments(Offsets, std::int64_t, std::int64_t = unsaid_items) -> segments<element_in<Offsets>>;

/// In place of keys: element i begins a segment where its flag is not 0, and element 0 always. A
/// flag is a byte (an integer, `bool`, character or `std::byte`), or, of `std::uint32_t`, bit i %
/// 32 of heads[i / 32].
template <class Word>
struct SCAN_SHOWN flags {
  static constexpr bool are_bytes =
      sizeof(Word) == 1 && (std::is_integral_v<Word> || std::is_enum_v<Word>);
  static_assert(are_bytes || std::is_same_v<Word, std::uint32_t>,
                "scan::flags takes bytes, bools, or bits in words of type std::uint32_t");
  array_pointer<Word> heads;
};
template <class Words>
flags(Words) -> flags<element_in<Words>>;

template <class By>
inline constexpr bool is_flags = false;
template <class Word>
inline constexpr bool is_flags<flags<Word>> = true;
/// Whether `By` says where runs begin: flags, the array of keys, or an iterator that gives them.
template <class By>
inline constexpr bool says_runs = is_flags<By> || is_contiguous<By> || is_odd_iterator<By>;

template <class Offset>
constexpr head_kind kind_of_offsets() noexcept {
  constexpr bool wide = sizeof(Offset) == 8;
  return std::is_signed_v<Offset> ? (wide ? head_kind::offsets_64 : head_kind::offsets_32)
                                  : (wide ? head_kind::offsets_u64 : head_kind::offsets_u32);
}
template <class Offset>
segment_heads heads_of_segments(const segments<Offset>& given) noexcept {
  return {kind_of_offsets<Offset>(), given.offsets, given.num_segments, given.num_items};
}
template <class By, class Equal>
auto heads_of_runs(const By& by, std::int64_t num_items, const Equal& equal) noexcept {
  if constexpr (is_flags<By>) {
    static_assert(std::is_same_v<Equal, equal_keys>, "scan: flags are not compared");
    constexpr head_kind kind = By::are_bytes ? head_kind::flag_bytes : head_kind::flag_bits;
    return segment_heads{kind, by.heads, 0, num_items};
  } else if constexpr (is_contiguous<By>) {
    return heads_of_keys(as_pointer(by), num_items, equal);
  } else {
    return keyed_heads<input_cursor<By>, shared_equality<Equal>>{{by}, {equal}, num_items};
  }
}
/// Whether who asks `By` and `Equal` where runs begin calls nothing that can throw.
template <class By, class Equal>
constexpr bool asks_nothrow() noexcept {
  if constexpr (is_flags<By>) {
    return true;
  } else if constexpr (!is_contiguous<By>) {
    return false;
  } else {
    using key = element_in<By>;
    return std::is_nothrow_copy_constructible_v<Equal> &&
           std::is_nothrow_invocable_r_v<bool, const Equal&, const key&, const key&>;
  }
}

/// Where the heads are said: an array and the bytes that its address is a multiple of.
struct heads_place {
  memory_range bytes;
  std::size_t alignment;
};
inline heads_place place_of(const segment_heads& heads) noexcept {
  const auto array = [&](auto element, std::int64_t count) {
    return heads_place{{static_cast<const decltype(element)*>(heads.data), count}, sizeof(element)};
  };
  switch (heads.kind) {
    case head_kind::offsets_32:
    case head_kind::offsets_u32:
      return array(std::uint32_t{}, heads.num_segments + 1);
    case head_kind::offsets_64:
    case head_kind::offsets_u64:
      return array(std::uint64_t{}, heads.num_segments + 1);
    case head_kind::keys_16:
      return array(std::uint16_t{}, heads.num_items);
    case head_kind::keys_32:
      return array(std::uint32_t{}, heads.num_items);
    case head_kind::keys_64:
      return array(std::uint64_t{}, heads.num_items);
    case head_kind::flag_bits:
      return array(std::uint32_t{}, (heads.num_items + 31) / 32);
    default:
      return array(std::uint8_t{}, heads.num_items);
  }
}
template <class Keys, class Equal>
heads_place place_of(const keyed_heads<Keys, Equal>& heads) noexcept {
  return {{array_of(heads.keys), heads.num_items}, alignof(typename keyed_heads<Keys, Equal>::Key)};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
