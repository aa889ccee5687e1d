// A compaction as the device and CPU threads are given it: which elements are kept, and what is
// written of them.
#ifndef SCAN_CALL_COMPACTION_PROBLEM_HPP
#define SCAN_CALL_COMPACTION_PROBLEM_HPP

#include <cstdint>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/call/compaction_fold.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/operands/accumulator.hpp"
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
  static constexpr bool has_lengths = false, has_rejected = false, has_folds = false;
  template <class Count>
  using fold = kept_count<Count>;
  Item* kept;
};
/// Elements, and those that are not kept to another array.
template <class Item>
struct split_items {
  using moved = Item;
  static constexpr bool has_lengths = false, has_rejected = true, has_folds = false;
  template <class Count>
  using fold = kept_count<Count>;
  Item *kept, *rejected;
};
/// Where they are.
template <class Int>
struct kept_positions {
  using moved = Int;
  static constexpr bool has_lengths = false, has_rejected = false, has_folds = false;
  template <class Count>
  using fold = kept_count<Count>;
  Int* kept;
};
/// Elements that begin runs, and how long these are.
template <class Item, class Int>
struct kept_runs {
  using moved = Item;
  static constexpr bool has_lengths = true, has_rejected = false, has_folds = false;
  template <class Count>
  using fold = kept_until<Count>;
  Item* kept;
  Int* lengths;
};
/// Elements that begin runs, and what the values of these fold to.
template <class Item, class In, class Out, class Op>
struct folded_runs {
  using moved = Item;
  using given = In;
  using value = accumulator_t<In, Out>;
  /// Whether folds may lie where values do, and leave from there.
  static constexpr bool folds_in_place = std::is_same_v<In, value> && std::is_same_v<Out, value>;
  static constexpr bool has_lengths = false, has_rejected = false, has_folds = true;
  template <class Count>
  using fold = kept_fold<Count, value>;
  Item* kept;
  const In* values;
  Out* folds;
  Op op;  // as workers apply it, to two of `value`
};

/// `Marks` and `Results` are of those above; `Item`: of the input, or no_items.
template <class Item_, class Marks_, class Results_>
struct compaction {
  using Item = Item_;
  using Marks = Marks_;
  using Results = Results_;
  template <class Int>
  using fold = typename Results::template fold<Int>;
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

  /// Joins the folds of elements and of those after them.
  SCAN_HOST_DEVICE auto join() const {
    if constexpr (Results::has_folds) {
      return join_folds<decltype(to.op)>{to.op};
    } else {
      return join_kept{};
    }
  }
  /// How many of `wanted` results from place `first` on there is room for.
  SCAN_HOST_DEVICE std::int64_t room(std::int64_t first, std::int64_t wanted) const {
    const std::int64_t left = capacity - first;
    return left < 0 ? 0 : left < wanted ? left : wanted;
  }
  /// What is known when all have been counted. Of `end.count` runs the last one ends with the
  /// elements.
  SCAN_HOST_DEVICE void write_end(const T& end) const {
    if (count != nullptr) *count = end.num_kept();
    if constexpr (Results::has_lengths) write_length(end.count - 1, end.open);
    if constexpr (Results::has_folds) write_fold(end.count - 1, end.open);
  }
  /// How long run `run` is, if there is one, and room for it.
  SCAN_HOST_DEVICE void write_length(std::int64_t run, std::int64_t length) const {
    if (run < 0 || run >= capacity) return;
    to.lengths[run] = static_cast<std::decay_t<decltype(to.lengths[0])>>(length);
  }
  /// What its values fold to, likewise.
  SCAN_CALLS_EITHER_SIDE
  template <class V>
  SCAN_HOST_DEVICE void write_fold(std::int64_t run, const V& folded) const {
    if (run < 0 || run >= capacity) return;
    to.folds[run] = convert<std::decay_t<decltype(to.folds[0])>>(folded);
  }
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
