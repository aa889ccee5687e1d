// The operator of a scan as its workers apply it, also to operands with some bits inverted.
#ifndef SCAN_OPERANDS_APPLIED_HPP
#define SCAN_OPERANDS_APPLIED_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/operands/accumulator.hpp"
#include "scan/operands/numbers.hpp"
#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// `Op` of operands that masked_by has taken out of the elements' order and takes back there: one
/// kernel serves all masks.
template <class Op, class T>
struct masked {
  using bits = std::conditional_t<sizeof(T) <= 2,
                                  std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  bits mask;

  SCAN_HOST_DEVICE constexpr T operator()(const T& earlier, const T& later) const
      noexcept(noexcept(Op{}(earlier, later))) {
    return Op{}(earlier, later);
  }
  /// Of masked operands.
  template <class U>
  static constexpr U identity() noexcept {
    return Op::template identity<U>();
  }
};

/// A kernel knows it by its type, like the operator it is made of.
template <class Op, class T>
inline constexpr bool is_own_operator<masked<Op, T>> = is_own_operator<Op>;

/// The minimum of values that are in its order once masked, and the union of bits, likewise.
template <class T>
using least = masked<minimum, T>;
template <class T>
using either = masked<bit_or, T>;

/// `x` as an operand of `op`, or an operand as what it was: the same step.
template <class Op, class T>
SCAN_HOST_DEVICE const T& masked_by(const Op&, const T& x) {
  return x;
}
template <class Op, class T>
SCAN_HOST_DEVICE T masked_by(const masked<Op, T>& op, const T& x) {
  typename masked<Op, T>::bits bits;
  std::memcpy(&bits, &x, sizeof(T));
  bits = static_cast<decltype(bits)>(bits ^ op.mask);
  T result;
  std::memcpy(&result, &bits, sizeof(T));
  return result;
}
template <class Op, class T>
SCAN_HOST_DEVICE auto masked_by(const flipped<Op>& op, const T& x)
    -> decltype(masked_by(op.op, x)) {
  return masked_by(op.op, x);
}

/// The operator that works on operands as they are.
template <class Op>
const Op& unmasked(const Op& op) {
  return op;
}
template <class Op, class T>
Op unmasked(const masked<Op, T>&) {
  return {};
}
template <class Op, class T>
flipped<Op> unmasked(const flipped<masked<Op, T>>&) {
  return {};
}

// ---- The operator of a scan as its workers apply it.

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
/// own operators stay what they are: kernels know them by their types. What these make of two
/// integers, and sums of two numbers, is the same either way (but for which NaN of two it is), and
/// so the kernels may be.
template <bool reversed, class T, class Op>
auto in_scan_order(const Op& op) {
  using bound = std::conditional_t<is_own_operator<Op>, Op, applied<Op, T>>;
  constexpr bool commutes =
      (std::is_same_v<Op, plus> && is_number<T>) || (is_own_operator<Op> && is_integer<T>);
  if constexpr (reversed && !commutes) {
    return flipped<bound>{{op}};
  } else {
    return bound{op};
  }
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
