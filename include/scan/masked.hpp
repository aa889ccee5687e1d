// Operators that see their operands with some bits inverted.
#ifndef SCAN_MASKED_HPP
#define SCAN_MASKED_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/host_device.hpp"
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

}  // namespace SCAN_ABI
}  // namespace scan

#endif
