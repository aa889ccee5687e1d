// The operator of a scan as its workers apply it.
#ifndef SCAN_APPLIED_HPP
#define SCAN_APPLIED_HPP

#include <type_traits>

#include "scan/accumulator.hpp"
#include "scan/host_device.hpp"
#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// A user's operator, for two accumulators giving one: what it returns is converted (of two
/// `signed char` a lambda returns an `int`). One whose call operator is not const is copied for
/// each call, since workers share it: it can keep nothing from call to call.
template <class Op, class T>
struct applied {
  Op op;
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE T operator()(const T& earlier, const T& later) const {
    if constexpr (is_held<T>) {
      return applied<Op, typename T::type>{op}(earlier.get(), later.get());
    } else if constexpr (std::is_invocable_v<const Op&, const T&, const T&>) {
      return convert<T>(op(earlier, later));
    } else {
      static_assert(
          std::is_invocable_v<Op&, const T&, const T&>,
          "scan: the operator does not take two values of the type that the scan computes "
          "in: the output's element type, or float where that is __half or __nv_bfloat16");
      Op copy = op;
      return convert<T>(copy(earlier, later));
    }
  }
};

/// `op` for the values of type T of a scan, in the order in which items are scanned. The library's
/// own operators stay what they are: kernels know them by their types.
template <bool reversed, class T, class Op>
auto in_scan_order(const Op& op) {
  using bound = std::conditional_t<is_own_operator<Op>, Op, applied<Op, T>>;
  if constexpr (reversed) {
    return flipped<bound>{{op}};
  } else {
    return bound{op};
  }
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
