// Operators of a scan. Any associative callable `T op(T earlier, T later)` will do; these are the
// ones that libscan.a holds prebuilt kernels for.
//
// T is the accumulator: the output's element type, or float where that is __half or __nv_bfloat16
// (an operator that takes __half gets its operands converted, and its results back, each time), or
// what accumulate_in says. Functors of <functional> and libcu++ are taken for these where they say
// the same: see functors.hpp.
// What an operator returns is converted to T. It may have a call operator that is not const, but
// keeps nothing from call to call: see `applied`.
#ifndef SCAN_OPERATORS_HPP
#define SCAN_OPERATORS_HPP

#include <type_traits>

#include "scan/abi.hpp"
#include "scan/operands/numbers.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Sum. Integers wrap around (two's complement), signed ones included.
struct SCAN_SHOWN plus {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& earlier,
                                                               const T& later) const
      noexcept(noexcept(earlier + later)) {
    if constexpr (is_integer<T>) {
      using U = wrapping_t<T>;
      return static_cast<T>(static_cast<U>(earlier) + static_cast<U>(later));
    } else {
      return earlier + later;
    }
  }
  /// -0.0 for floating-point types: +0.0 + -0.0 would lose the sign of a leading -0.0.
  template <class T>
  SCAN_HIDDEN_TEMPLATE static constexpr std::enable_if_t<is_number<T>, T> identity() noexcept {
    if constexpr (std::is_floating_point_v<T>) return -T{0};
    return T{0};
  }
};

/// Product. Integers wrap around, as in `plus`.
struct SCAN_SHOWN multiplies {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& earlier,
                                                               const T& later) const
      noexcept(noexcept(earlier* later)) {
    if constexpr (is_integer<T>) {
      using U = wrapping_t<T>;
      return static_cast<T>(static_cast<U>(earlier) * static_cast<U>(later));
    } else {
      return earlier * later;
    }
  }
  template <class T>
  SCAN_HIDDEN_TEMPLATE static constexpr std::enable_if_t<is_number<T>, T> identity() noexcept {
    return T{1};
  }
};

/// Smallest so far. The first NaN met stays; of equal values the earlier one (so of -0.0 and +0.0).
struct SCAN_SHOWN minimum {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& earlier,
                                                               const T& later) const
      noexcept(noexcept(later < earlier)) {
    // Comparisons with NaN are false, and NaN alone is unequal to itself: a later NaN gets in, and
    // nothing gets past an earlier one.
    if constexpr (has_nan<T>) {
      return earlier == earlier && !(earlier <= later) ? later : earlier;
    } else {
      return later < earlier ? later : earlier;
    }
  }
  /// None for types without limits: `T{}` is no upper bound.
  template <class T>
  SCAN_HIDDEN_TEMPLATE static constexpr std::enable_if_t<has_limits<T>, T> identity() noexcept {
    return highest_number<T>();
  }
};

/// Largest so far. The first NaN met stays; of equal values the earlier one (so of -0.0 and +0.0).
struct SCAN_SHOWN maximum {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& earlier,
                                                               const T& later) const
      noexcept(noexcept(earlier < later)) {
    if constexpr (has_nan<T>) {
      return earlier == earlier && !(earlier >= later) ? later : earlier;
    } else {
      return earlier < later ? later : earlier;
    }
  }
  template <class T>
  SCAN_HIDDEN_TEMPLATE static constexpr std::enable_if_t<has_limits<T>, T> identity() noexcept {
    return lowest_number<T>();
  }
};

/// Bitwise operators, of integers.
struct SCAN_SHOWN bit_and {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& earlier,
                                                               const T& later) const
      noexcept(noexcept(earlier& later)) {
    return static_cast<T>(earlier & later);
  }
  template <class T>
  SCAN_HIDDEN_TEMPLATE static constexpr std::enable_if_t<is_integer<T>, T> identity() noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else {
      return static_cast<T>(~T{0});
    }
  }
};
struct SCAN_SHOWN bit_or {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& earlier,
                                                               const T& later) const
      noexcept(noexcept(earlier | later)) {
    return static_cast<T>(earlier | later);
  }
  template <class T>
  SCAN_HIDDEN_TEMPLATE static constexpr std::enable_if_t<is_integer<T>, T> identity() noexcept {
    return T{0};
  }
};
struct SCAN_SHOWN bit_xor {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& earlier,
                                                               const T& later) const
      noexcept(noexcept(earlier ^ later)) {
    return static_cast<T>(earlier ^ later);
  }
  template <class T>
  SCAN_HIDDEN_TEMPLATE static constexpr std::enable_if_t<is_integer<T>, T> identity() noexcept {
    return T{0};
  }
};

/// Whether `Op` is one of the operators above.
template <class Op>
inline constexpr bool is_own_operator =
    std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> || std::is_same_v<Op, minimum> ||
    std::is_same_v<Op, maximum> || std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or> ||
    std::is_same_v<Op, bit_xor>;

/// True when `Op` has `template <class T> static T identity()`, which an exclusive scan without an
/// `init` writes as its first output.
template <class Op, class T, class = void>
inline constexpr bool has_identity = false;
template <class Op, class T>
inline constexpr bool has_identity<Op, T, std::void_t<decltype(Op::template identity<T>())>> = true;

/// `op` for a sequence that is walked from its end: what comes first there is later in memory.
template <class Op>
struct SCAN_SHOWN flipped {
  Op op;
  SCAN_CALLS_EITHER_SIDE
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& walked,
                                                               const T& next) const {
    return op(next, walked);
  }
};
template <class Op>
inline constexpr bool is_own_operator<flipped<Op>> = is_own_operator<Op>;

// ---- An operator together with the type that a scan is to compute in.

/// What accumulate_in makes.
template <class T, class Op>
struct SCAN_SHOWN accumulating {
  Op op;
};

/// `op` of numbers of type T, whatever the output's type is: `accumulate_in<double>(scan::plus{})`
/// sums floats in double and rounds each output once; `accumulate_in<__half>(scan::plus{})` rounds
/// each sum to `__half`, as CUB does. Init and total keep the output's type; with a function on the
/// way out, which is given a T, they are a T too.
template <class T, class Op = plus>
constexpr accumulating<T, Op> accumulate_in(Op op = {}) {
  static_assert(std::is_same_v<T, std::decay_t<T>>, "scan::accumulate_in<T>: T is a plain type");
  return {op};
}

/// What a scan computes in by `Op`'s wish, or void; and the operator itself.
template <class Op>
struct wished {
  using accumulated = void;
  using op = Op;
  static const op& bare(const Op& given) { return given; }
};
template <class T, class Op>
struct wished<accumulating<T, Op>> {
  using accumulated = T;
  using op = Op;
  static const op& bare(const accumulating<T, Op>& given) { return given.op; }
};

/// `Output` of a scan that computes in T.
template <class Output, class T>
struct accumulated_output : Output {
  using accumulated = T;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
