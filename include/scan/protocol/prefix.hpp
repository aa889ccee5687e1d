// A value that may be absent: the fold of no elements, for operators that have no identity.
#ifndef SCAN_PROTOCOL_PREFIX_HPP
#define SCAN_PROTOCOL_PREFIX_HPP

#include "scan/abi.hpp"
#include "scan/host_device.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The fold of a run of elements; `value` means something only if `exists`.
template <class T>
struct prefix {
  T value;
  bool exists;
};

/// The fold of two adjacent runs. The operator never sees an absent side.
SCAN_CALLS_EITHER_SIDE
template <class T, class Op>
SCAN_HOST_DEVICE prefix<T> join(const prefix<T>& earlier, const prefix<T>& later, Op op) {
  if (!earlier.exists) return later;
  if (!later.exists) return earlier;
  return {static_cast<T>(op(earlier.value, later.value)), true};
}

/// The fold of a run and of the item after it, which need not be a T yet.
SCAN_CALLS_EITHER_SIDE
template <class T, class Item, class Op>
SCAN_HOST_DEVICE prefix<T> extend(const prefix<T>& run, const Item& item, Op op) {
  if (!run.exists) return {static_cast<T>(item), true};
  return {static_cast<T>(op(run.value, item)), true};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
