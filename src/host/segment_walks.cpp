#include "scan/host/segment/segment_walks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "scan/host/workers.hpp"
#include "scan/segmented.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {
namespace {

/// Plain keys are bits, whatever type the caller has for them.
template <class Bits>
struct begins_by_bits {
  const char* keys;
  Bits key(std::int64_t i) const {
    Bits bits;
    std::memcpy(&bits, keys + i * std::int64_t{sizeof(Bits)}, sizeof(bits));
    return bits;
  }
  bool operator()(std::int64_t i) const { return key(i - 1) != key(i); }
};
struct begins_by_bytes {
  const unsigned char* flags;
  bool operator()(std::int64_t i) const { return flags[i] != 0; }
};
struct begins_by_flag_bits {
  const std::uint32_t* words;
  bool operator()(std::int64_t i) const { return (words[i / 32] >> (i % 32) & 1) != 0; }
};

/// mark of an element_walk, of bits: eight at a time.
bool mark_bits(const std::uint32_t* words, std::int64_t num_items, bool reversed,
               std::int64_t first, std::int64_t count, std::uint8_t* flags) {
  // (Item 0 of all is a head without a flag to say so: reversed, it would be that of element n.)
  const element_walk walk(begins_by_flag_bits{words}, num_items, reversed);
  std::int64_t i = 0, next = 0;
  const std::int64_t whole = first == 0 ? std::min<std::int64_t>(count, 8) : 0;
  walk.mark(first, whole, flags, next);
  std::uint64_t any = first == 0 ? 1 : 0;
  for (i = whole; i + 8 <= count; i += 8) {
    const std::int64_t element = reversed ? num_items - first - i - 7 : first + i;
    const std::int64_t word = element / 32, last_word = (element + 7) / 32;
    const std::uint64_t two = words[word] | std::uint64_t{words[last_word]} << 32;
    const std::uint64_t eight = two >> (element % 32) & 0xff;
    // A copy in each byte, of which it keeps its own bit; byte 0 has the item that comes first.
    const std::uint64_t own = reversed ? 0x0102040810204080u : 0x8040201008040201u;
    const std::uint64_t bits = eight * 0x0101010101010101u & own;
    const std::uint64_t bytes = (bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
    std::memcpy(flags + i, &bytes, sizeof(bytes));
    any |= bytes;
  }
  for (; i < count; ++i) {
    flags[i] = begins_by_flag_bits{words}(reversed ? num_items - first - i : first + i) ? 1 : 0;
    any |= flags[i];
  }
  return any != 0;
}

/// Calls `with` the walk of keys or flags.
template <class With>
auto visit(const segment_heads& heads, bool reversed, With with) {
  const auto by = [&](auto begins) {
    return with(element_walk<decltype(begins)>(begins, heads.num_items, reversed));
  };
  const auto* const bytes = static_cast<const char*>(heads.data);
  switch (heads.kind) {
    case head_kind::keys_8:
      return by(begins_by_bits<std::uint8_t>{bytes});
    case head_kind::keys_16:
      return by(begins_by_bits<std::uint16_t>{bytes});
    case head_kind::keys_32:
      return by(begins_by_bits<std::uint32_t>{bytes});
    case head_kind::keys_64:
      return by(begins_by_bits<std::uint64_t>{bytes});
    case head_kind::flag_bytes:
      return by(begins_by_bytes{static_cast<const unsigned char*>(heads.data)});
    default:
      return by(begins_by_flag_bits{static_cast<const std::uint32_t*>(heads.data)});
  }
}

/// Sets the flags of items from `next` on; `item_of(j)` is boundary j in the block.
template <class ItemOf>
void mark_boundaries(std::int64_t count, std::uint8_t* flags, std::int64_t num_segments,
                     std::int64_t& next, ItemOf item_of) {
  std::int64_t j = next;
  for (; j + 4 <= num_segments && item_of(j + 3) < count; j += 4) {
    for (int k = 0; k < 4; ++k) flags[item_of(j + k)] = 1;
  }
  for (std::int64_t item; j < num_segments && (item = item_of(j)) < count; ++j) flags[item] = 1;
  next = j;
}
template <class Offset>
void mark_offsets(const Offset* offsets, std::int64_t num_segments, bool reversed,
                  std::int64_t first, std::int64_t count, std::uint8_t* flags, std::int64_t& next) {
  if (reversed) {
    const std::int64_t last = offsets[num_segments] - first;
    mark_boundaries(count, flags, num_segments, next,
                    [=](std::int64_t j) { return last - offsets[num_segments - j]; });
  } else {
    const std::int64_t begin = offsets[0] + first;
    mark_boundaries(count, flags, num_segments, next,
                    [=](std::int64_t j) { return offsets[j] - begin; });
  }
}

}  // namespace

void heads_walk::boundaries(std::int64_t j, std::int64_t count, std::int64_t* to) const noexcept {
  const std::int64_t begin = this->begin(), end = this->end(), last = heads_.num_segments - j;
  const auto fill = [&](const auto* offsets) {
    for (std::int64_t k = 0; k < count; ++k) {
      to[k] = reversed_ ? end - offsets[last - k] : offsets[j + k] - begin;
    }
  };
  if (are_wide_offsets(heads_.kind)) {
    fill(static_cast<const std::int64_t*>(heads_.data));
  } else {
    fill(static_cast<const std::uint32_t*>(heads_.data));
  }
}

std::int64_t heads_walk::boundary_from(std::int64_t item) const noexcept {
  if (!has_offsets(heads_)) return 0;
  std::int64_t before = -1, from = heads_.num_segments;
  while (from - before > 1) {
    const std::int64_t middle = before + (from - before) / 2;
    (boundary(middle) < item ? before : from) = middle;
  }
  return from;
}

bool heads_walk::mark(std::int64_t first, std::int64_t count, std::uint8_t* flags,
                      std::int64_t& next) const noexcept {
  if (heads_.kind == head_kind::flag_bits) {
    return mark_bits(static_cast<const std::uint32_t*>(heads_.data), heads_.num_items, reversed_,
                     first, count, flags);
  }
  if (!has_offsets(heads_)) {
    return visit(heads_, reversed_,
                 [&](const auto& walk) { return walk.mark(first, count, flags, next); });
  }
  std::memset(flags, 0, static_cast<std::size_t>(count));
  const std::int64_t before = next;
  if (are_wide_offsets(heads_.kind)) {
    mark_offsets(static_cast<const std::int64_t*>(heads_.data), heads_.num_segments, reversed_,
                 first, count, flags, next);
  } else {
    mark_offsets(static_cast<const std::uint32_t*>(heads_.data), heads_.num_segments, reversed_,
                 first, count, flags, next);
  }
  return next != before;
}

std::int64_t heads_walk::last_head(std::int64_t first, std::int64_t count) const noexcept {
  if (!has_offsets(heads_)) {
    return visit(heads_, reversed_, [&](const auto& walk) { return walk.last_head(first, count); });
  }
  const std::int64_t last = boundary_from(first + count) - 1;
  return last < 0 ? -1 : std::max<std::int64_t>(boundary(last) - first, -1);
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan
