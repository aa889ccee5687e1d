// A value that may be absent: the fold of no elements, for operators that have no identity.
#ifndef SCAN_PROTOCOL_PREFIX_HPP
#define SCAN_PROTOCOL_PREFIX_HPP

#include <type_traits>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The fold of a run of elements; `value` means something only if `exists`.
template <class T>
struct prefix {
  T value;
  bool exists;
};

/// Nothing that all items have in common.
struct no_constants {};

/// The fold of two adjacent runs. The operator never sees an absent side.
SCAN_CALLS_EITHER_SIDE
template <class T, class Op>
SCAN_HOST_DEVICE prefix<T> join(const prefix<T>& earlier, const prefix<T>& later, Op op) {
  if (!earlier.exists) return later;
  if (!later.exists) return earlier;
  return {static_cast<T>(op(earlier.value, later.value)), true};
}

/// The fold of one item. Of what is not a T yet it may matter whether the item is the first of all,
/// or something may precede it: see recurrence_step.
SCAN_CALLS_EITHER_SIDE
template <class T, class Item>
SCAN_HOST_DEVICE T run_of(const Item& item, [[maybe_unused]] bool is_first) {
  if constexpr (std::is_convertible_v<const Item&, T>) {
    return static_cast<T>(item);
  } else {
    return item.run(is_first);
  }
}

/// The fold of all items up to `item`, which comes after `run`.
SCAN_CALLS_EITHER_SIDE
template <class T, class Item, class Op>
SCAN_HOST_DEVICE prefix<T> extend(const prefix<T>& run, const Item& item, Op op) {
  if (!run.exists) return {run_of<T>(item, true), true};
  return {static_cast<T>(op(run.value, item)), true};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
