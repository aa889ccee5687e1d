// The type that a scan computes in, and the conversions on the way there and back.
#ifndef SCAN_ACCUMULATOR_HPP
#define SCAN_ACCUMULATOR_HPP

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "scan/host_device.hpp"

namespace scan {

/// Elements are converted to the output's type before the operator sees them; sums of 16-bit
/// floating-point numbers are kept in float and rounded once per output.
template <class In, class Out>
struct accumulator {
  static_assert(std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>,
                "scan moves elements as bytes: they have to be trivially copyable");
  static_assert(std::is_default_constructible_v<In> && std::is_default_constructible_v<Out>,
                "scan needs room for elements before it has them: a default constructor");
  static_assert(sizeof(In) <= 64 && sizeof(Out) <= 64, "scan takes elements of up to 64 bytes");
  static constexpr bool narrow = std::is_same_v<Out, __half> || std::is_same_v<Out, __nv_bfloat16>;
  using type = std::conditional_t<narrow, float, Out>;
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

}  // namespace scan

#endif
