// What libscan.a holds, and how a call finds out whether it is there.
#ifndef SCAN_PREBUILT_HPP
#define SCAN_PREBUILT_HPP

#include <cstdint>
#include <type_traits>

#include "scan/accumulator.hpp"
#include "scan/operators.hpp"
#include "scan/prebuilt_set.hpp"  // written by the build: SCAN_PREBUILT_* are 0 or 1
#include "scan/transform.hpp"

// entry(In, Out, operator) for every pair of element types; a new one is one row. Macros, because
// an explicit instantiation knows no lists.
#define SCAN_SAME_INTEGERS(entry, op)                                                   \
  entry(std::int8_t, std::int8_t, op) entry(std::uint8_t, std::uint8_t, op)             \
      entry(std::int16_t, std::int16_t, op) entry(std::uint16_t, std::uint16_t, op)     \
          entry(std::int32_t, std::int32_t, op) entry(std::uint32_t, std::uint32_t, op) \
              entry(std::int64_t, std::int64_t, op) entry(std::uint64_t, std::uint64_t, op)
#define SCAN_SAME_FLOATS(entry, op)                                           \
  entry(float, float, op) entry(double, double, op) entry(__half, __half, op) \
      entry(__nv_bfloat16, __nv_bfloat16, op)
#define SCAN_MIXED_INTEGERS(entry, op)                                             \
  entry(std::uint8_t, std::int32_t, op) entry(std::uint8_t, std::uint32_t, op)     \
      entry(std::uint8_t, std::int64_t, op) entry(std::uint8_t, std::uint64_t, op) \
          entry(std::int32_t, std::int64_t, op) entry(std::uint32_t, std::uint64_t, op)
#define SCAN_MIXED_FLOATS(entry, op) \
  entry(__half, float, op) entry(__nv_bfloat16, float, op) entry(float, double, op)

// By operator: what -Dprebuilt=common holds, and what full adds.
#define SCAN_COMMON_plus(entry)   \
  SCAN_SAME_INTEGERS(entry, plus) \
  SCAN_SAME_FLOATS(entry, plus) SCAN_MIXED_INTEGERS(entry, plus) SCAN_MIXED_FLOATS(entry, plus)
#define SCAN_COMMON_minimum(entry) \
  SCAN_SAME_INTEGERS(entry, minimum) SCAN_SAME_FLOATS(entry, minimum)
#define SCAN_COMMON_maximum(entry) \
  SCAN_SAME_INTEGERS(entry, maximum) SCAN_SAME_FLOATS(entry, maximum)
#define SCAN_FULL_minimum(entry) \
  SCAN_MIXED_INTEGERS(entry, minimum) SCAN_MIXED_FLOATS(entry, minimum)
#define SCAN_FULL_maximum(entry) \
  SCAN_MIXED_INTEGERS(entry, maximum) SCAN_MIXED_FLOATS(entry, maximum)
#define SCAN_FULL_multiplies(entry)     \
  SCAN_SAME_INTEGERS(entry, multiplies) \
  SCAN_SAME_FLOATS(entry, multiplies)   \
  SCAN_MIXED_INTEGERS(entry, multiplies) SCAN_MIXED_FLOATS(entry, multiplies)
#define SCAN_FULL_bit_and(entry) \
  SCAN_SAME_INTEGERS(entry, bit_and) SCAN_MIXED_INTEGERS(entry, bit_and)
#define SCAN_FULL_bit_or(entry) SCAN_SAME_INTEGERS(entry, bit_or) SCAN_MIXED_INTEGERS(entry, bit_or)
#define SCAN_FULL_bit_xor(entry) \
  SCAN_SAME_INTEGERS(entry, bit_xor) SCAN_MIXED_INTEGERS(entry, bit_xor)

#define SCAN_ALL_COMMON(entry) \
  SCAN_COMMON_plus(entry) SCAN_COMMON_minimum(entry) SCAN_COMMON_maximum(entry)
#define SCAN_ALL_FULL(entry)                                                    \
  SCAN_ALL_COMMON(entry)                                                        \
  SCAN_FULL_minimum(entry) SCAN_FULL_maximum(entry) SCAN_FULL_multiplies(entry) \
      SCAN_FULL_bit_and(entry) SCAN_FULL_bit_or(entry) SCAN_FULL_bit_xor(entry)
#if SCAN_PREBUILT_FULL
#define SCAN_ALL_PREBUILT(entry) SCAN_ALL_FULL(entry)
#else
#define SCAN_ALL_PREBUILT(entry) SCAN_ALL_COMMON(entry)
#endif

namespace scan {

/// Whether libscan.a holds the scans from `In` to `Out` with `Op`.
template <class In, class Out, class Op>
inline constexpr bool is_prebuilt = false;
#define SCAN_IS_PREBUILT(In, Out, Op) \
  template <>                         \
  inline constexpr bool is_prebuilt<In, Out, Op> = true;
SCAN_ALL_PREBUILT(SCAN_IS_PREBUILT)
#undef SCAN_IS_PREBUILT

/// Whether libscan.a holds the baselines for scans from `Input` to `Output` with `Op`.
template <class Input, class Output, class Op>
inline constexpr bool is_prebuilt_baseline = false;
template <class In, class Out, class Op>
inline constexpr bool is_prebuilt_baseline<transform_input<In>, transform_output<Out>, Op> =
    SCAN_PREBUILT_BASELINES&& is_prebuilt<In, Out, Op>;

/// Of the integers of one size and sign the one that libscan.a knows (`long long` and `int64_t` may
/// be two types; so are `char` and `int8_t` or `uint8_t`, and `bool`); other types themselves.
template <class T, bool integer = std::is_integral_v<T> && sizeof(T) <= 8>
struct fixed_width {
  using type = T;
};
template <class T>
struct fixed_width<T, true> {
  template <class I8, class I16, class I32, class I64>
  using sized = std::conditional_t<sizeof(T) <= 2, std::conditional_t<sizeof(T) == 1, I8, I16>,
                                   std::conditional_t<sizeof(T) == 4, I32, I64>>;
  using type = std::conditional_t<std::is_signed_v<T>,
                                  sized<std::int8_t, std::int16_t, std::int32_t, std::int64_t>,
                                  sized<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
};
template <class T>
using fixed_width_t = typename fixed_width<T>::type;

/// Defined by <scan/device/launch.cuh> and <scan/host/host_scan.hpp>, which hold the scans of every
/// other type and operator.
struct device_scans;
struct host_scans;
/// Defined by src/baselines/baselines.cuh, which is not installed.
struct baseline_scans;

/// Whether the header that defines `Scans` has been included; asked anew for each `Call`.
template <class Scans, class Call, class = void>
inline constexpr bool included = false;
template <class Scans, class Call>
inline constexpr bool included<Scans, Call, std::enable_if_t<(sizeof(Scans) > 0)>> = true;

}  // namespace scan

#endif
