// What comes before the first element: the caller's init, or nothing.
#ifndef SCAN_SCAN_START_HPP
#define SCAN_SCAN_START_HPP

#include <optional>

#include "scan/operators.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/status.hpp"

namespace scan {

/// How a scan starts: the fold before the first element, and what an exclusive scan writes first
/// when there is none.
template <class T>
struct scan_start {
  prefix<T> init{};
  T first_output{};
};

/// Sets `start` from the caller's `init`; an error when an exclusive scan has nothing to start
/// with.
template <class Op, class T, class Out>
status validate_start(bool exclusive, const std::optional<Out>& init, scan_start<T>& start) {
  if (init) {
    start.init = {static_cast<T>(*init), true};
  } else if constexpr (has_identity<Op, T>) {
    start.first_output = Op::template identity<T>();
  } else if (exclusive) {
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
  return {};
}

}  // namespace scan

#endif
