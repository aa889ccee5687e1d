// A value that may be absent: the fold of no elements, for operators that have no identity.
#ifndef SCAN_PROTOCOL_PREFIX_HPP
#define SCAN_PROTOCOL_PREFIX_HPP

#include "scan/host_device.hpp"

namespace scan {

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

}  // namespace scan

#endif
