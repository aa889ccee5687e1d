// A compaction as the device and CPU threads are given it: which elements are kept, and what is
// written of them. What scans fold is how many are kept, and of runs also where the last began.
#ifndef SCAN_CALL_COMPACTION_PROBLEM_HPP
#define SCAN_CALL_COMPACTION_PROBLEM_HPP

#include <cstdint>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/operands/held.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

// ---- which elements are kept: `keeps(items, i)` of element i of the call ----

/// In place of elements, where flags alone are read.
struct no_items {};

/// Those whose flag is not 0: a byte each, or bit i % 32 of the std::uint32_t i / 32.
struct flag_marks {
  static constexpr bool of_items = false, of_two = false;
  const void* data;
  bool are_bits;

  SCAN_HOST_DEVICE bool keeps(std::int64_t i) const {
    return are_bits ? (static_cast<const std::uint32_t*>(data)[i / 32] >> i % 32 & 1) != 0
                    : static_cast<const std::uint8_t*>(data)[i] != 0;
  }
};

/// Those that a predicate is true of.
template <class Predicate>
struct predicate_marks {
  static constexpr bool of_items = true, of_two = false;
  Predicate predicate;

  SCAN_CALLS_EITHER_SIDE
  template <class Item>
  SCAN_HOST_DEVICE bool keeps(const Item& item) const {
    if constexpr (is_held<Item>) {
      return keeps(item.get());
    } else if constexpr (std::is_invocable_v<const Predicate&, const Item&>) {
      return static_cast<bool>(predicate(item));
    } else {
      Predicate copy = predicate;
      return static_cast<bool>(copy(item));
    }
  }
};

/// The first one, and those that do not equal the one before.
template <class Equal>
struct run_marks {
  static constexpr bool of_items = true, of_two = true;
  shared_equality<Equal> equal;

  SCAN_CALLS_EITHER_SIDE
  template <class Item>
  SCAN_HOST_DEVICE bool keeps(const Item& before, const Item& item) const {
    return !equal(before, item);
  }
};

// ---- what is written: of the k-th that is kept in place k ----

/// Elements.
template <class Item>
struct kept_items {
  using moved = Item;
  static constexpr bool has_lengths = false, has_rejected = false;
  Item* kept;
};
/// Elements, and those that are not kept to another array.
template <class Item>
struct split_items {
  using moved = Item;
  static constexpr bool has_lengths = false, has_rejected = true;
  Item *kept, *rejected;
};
/// Where they are.
template <class Int>
struct kept_positions {
  using moved = Int;
  static constexpr bool has_lengths = false, has_rejected = false;
  Int* kept;
};
/// Elements that begin runs, and how long these are.
template <class Item, class Int>
struct kept_runs {
  using moved = Item;
  static constexpr bool has_lengths = true, has_rejected = false;
  Item* kept;
  Int* lengths;
};

// ---- folds ----

/// How many of some elements are kept. `Int`: of all elements before some, or of those that a GPU's
/// workers look at together.
template <class Int>
struct kept_count {
  Int count;

  SCAN_HOST_DEVICE static kept_count none() { return {0}; }
  SCAN_HOST_DEVICE static kept_count of(bool is_kept) { return {is_kept ? 1 : 0}; }
  template <class Other>
  SCAN_HOST_DEVICE kept_count then(const kept_count<Other>& later) const {
    return {count + later.count};
  }
  template <class Wide>
  SCAN_HOST_DEVICE explicit operator kept_count<Wide>() const {
    return {count};
  }
};
/// And how many there are from the last of these on, itself included; of none, how many there are.
template <class Int>
struct kept_until {
  Int count, open;

  SCAN_HOST_DEVICE static kept_until none() { return {0, 0}; }
  SCAN_HOST_DEVICE static kept_until of(bool is_kept) { return {is_kept ? 1 : 0, 1}; }
  template <class Other>
  SCAN_HOST_DEVICE kept_until then(const kept_until<Other>& later) const {
    return {count + later.count, later.count > 0 ? Int{later.open} : open + later.open};
  }
  template <class Wide>
  SCAN_HOST_DEVICE explicit operator kept_until<Wide>() const {
    return {count, open};
  }
};
/// The operator of either.
struct join_kept {
  template <class T>
  SCAN_HOST_DEVICE T operator()(const T& earlier, const T& later) const {
    return earlier.then(later);
  }
};

/// `Marks` and `Results` are of those above; `Item`: of the input, or no_items.
template <class Item_, class Marks_, class Results_>
struct compaction {
  using Item = Item_;
  using Marks = Marks_;
  using Results = Results_;
  template <class Int>
  using fold = std::conditional_t<Results::has_lengths, kept_until<Int>, kept_count<Int>>;
  using T = fold<std::int64_t>;
  static constexpr bool has_items = !std::is_same_v<Item, no_items>;
  static constexpr bool moves_items = std::is_same_v<Item, typename Results::moved> && has_items;

  const Item* in;
  Marks marks;
  Results to;
  std::int64_t num_items;                 // at most, where `num_items_pointer` says how many
  const std::int64_t* num_items_pointer;  // or null
  std::int64_t capacity;                  // of each array that is written
  std::int64_t* count;                    // or null

  /// How many of `wanted` results from place `first` on there is room for.
  SCAN_HOST_DEVICE std::int64_t room(std::int64_t first, std::int64_t wanted) const {
    const std::int64_t left = capacity - first;
    return left < 0 ? 0 : left < wanted ? left : wanted;
  }
  /// What is known when all have been counted. Of `end.count` runs the last one ends with the
  /// elements.
  SCAN_HOST_DEVICE void write_end(const T& end) const {
    if (count != nullptr) *count = end.count;
    if constexpr (Results::has_lengths) write_length(end.count - 1, end.open);
  }
  /// How long run `run` is, if there is one, and room for it.
  SCAN_HOST_DEVICE void write_length(std::int64_t run, std::int64_t length) const {
    if (run < 0 || run >= capacity) return;
    to.lengths[run] = static_cast<std::decay_t<decltype(to.lengths[0])>>(length);
  }
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
