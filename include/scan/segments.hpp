// Ragged segments: how callers say where they begin, and what is checked of that.
#ifndef SCAN_SEGMENTS_HPP
#define SCAN_SEGMENTS_HPP

#include <algorithm>
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
segment_heads heads_of_segments(const segments<Offset>& given) noexcept {
  constexpr bool wide = sizeof(Offset) == 8;
  constexpr head_kind kind = std::is_signed_v<Offset>
                                 ? (wide ? head_kind::offsets_64 : head_kind::offsets_32)
                                 : (wide ? head_kind::offsets_u64 : head_kind::offsets_u32);
  return {kind, given.offsets, given.num_segments, given.num_items};
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

/// Numbers and offsets of segments. `largest`: bytes of the widest element; `in_host_memory`:
/// whether num_items may be left out.
inline status validate_heads(const segment_heads& heads, std::int64_t largest,
                             bool in_host_memory) noexcept {
  constexpr std::int64_t address_space = std::int64_t{1} << 57;  // five-level page tables
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (!has_offsets(heads)) {
    const bool flagged = are_flags(heads.kind);
    if (heads.num_items > 0 && heads.data == nullptr) {
      return refuse(flagged ? "flags.heads is null but n > 0"
                            : "the pointer to keys is null but n > 0");
    }
    if (heads.num_items > 0 && place_of(heads).bytes.begin % place_of(heads).alignment != 0) {
      return refuse(flagged ? "flags.heads is not aligned to its type"
                            : "the pointer to keys is not aligned to their type");
    }
    return {};
  }
  if (heads.num_segments < 0) return refuse("segments.num_segments is negative");
  if (heads.num_items < unsaid_items) return refuse("segments.num_items is negative");
  if (heads.num_segments > address_space / std::max<std::int64_t>(largest, 8) - 1) {
    return refuse("segments.num_segments is too large: it exceeds the address space");
  }
  if (heads.num_items > address_space / largest) {
    return refuse("segments.num_items is too large: it exceeds the address space");
  }
  if (heads.num_segments == 0) return {};
  if (heads.data == nullptr) return refuse("segments.offsets is null but there are segments");
  if (place_of(heads).bytes.begin % place_of(heads).alignment != 0) {
    return refuse("segments.offsets is not aligned to its type");
  }
  if (heads.num_items == unsaid_items && !in_host_memory) {
    return refuse("segments.num_items is not given: of segments in device memory it has to be");
  }
  return {};
}
template <class Keys, class Equal>
status validate_heads(const keyed_heads<Keys, Equal>& heads, std::int64_t, bool) noexcept {
  if (heads.num_items > 0 && array_of(heads.keys) == nullptr) {
    return {cudaErrorInvalidValue, "the pointer to keys is null but n > 0"};
  }
  if (heads.num_items > 0 && !element_aligned(array_of(heads.keys))) {
    return {cudaErrorInvalidValue, "the pointer to keys is not aligned to their type"};
  }
  return {};
}

/// options.total and options.init_pointer: a value a segment, or null. `read` and `written`: of the
/// input and the output.
template <class Value>
status validate_segment_values(const segment_heads& heads, const memory_range& read,
                               const memory_range& written, const Value* init,
                               const Value* total) noexcept {
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  const memory_range inits(init, init != nullptr ? heads.num_segments : 0);
  const memory_range totals(total, total != nullptr ? heads.num_segments : 0);
  const memory_range offsets = place_of(heads).bytes;
  if (total != nullptr && !element_aligned(total)) {
    return refuse("options.total is not aligned to its type");
  }
  if (totals.overlaps(read)) return refuse("options.total overlaps the input");
  if (totals.overlaps(written)) return refuse("options.total overlaps the output");
  if (totals.overlaps(offsets)) return refuse("options.total overlaps segments.offsets");
  if (init != nullptr && !element_aligned(init)) {
    return refuse("options.init_pointer is not aligned to its type");
  }
  if (inits.overlaps(written)) return refuse(init_overlaps_output);
  if (inits.overlaps(totals)) return refuse(init_overlaps_total);
  return {};
}

/// What both paths check before they describe a scan of segments; `Heads` are `segment_heads` or
/// `keyed_heads`. Of what the offsets are nothing is checked here.
template <class Op, class Input, class Output, class Heads, class Options>
status validate_segments(bool exclusive, const Input& in, const Output& out, const Heads& heads,
                         const Options& opts, bool in_host_memory) noexcept {
  using types = scan_types<Input, Output>;
  constexpr std::int64_t largest = std::max(
      {sizeof(typename types::in), sizeof(typename types::out), sizeof(typename types::value)});
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete) return refuse("options.complete is refused with segments, keys and flags");
  const bool numbered = has_offsets(heads);
  if (!numbered && opts.total != nullptr) {
    return refuse(
        "options.total is a value a segment, and of keys and flags nobody knows how many "
        "there are");
  }
  if (!numbered && opts.init_pointer != nullptr) {
    return refuse(
        "options.init_pointer is a value a segment, and of keys and flags nobody knows "
        "how many there are");
  }
  std::int64_t n = heads.num_items;
  if (numbered) {
    if (const status checked = validate_heads(heads, largest, in_host_memory); !checked.ok()) {
      return checked;
    }
    if (num_segments_of(heads) == 0) n = 0;
  }
  const auto from = array_of(in.data);
  const auto to = array_of(out.data);
  if (const status checked = validate(from, to, n, 0); !checked.ok()) return checked;
  if (!numbered) {
    if (const status checked = validate_heads(heads, largest, in_host_memory); !checked.ok()) {
      return checked;
    }
  }
  const memory_range read(from, n), written(to, n);
  if (n > 0 && place_of(heads).bytes.overlaps(written)) {
    return refuse(numbered ? "the output overlaps segments.offsets"
                           : "the output overlaps the keys or flags");
  }
  if (const status checked = validate_counted(heads.counted, written); !checked.ok()) {
    return checked;
  }
  if constexpr (std::is_same_v<Heads, segment_heads>) {
    if (numbered) {
      if (const status checked =
              validate_segment_values(heads, read, written, opts.init_pointer, opts.total);
          !checked.ok()) {
        return checked;
      }
    }
  }
  const bool start_is_seen =
      (n > 0 && exclusive) || (opts.total != nullptr && num_segments_of(heads) > 0);
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (start_is_seen && !init_given && !has_identity<Op, typename types::accumulated>) {
    return refuse("options.init is missing: the operator has no identity");
  }
  return {};
}

/// Whether there is nothing to write.
template <class Heads>
bool writes_nothing(const Heads& heads) noexcept {
  return has_offsets(heads) ? num_segments_of(heads) == 0 : heads.num_items == 0;
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
