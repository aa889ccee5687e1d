// The type that a scan computes in, and the conversions on the way there and back.
#ifndef SCAN_OPERANDS_ACCUMULATOR_HPP
#define SCAN_OPERANDS_ACCUMULATOR_HPP

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>
#include <utility>

#include "scan/abi.hpp"
#include "scan/operands/held.hpp"
#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The 16-bit floating-point types, which nothing is computed in.
template <class T>
inline constexpr bool is_narrow_float =
    std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <>
inline constexpr bool has_nan<__half> = true;
template <>
inline constexpr bool has_nan<__nv_bfloat16> = true;

/// Whether a T is moved by moving its bytes. To be specialised for types of which that is true and
/// std::is_trivially_copyable does not say so: __half2 is one, std::pair of numbers another.
template <class T>
inline constexpr bool moves_as_bytes = std::is_trivially_copyable_v<T>;
template <>
inline constexpr bool moves_as_bytes<__half2> = true;
template <>
inline constexpr bool moves_as_bytes<__nv_bfloat162> = true;

/// Elements are converted to the output's type before the operator sees them; sums of 16-bit
/// floating-point numbers are kept in float and rounded once per output.
template <class In, class Out>
struct accumulator {
  static_assert(moves_as_bytes<In> && moves_as_bytes<Out>,
                "scan moves elements as bytes: they have to be trivially copyable, or "
                "scan::moves_as_bytes specialised for them");
  static_assert(sizeof(In) <= 64 && sizeof(Out) <= 64, "scan takes elements of up to 64 bytes");
  using type = std::conditional_t<is_narrow_float<Out>, float, held_t<Out>>;
};

template <class In, class Out>
using accumulator_t = typename accumulator<In, Out>::type;

/// `static_cast<To>(x)`, also where the operators of the 16-bit floats are switched off
/// (`__CUDA_NO_HALF_CONVERSIONS__`). To nearest even.
SCAN_CALLS_EITHER_SIDE
template <class To, class From>
SCAN_HOST_DEVICE To convert(const From& x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (is_held<From>) {
    return convert<To>(x.get());
  } else if constexpr (is_held<To>) {
    return convert<typename To::type>(x);
  } else if constexpr (std::is_same_v<From, __half>) {
    return convert<To>(__half2float(x));
  } else if constexpr (std::is_same_v<From, __nv_bfloat16>) {
    return convert<To>(__bfloat162float(x));
  } else if constexpr (std::is_same_v<To, __half>) {
    return __float2half_rn(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, __nv_bfloat16>) {
    return __float2bfloat16_rn(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

/// Whether `convert<To>` of a `From` cannot throw.
template <class To, class From>
constexpr bool converts_nothrow() noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return true;  // a copy of bytes
  } else if constexpr (is_narrow_float<From>) {
    return converts_nothrow<To, float>();
  } else if constexpr (is_narrow_float<To>) {
    return converts_nothrow<float, From>();
  } else {
    return noexcept(static_cast<To>(std::declval<const From&>()));
  }
}

/// Identities of types that are no numbers of the language, but stand for such or for a user's own.
template <class Op>
inline constexpr bool has_identity<Op, __half> = is_own_operator<Op>&& has_identity<Op, float>;
template <class Op>
inline constexpr bool has_identity<Op, __nv_bfloat16> =
    is_own_operator<Op>&& has_identity<Op, float>;
template <class Op, class T>
inline constexpr bool has_identity<Op, held<T>> = has_identity<Op, T>;

/// The identity of `Op`, which has one.
template <class Op, class T>
T identity_of() {
  if constexpr (is_held<T>) {
    return identity_of<Op, typename T::type>();
  } else if constexpr (is_narrow_float<T>) {
    return convert<T>(Op::template identity<float>());
  } else {
    return Op::template identity<T>();
  }
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
