// The type that a scan computes in, and the conversions on the way there and back.
#ifndef SCAN_ACCUMULATOR_HPP
#define SCAN_ACCUMULATOR_HPP

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>
#include <utility>

#include "scan/host_device.hpp"

namespace scan {

/// The 16-bit floating-point types, which nothing is computed in.
template <class T>
inline constexpr bool is_narrow_float =
    std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// Elements are converted to the output's type before the operator sees them; sums of 16-bit
/// floating-point numbers are kept in float and rounded once per output.
template <class In, class Out>
struct accumulator {
  static_assert(std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>,
                "scan moves elements as bytes: they have to be trivially copyable");
  static_assert(std::is_default_constructible_v<In> && std::is_default_constructible_v<Out>,
                "scan needs room for elements before it has them: a default constructor");
  static_assert(sizeof(In) <= 64 && sizeof(Out) <= 64, "scan takes elements of up to 64 bytes");
  using type = std::conditional_t<is_narrow_float<Out>, float, Out>;
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

}  // namespace scan

#endif
