// Linear recurrences, h[i] = a[i] * h[i-1] + b[i], as scans of maps h -> a * h + b.
#ifndef SCAN_CALL_RECURRENCE_MAPS_HPP
#define SCAN_CALL_RECURRENCE_MAPS_HPP

#include <limits>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/operands/accumulator.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What the states of a recurrence over elements of type `T` are kept in: float for the 16-bit
/// floats.
template <class T>
using state_t = std::conditional_t<is_narrow_float<T>, float, T>;

/// Whether there are recurrences over elements of type `T`.
template <class T>
inline constexpr bool has_recurrence =
    std::is_same_v<T, float> || std::is_same_v<T, double> || is_narrow_float<T>;

/// Whether what is read may become states that are written as `H`.
template <class B, class H>
inline constexpr bool is_read_as = std::is_same_v<B, H> ||
                                   (is_narrow_float<B> && std::is_same_v<H, float>);

/// Whether a recurrence goes from a and b to h with options of `Value`; the compiler's user is told
/// what it takes.
template <class A, class B, class H, class Value>
constexpr bool is_recurrence() noexcept {
  static_assert(has_recurrence<H>, "scan::recurrence takes float, double, __half, __nv_bfloat16");
  static_assert(std::is_same_v<A, B> && is_read_as<B, H>,
                "scan::recurrence: a, b and h have to be of one element type, or h of float and a "
                "and b of a 16-bit one; of 16-bit floats the states are kept in float, and "
                "options.total receives the last one unrounded");
  static_assert(std::is_same_v<Value, state_t<H>>,
                "scan::recurrence: its options are of the type of the states: of __half and "
                "__nv_bfloat16 options<float>, else of the element type");
  return has_recurrence<H> && std::is_same_v<A, B> && is_read_as<B, H> &&
         std::is_same_v<Value, state_t<H>>;
}

/// a * h + b; on a GPU with one rounding, which is also one instruction.
template <class S>
SCAN_HOST_DEVICE S multiply_add(S a, S h, S b) noexcept {
#ifdef __CUDA_ARCH__
  return fma(a, h, b);
#else
  return a * h + b;
#endif
}

/// The map h -> factor * h + offset, of one step or of several after each other.
///
/// A step whose factor is 0 begins the sequence anew: it gives its offset, whatever h is, be it
/// infinite or NaN. A map with such a step has a NaN for its factor, which products keep. (Not 0,
/// which products of small factors become; an infinite or NaN h has to go through these.)
template <class S>
struct affine_map {
  S factor, offset;

  SCAN_HOST_DEVICE S apply(S h) const noexcept {
    const S next = multiply_add(factor, h, offset);
    return factor != factor ? offset : next;
  }
};
template <class S>
inline constexpr S begins_anew = std::numeric_limits<S>::quiet_NaN();

/// One step, as it is read.
template <class S>
struct recurrence_step {
  S factor, offset;

  SCAN_HOST_DEVICE S apply(S h) const noexcept {
    const S next = multiply_add(factor, h, offset);
    return factor == 0 ? offset : next;
  }
  /// As a map. The first step of all, with no init before it, gives its offset whatever its factor
  /// is. (Else what a factor that is NaN makes of any h is a NaN.)
  SCAN_HOST_DEVICE affine_map<S> run(bool is_first) const noexcept {
    return {factor == 0 || is_first ? begins_anew<S> : factor,
            factor != factor && !is_first ? factor : offset};
  }
};

/// Maps one after another: first `earlier`, then `later`.
struct compose_maps {
  template <class S>
  SCAN_HOST_DEVICE affine_map<S> operator()(const affine_map<S>& earlier,
                                            const affine_map<S>& later) const noexcept {
    return {later.factor * earlier.factor, later.apply(earlier.offset)};
  }
  /// The same, of steps without a detour by their maps.
  template <class S>
  SCAN_HOST_DEVICE affine_map<S> operator()(const affine_map<S>& earlier,
                                            const recurrence_step<S>& next) const noexcept {
    return {next.factor == 0 ? begins_anew<S> : next.factor * earlier.factor,
            next.apply(earlier.offset)};
  }
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
