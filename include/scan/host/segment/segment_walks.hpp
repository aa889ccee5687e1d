// Where segments begin, for a CPU thread that goes through a part of the items: a byte an item.
//
// A walk numbers items as they are scanned: by offsets from the first segment's first element on
// (reversed: from the last segment's last), by keys and flags from element 0 on (n - 1). `mark`
// sets the flags of items [first, first + count), to 1 where a segment begins, or says that none
// does; `last_head` finds the last of these alone, -1 if there is none. Item 0 begins one always.
#ifndef SCAN_HOST_SEGMENT_SEGMENT_WALKS_HPP
#define SCAN_HOST_SEGMENT_SEGMENT_WALKS_HPP

#include <cstdint>
#include <cstring>

#include "scan/call/segment_heads.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// The last flag that is set; -1: none.
inline std::int64_t last_flag(const std::uint8_t* flags, std::int64_t count) {
  std::int64_t i = count;
  for (std::uint64_t eight; i >= 8; i -= 8) {
    std::memcpy(&eight, flags + i - 8, sizeof(eight));
    if (eight != 0) break;
  }
  while (i > 0 && flags[i - 1] == 0) --i;
  return i - 1;
}

/// By what libscan.a knows, offsets checked; compiled once. Of offsets, segments are numbered in
/// the order of the walk, and boundary j is the first item of segment j or, where that is empty, of
/// the next that is not.
class heads_walk {
 public:
  heads_walk(const segment_heads& heads, bool reversed) noexcept
      : heads_(heads), reversed_(reversed) {}

  /// The elements that are walked.
  std::int64_t begin() const { return has_offsets(heads_) ? offset(0) : 0; }
  std::int64_t end() const {
    return has_offsets(heads_) ? offset(heads_.num_segments) : heads_.num_items;
  }
  std::int64_t num_segments() const { return heads_.num_segments; }
  std::int64_t boundary(std::int64_t j) const {
    return reversed_ ? end() - offset(heads_.num_segments - j) : offset(j) - begin();
  }
  /// Boundaries j .. j + count - 1.
  void boundaries(std::int64_t j, std::int64_t count, std::int64_t* to) const noexcept;
  /// In the order of memory, which init_pointer and total are in.
  std::int64_t segment(std::int64_t j) const { return reversed_ ? heads_.num_segments - 1 - j : j; }
  /// The first boundary at `item` or behind; num_segments at most. 0 where there are none.
  std::int64_t boundary_from(std::int64_t item) const noexcept;

  /// `next`: boundary_from(first), which becomes that of the item behind.
  bool mark(std::int64_t first, std::int64_t count, std::uint8_t* flags,
            std::int64_t& next) const noexcept;
  std::int64_t last_head(std::int64_t first, std::int64_t count) const noexcept;

 private:
  std::int64_t offset(std::int64_t i) const {
    return are_wide_offsets(heads_.kind)
               ? static_cast<const std::int64_t*>(heads_.data)[i]
               : std::int64_t{static_cast<const std::uint32_t*>(heads_.data)[i]};
  }
  segment_heads heads_;
  bool reversed_;
};

/// By what neighbours say: `begins(i)` is whether element i begins a segment; i is not 0.
template <class Begins>
class element_walk {
 public:
  element_walk(const Begins& begins, std::int64_t num_items, bool reversed)
      : begins_(begins), num_items_(num_items), reversed_(reversed) {}

  std::int64_t begin() const { return 0; }
  std::int64_t end() const { return num_items_; }
  std::int64_t num_segments() const { return 0; }
  std::int64_t boundary(std::int64_t) const { return 0; }
  void boundaries(std::int64_t, std::int64_t count, std::int64_t* to) const {
    for (std::int64_t k = 0; k < count; ++k) to[k] = 0;
  }
  std::int64_t segment(std::int64_t j) const { return j; }
  std::int64_t boundary_from(std::int64_t) const { return 0; }

  bool mark(std::int64_t first, std::int64_t count, std::uint8_t* flags, std::int64_t&) const {
    if (first == 0) flags[0] = 1;
    // (Element i + 1 is the item before element i's in a walk from the end.)
    const std::int64_t from = first == 0 ? 1 : 0;
    if (reversed_) {
      for (std::int64_t i = from; i < count; ++i) flags[i] = begins_(num_items_ - first - i);
    } else {
      for (std::int64_t i = from; i < count; ++i) flags[i] = begins_(first + i);
    }
    return std::memchr(flags, 1, static_cast<std::size_t>(count)) != nullptr;
  }
  std::int64_t last_head(std::int64_t first, std::int64_t count) const {
    for (std::int64_t i = count - 1; i >= 0; --i) {
      const std::int64_t item = first + i;
      if (item == 0 || begins_(reversed_ ? num_items_ - item : item)) return i;
    }
    return -1;
  }

 private:
  Begins begins_;
  std::int64_t num_items_;
  bool reversed_;
};

template <class Keys, class Equal>
struct begins_by_keys {
  Keys keys;
  Equal equal;
  bool operator()(std::int64_t i) const { return !equal(keys[i - 1], keys[i]); }
};

template <class Keys, class Equal>
auto walk_of(const keyed_heads<Keys, Equal>& heads, bool reversed) {
  using begins = begins_by_keys<Keys, Equal>;
  return element_walk<begins>(begins{heads.keys, heads.equal}, heads.num_items, reversed);
}
inline heads_walk walk_of(const segment_heads& heads, bool reversed) noexcept {
  return {heads, reversed};
}

/// Checks offsets, and says how many items there are where the caller has left that to the last.
status resolve_heads(segment_heads& heads, int threads) noexcept;
template <class Keys, class Equal>
status resolve_heads(const keyed_heads<Keys, Equal>&, int) noexcept {
  return {};
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
