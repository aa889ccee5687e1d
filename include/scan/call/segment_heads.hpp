// Where segments begin, as the kernels and the host path take it.
#ifndef SCAN_CALL_SEGMENT_HEADS_HPP
#define SCAN_CALL_SEGMENT_HEADS_HPP

#include <cstdint>
#include <type_traits>
#include <utility>

#include "scan/abi.hpp"
#include "scan/operands/held.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What says where segments begin: offsets of the segments, keys of the elements (a segment is a
/// run of equal ones), or flags of the elements.
enum class head_kind {
  offsets_32,  ///< std::int32_t
  offsets_64,  ///< std::int64_t
  keys_8,      ///< keys of 1, 2, 4, 8 bytes, equal where their bits are
  keys_16,
  keys_32,
  keys_64,
  flag_bytes,   ///< element i begins a segment where byte i is not 0
  flag_bits,    ///< where bit i % 32 of the std::uint32_t i / 32 is 1
  offsets_u32,  ///< std::uint32_t
  offsets_u64,  ///< std::uint64_t
};

/// Whether segments are numbered, so that each may have an init and a total of its own. Of keys and
/// flags element 0 begins a segment whatever it has.
SCAN_HOST_DEVICE constexpr bool are_offsets(head_kind kind) noexcept {
  return kind <= head_kind::offsets_64 || kind >= head_kind::offsets_u32;
}
/// Of these, whether they have 8 bytes. Who checks them has to know more, and nobody else: those
/// that are as they should be are the same numbers signed or not.
SCAN_HOST_DEVICE constexpr bool are_wide_offsets(head_kind kind) noexcept {
  return kind == head_kind::offsets_64 || kind == head_kind::offsets_u64;
}
constexpr bool are_flags(head_kind kind) noexcept {
  return kind == head_kind::flag_bytes || kind == head_kind::flag_bits;
}

/// In place of a number of elements: offsets[num_segments].
inline constexpr std::int64_t unsaid_items = -1;

/// Of all that libscan.a holds: one type, since what is read for an element matters little to a
/// kernel.
struct segment_heads {
  head_kind kind;
  const void* data;                       // num_segments + 1 offsets, or num_items keys or flags
  std::int64_t num_segments;              // of offsets; else 0
  std::int64_t num_items;                 // elements: of offsets an upper bound, or unsaid
  const std::int64_t* counted = nullptr;  // of keys and flags: how many there are, or null
};
SCAN_HOST_DEVICE constexpr bool has_offsets(const segment_heads& heads) noexcept {
  return are_offsets(heads.kind);
}
SCAN_HOST_DEVICE constexpr std::int64_t num_segments_of(const segment_heads& heads) noexcept {
  return heads.num_segments;
}

/// Of keys of any type with any equality, `equal(earlier, later)`: an array, or a cursor of
/// iterators.hpp.
template <class Keys, class Equal>
struct keyed_heads {
  using Key = std::decay_t<decltype(std::declval<const Keys&>()[0])>;
  static_assert(std::is_trivially_copyable_v<Key> && sizeof(Key) <= 32 && alignof(Key) <= 16,
                "scan takes keys that are trivially copyable, of up to 32 bytes, and aligned to up "
                "to 16");
  Keys keys;
  Equal equal;
  std::int64_t num_items;
  const std::int64_t* counted = nullptr;  // as above
};
template <class Keys, class Equal>
SCAN_HOST_DEVICE constexpr bool has_offsets(const keyed_heads<Keys, Equal>&) noexcept {
  return false;
}
template <class Keys, class Equal>
SCAN_HOST_DEVICE constexpr std::int64_t num_segments_of(const keyed_heads<Keys, Equal>&) noexcept {
  return 0;
}
/// Whether what says where segments begin is an array.
template <class Heads>
inline constexpr bool are_in_array = true;
template <class Keys, class Equal>
inline constexpr bool are_in_array<keyed_heads<Keys, Equal>> = std::is_pointer_v<Keys>;

/// The equality of keys where none is said: `==`.
struct equal_keys {
  SCAN_CALLS_EITHER_SIDE
  template <class Key>
  SCAN_HOST_DEVICE constexpr bool operator()(const Key& earlier, const Key& later) const
      noexcept(noexcept(earlier == later)) {
    return earlier == later;
  }
};

/// The equality of a call as its workers apply it: to keys as they are kept, and copied for each
/// call where its call operator is not const, since workers share it.
template <class Equal>
struct shared_equality {
  Equal equal;

  SCAN_CALLS_EITHER_SIDE
  template <class Key>
  SCAN_HOST_DEVICE bool operator()(const Key& earlier, const Key& later) const {
    if constexpr (is_held<Key>) {
      return (*this)(earlier.get(), later.get());
    } else if constexpr (std::is_invocable_v<const Equal&, const Key&, const Key&>) {
      return static_cast<bool>(equal(earlier, later));
    } else {
      Equal copy = equal;
      return static_cast<bool>(copy(earlier, later));
    }
  }
};

/// Whether an enumeration has an `==` of its own. (A call by name does not find the language's.)
template <class Enum, class = void>
inline constexpr bool has_own_equality = false;
template <class Enum>
inline constexpr bool has_own_equality<
    Enum,
    std::void_t<decltype(operator==(std::declval<const Enum&>(), std::declval<const Enum&>()))>> =
    true;

/// Whether keys are equal where their bits are: integers, bools, characters, enumerations.
template <class Key>
constexpr bool are_plain_keys() noexcept {
  if constexpr (std::is_enum_v<Key>) {
    return !has_own_equality<Key>;
  } else {
    return std::is_integral_v<Key> && sizeof(Key) <= 8;
  }
}

/// The heads of `num_items` keys.
template <class Key, class Equal>
auto heads_of_keys(const Key* keys, std::int64_t num_items, const Equal& equal) noexcept {
  if constexpr (std::is_same_v<Equal, equal_keys> && are_plain_keys<Key>()) {
    constexpr head_kind kind = sizeof(Key) == 1   ? head_kind::keys_8
                               : sizeof(Key) == 2 ? head_kind::keys_16
                               : sizeof(Key) == 4 ? head_kind::keys_32
                                                  : head_kind::keys_64;
    return segment_heads{kind, keys, 0, num_items};
  } else {
    // (Kernels have arrays of them.)
    constexpr bool as_is = std::is_trivially_default_constructible_v<Key>;
    using kept = std::conditional_t<as_is, Key, held<Key>>;
    return keyed_heads<const kept*, shared_equality<Equal>>{
        reinterpret_cast<const kept*>(keys), {equal}, num_items};
  }
}

// ---- The fold of a run of items in which segments may begin: what tiles of segmented scans tell
// each other.
//
// With F = {v, h}: h says whether a segment begins in the run, and v is the fold of its items from
// the last such place on, or of all:
//
//   F(a, b) = F(b)                     if h(b)
//           = {v(a) op v(b), h(a)}     otherwise
//
// which is associative where op is, so the protocol of single sequences is that of segments.

template <class V>
struct segment_fold {
  V value;
  std::uint32_t has_head;  // 0 or 1
};

/// `Op` on the values of segment folds.
template <class Op>
struct segmented {
  Op op;

  SCAN_CALLS_EITHER_SIDE
  template <class V>
  SCAN_HOST_DEVICE segment_fold<V> operator()(const segment_fold<V>& earlier,
                                              const segment_fold<V>& later) const {
    if (later.has_head != 0) return later;
    return {static_cast<V>(op(earlier.value, later.value)), earlier.has_head};
  }
};

/// Whether `later` is what it is whatever comes before it: look-back ends there.
template <class Op, class T>
SCAN_HOST_DEVICE constexpr bool absorbs_earlier(const Op&, const T&) noexcept {
  return false;
}
template <class Op, class V>
SCAN_HOST_DEVICE constexpr bool absorbs_earlier(const segmented<Op>&,
                                                const segment_fold<V>& later) noexcept {
  return later.has_head != 0;
}
/// Whether any value of the operator's does.
template <class Op>
inline constexpr bool has_absorbing = false;
template <class Op>
inline constexpr bool has_absorbing<segmented<Op>> = true;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
