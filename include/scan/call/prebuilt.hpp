// What libscan.a holds (all of the README's table with -Dprebuilt=full, a part with common, nothing
// with none), and how a call finds out whether it is there.
#ifndef SCAN_CALL_PREBUILT_HPP
#define SCAN_CALL_PREBUILT_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call/shared_kernels.hpp"
#include "scan/operands/applied.hpp"
#include "scan/operators.hpp"
#include "scan/prebuilt_set.hpp"  // written by the build: SCAN_PREBUILT_* are 0 or 1
#include "scan/transform.hpp"

// entry(In, Out, operator) for every scan as shared_kernels.hpp knows it: a new one is one row.
// Macros, because an explicit instantiation knows no lists.
#define SCAN_FLOATS(entry, op)                                                \
  entry(float, float, op) entry(double, double, op) entry(__half, __half, op) \
      entry(__nv_bfloat16, __nv_bfloat16, op)
#define SCAN_WIDER_FLOATS(entry, op) \
  entry(__half, float, op) entry(__nv_bfloat16, float, op) entry(float, double, op)
#define SCAN_INTEGERS(entry, op)                                                \
  entry(std::uint8_t, std::uint8_t, op) entry(std::uint16_t, std::uint16_t, op) \
      entry(std::uint32_t, std::uint32_t, op) entry(std::uint64_t, std::uint64_t, op)
#define SCAN_WIDER_INTEGERS(entry, op)                                          \
  entry(std::uint8_t, std::uint32_t, op) entry(std::uint8_t, std::uint64_t, op) \
      entry(std::int32_t, std::uint64_t, op) entry(std::uint32_t, std::uint64_t, op)

// ---- kernels, a list a source: what -Dprebuilt=common holds ... ----
#define SCAN_KERNELS_wide_sums(entry)                                                 \
  entry(std::uint32_t, std::uint32_t, plus) entry(std::uint64_t, std::uint64_t, plus) \
      entry(float, float, plus) entry(double, double, plus)
#define SCAN_KERNELS_narrow_sums(entry)                                             \
  entry(std::uint8_t, std::uint8_t, plus) entry(std::uint16_t, std::uint16_t, plus) \
      entry(__half, __half, plus) entry(__nv_bfloat16, __nv_bfloat16, plus)
#define SCAN_KERNELS_widening_sums(entry) \
  SCAN_WIDER_INTEGERS(entry, plus) SCAN_WIDER_FLOATS(entry, plus)
#define SCAN_KERNELS_orders(entry)                                                       \
  entry(std::int8_t, std::int8_t, least<std::int8_t>)                                    \
      entry(std::int16_t, std::int16_t, least<std::int16_t>)                             \
          entry(std::int32_t, std::int32_t, least<std::int32_t>)                         \
              entry(std::int64_t, std::int64_t, least<std::int64_t>)                     \
                  entry(float, float, least<float>) entry(double, double, least<double>) \
                      entry(__half, __half, least<float>)                                \
                          entry(__nv_bfloat16, __nv_bfloat16, least<float>)
// ... and what full adds
#define SCAN_KERNELS_widening_orders(entry)                                                    \
  entry(std::uint8_t, std::int32_t, least<std::int32_t>)                                       \
      entry(std::uint8_t, std::int64_t, least<std::int64_t>)                                   \
          entry(std::int32_t, std::int64_t, least<std::int64_t>)                               \
              entry(std::uint32_t, std::int64_t, least<std::int64_t>)                          \
                  entry(__half, float, least<float>) entry(__nv_bfloat16, float, least<float>) \
                      entry(float, double, least<double>)
#define SCAN_KERNELS_products(entry) \
  SCAN_INTEGERS(entry, multiplies)   \
  SCAN_FLOATS(entry, multiplies)     \
  SCAN_WIDER_INTEGERS(entry, multiplies) SCAN_WIDER_FLOATS(entry, multiplies)
#define SCAN_KERNELS_bits(entry)                                                    \
  SCAN_INTEGERS(entry, bit_xor)                                                     \
  SCAN_WIDER_INTEGERS(entry, bit_xor)                                               \
  entry(std::uint8_t, std::uint8_t, either<std::uint8_t>)                           \
      entry(std::uint16_t, std::uint16_t, either<std::uint16_t>)                    \
          entry(std::uint32_t, std::uint32_t, either<std::uint32_t>)                \
              entry(std::uint64_t, std::uint64_t, either<std::uint64_t>)            \
                  entry(std::uint8_t, std::uint32_t, either<std::uint32_t>)         \
                      entry(std::uint8_t, std::uint64_t, either<std::uint64_t>)     \
                          entry(std::int32_t, std::uint64_t, either<std::uint64_t>) \
                              entry(std::uint32_t, std::uint64_t, either<std::uint64_t>)

// ---- scans of tensors, on the device and on CPU threads; full holds all of the above ----
#define SCAN_KERNELS_tensor_sums(entry)                                               \
  entry(std::uint32_t, std::uint32_t, plus) entry(std::uint64_t, std::uint64_t, plus) \
      entry(float, float, plus) entry(double, double, plus)
#define SCAN_KERNELS_tensor_others(entry)                                               \
  entry(__half, __half, plus) entry(__nv_bfloat16, __nv_bfloat16, plus)                 \
      entry(std::uint8_t, std::uint32_t, plus) entry(std::uint8_t, std::uint64_t, plus) \
          entry(std::int32_t, std::int32_t, least<std::int32_t>) entry(float, float, least<float>)
#define SCAN_HOST_tensors(entry)                                                                  \
  entry(std::uint32_t, std::uint32_t, plus) entry(std::uint64_t, std::uint64_t, plus)             \
      entry(float, float, plus) entry(double, double, plus) entry(__half, __half, plus)           \
          entry(__nv_bfloat16, __nv_bfloat16, plus) entry(std::uint8_t, std::uint32_t, plus)      \
              entry(std::uint8_t, std::uint64_t, plus) entry(std::int32_t, std::int32_t, minimum) \
                  entry(std::int32_t, std::int32_t, maximum) entry(float, float, minimum)         \
                      entry(float, float, maximum)

// ---- scans of a count of elements, on the device alone ----
#define SCAN_COUNT_KERNELS_COMMON(entry) SCAN_KERNELS_wide_sums(entry)

// ---- scans of segments that lie anywhere, on the device and on CPU threads ----
#define SCAN_HOST_wide_sums(entry) SCAN_KERNELS_wide_sums(entry)
#define SCAN_RANGES_COMMON(entry) SCAN_KERNELS_wide_sums(entry)

// ---- scans on CPU threads, likewise ----
#define SCAN_ORDERED(entry, op)                                             \
  SCAN_INTEGERS(entry, op)                                                  \
  SCAN_FLOATS(entry, op)                                                    \
  entry(std::int8_t, std::int8_t, op) entry(std::int16_t, std::int16_t, op) \
      entry(std::int32_t, std::int32_t, op) entry(std::int64_t, std::int64_t, op)
#define SCAN_WIDER_ORDERED(entry, op)                                              \
  SCAN_WIDER_FLOATS(entry, op)                                                     \
  entry(std::uint8_t, std::int32_t, op) entry(std::uint8_t, std::uint32_t, op)     \
      entry(std::uint8_t, std::int64_t, op) entry(std::uint8_t, std::uint64_t, op) \
          entry(std::int32_t, std::int64_t, op) entry(std::uint32_t, std::uint64_t, op)
#define SCAN_HOST_sums(entry) \
  SCAN_KERNELS_wide_sums(entry) SCAN_KERNELS_narrow_sums(entry) SCAN_KERNELS_widening_sums(entry)
#define SCAN_HOST_minima(entry) SCAN_ORDERED(entry, minimum)
#define SCAN_HOST_maxima(entry) SCAN_ORDERED(entry, maximum)
#define SCAN_HOST_widening_orders(entry) \
  SCAN_WIDER_ORDERED(entry, minimum) SCAN_WIDER_ORDERED(entry, maximum)
#define SCAN_HOST_products(entry) SCAN_KERNELS_products(entry)
#define SCAN_HOST_bits(entry)         \
  SCAN_INTEGERS(entry, bit_and)       \
  SCAN_INTEGERS(entry, bit_or)        \
  SCAN_INTEGERS(entry, bit_xor)       \
  SCAN_WIDER_INTEGERS(entry, bit_and) \
  SCAN_WIDER_INTEGERS(entry, bit_or) SCAN_WIDER_INTEGERS(entry, bit_xor)

#define SCAN_KERNELS_COMMON(entry)                                                                \
  SCAN_KERNELS_wide_sums(entry) SCAN_KERNELS_narrow_sums(entry) SCAN_KERNELS_widening_sums(entry) \
      SCAN_KERNELS_orders(entry)
#define SCAN_HOST_COMMON(entry) \
  SCAN_HOST_sums(entry) SCAN_HOST_minima(entry) SCAN_HOST_maxima(entry)
#define SCAN_TENSOR_KERNELS_COMMON(entry) \
  SCAN_KERNELS_tensor_sums(entry) SCAN_KERNELS_tensor_others(entry)

// ---- recurrences, entry(In, Out, factors): an array of these, or one of all steps; gradients ----
#define SCAN_RECURRENCES_arrays(entry)                                          \
  entry(float, float, const float*) entry(double, double, const double*) entry( \
      __half, __half, const __half*) entry(__nv_bfloat16, __nv_bfloat16, const __nv_bfloat16*)
#define SCAN_RECURRENCES_others(entry)                                                          \
  entry(float, float, one_factor<float>) entry(double, double, one_factor<double>) entry(       \
      __half, __half, one_factor<float>) entry(__nv_bfloat16, __nv_bfloat16, one_factor<float>) \
      entry(__half, float, const __half*) entry(__nv_bfloat16, float, const __nv_bfloat16*)     \
          entry(__half, float, one_factor<float>) entry(__nv_bfloat16, float, one_factor<float>)
// (Of segments and keys; on CPU threads all of the above.)
#define SCAN_SEGMENT_RECURRENCES(entry) \
  entry(float, float, const float*) entry(__nv_bfloat16, __nv_bfloat16, const __nv_bfloat16*)
#if SCAN_PREBUILT_COMMON
#define SCAN_SEGMENT_RECURRENCES_HELD(entry) SCAN_SEGMENT_RECURRENCES(entry)
#define SCAN_RECURRENCES_HELD(entry) SCAN_RECURRENCES_arrays(entry) SCAN_RECURRENCES_others(entry)
#define SCAN_GRADIENTS_HELD(entry) entry(float) entry(double) entry(__half) entry(__nv_bfloat16)
#else
#define SCAN_SEGMENT_RECURRENCES_HELD(entry)
#define SCAN_RECURRENCES_HELD(entry)
#define SCAN_GRADIENTS_HELD(entry)
#endif
#if SCAN_PREBUILT_COMMON
#define SCAN_RANGES_HELD(entry) SCAN_RANGES_COMMON(entry)
#else
#define SCAN_RANGES_HELD(entry)
#endif
#if SCAN_PREBUILT_FULL
#define SCAN_COUNT_KERNELS_HELD(entry) SCAN_KERNELS_HELD(entry)
#define SCAN_TENSOR_KERNELS_HELD(entry) SCAN_KERNELS_HELD(entry)
#define SCAN_TENSOR_HOST_HELD(entry) SCAN_HOST_HELD(entry)
#define SCAN_KERNELS_HELD(entry) \
  SCAN_KERNELS_COMMON(entry)     \
  SCAN_KERNELS_widening_orders(entry) SCAN_KERNELS_products(entry) SCAN_KERNELS_bits(entry)
#define SCAN_HOST_HELD(entry) \
  SCAN_HOST_COMMON(entry)     \
  SCAN_HOST_widening_orders(entry) SCAN_HOST_products(entry) SCAN_HOST_bits(entry)
#elif SCAN_PREBUILT_COMMON
#define SCAN_COUNT_KERNELS_HELD(entry) SCAN_COUNT_KERNELS_COMMON(entry)
#define SCAN_TENSOR_KERNELS_HELD(entry) SCAN_TENSOR_KERNELS_COMMON(entry)
#define SCAN_TENSOR_HOST_HELD(entry) SCAN_HOST_tensors(entry)
#define SCAN_KERNELS_HELD(entry) SCAN_KERNELS_COMMON(entry)
#define SCAN_HOST_HELD(entry) SCAN_HOST_COMMON(entry)
#else
#define SCAN_COUNT_KERNELS_HELD(entry)
#define SCAN_TENSOR_KERNELS_HELD(entry)
#define SCAN_TENSOR_HOST_HELD(entry)
#define SCAN_KERNELS_HELD(entry)
#define SCAN_HOST_HELD(entry)
#endif

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Whether libscan.a holds this kernel, or this scan on CPU threads.
template <class In, class Out, class Op>
inline constexpr bool is_kernel_held = false;
template <class In, class Out, class Op>
inline constexpr bool is_host_scan_held = false;
/// The same of scans of tensors.
template <class In, class Out, class Op>
inline constexpr bool is_tensor_kernel_held = false;
template <class In, class Out, class Op>
inline constexpr bool is_tensor_host_scan_held = false;
/// Of scans of a count of elements.
template <class In, class Out, class Op>
inline constexpr bool is_count_kernel_held = false;
#define SCAN_HELD_COUNT_KERNEL(In, Out, Op) \
  template <>                               \
  inline constexpr bool is_count_kernel_held<In, Out, Op> = true;
SCAN_COUNT_KERNELS_HELD(SCAN_HELD_COUNT_KERNEL)
#undef SCAN_HELD_COUNT_KERNEL
/// Of segments that lie anywhere, on the device and on CPU threads.
template <class In, class Out, class Op>
inline constexpr bool is_range_scan_held = false;
#define SCAN_HELD_RANGES(In, Out, Op) \
  template <>                         \
  inline constexpr bool is_range_scan_held<In, Out, Op> = true;
SCAN_RANGES_HELD(SCAN_HELD_RANGES)
#undef SCAN_HELD_RANGES
#define SCAN_HELD_KERNEL(In, Out, Op) \
  template <>                         \
  inline constexpr bool is_kernel_held<In, Out, Op> = true;
#define SCAN_HELD_HOST_SCAN(In, Out, Op) \
  template <>                            \
  inline constexpr bool is_host_scan_held<In, Out, Op> = true;
#define SCAN_HELD_TENSOR_KERNEL(In, Out, Op) \
  template <>                                \
  inline constexpr bool is_tensor_kernel_held<In, Out, Op> = true;
#define SCAN_HELD_TENSOR_HOST_SCAN(In, Out, Op) \
  template <>                                   \
  inline constexpr bool is_tensor_host_scan_held<In, Out, Op> = true;
SCAN_KERNELS_HELD(SCAN_HELD_KERNEL)
SCAN_HOST_HELD(SCAN_HELD_HOST_SCAN)
SCAN_TENSOR_KERNELS_HELD(SCAN_HELD_TENSOR_KERNEL)
SCAN_TENSOR_HOST_HELD(SCAN_HELD_TENSOR_HOST_SCAN)
#undef SCAN_HELD_TENSOR_KERNEL
#undef SCAN_HELD_TENSOR_HOST_SCAN
#undef SCAN_HELD_KERNEL
#undef SCAN_HELD_HOST_SCAN

/// Whether libscan.a holds the scans from `In` to `Out` with `Op`, on the device and on CPU
/// threads.
template <class In, class Out, class Op, class Shared = shared_kernel<In, Out, Op>>
inline constexpr bool is_prebuilt =
    is_kernel_held<typename Shared::in, typename Shared::out, typename Shared::op>;
template <class In, class Out, class Op, class Shared = shared_host_scan<In, Out, Op>>
inline constexpr bool is_prebuilt_on_host =
    is_host_scan_held<typename Shared::in, typename Shared::out, Op>;

/// The same of scans of a count of elements.
template <class In, class Out, class Op, class Shared = shared_kernel<In, Out, Op>>
inline constexpr bool is_count_prebuilt =
    is_count_kernel_held<typename Shared::in, typename Shared::out, typename Shared::op>;
/// Of segments that lie anywhere.
template <class In, class Out, class Op, class Shared = shared_kernel<In, Out, Op>>
inline constexpr bool is_range_prebuilt =
    is_range_scan_held<typename Shared::in, typename Shared::out, typename Shared::op>;
template <class In, class Out, class Op, class Shared = shared_host_scan<In, Out, Op>>
inline constexpr bool is_range_prebuilt_on_host =
    is_range_scan_held<typename Shared::in, typename Shared::out, Op>;
/// And of tensors.
template <class In, class Out, class Op, class Shared = shared_kernel<In, Out, Op>>
inline constexpr bool is_tensor_prebuilt =
    is_tensor_kernel_held<typename Shared::in, typename Shared::out, typename Shared::op>;
template <class In, class Out, class Op, class Shared = shared_host_scan<In, Out, Op>>
inline constexpr bool is_tensor_prebuilt_on_host =
    is_tensor_host_scan_held<typename Shared::in, typename Shared::out, Op>;

/// The same of scans of segments: what is held of tensors.
template <class In, class Out, class Op>
inline constexpr bool is_segment_prebuilt = is_tensor_prebuilt<In, Out, Op>;
template <class In, class Out, class Op>
inline constexpr bool is_segment_prebuilt_on_host = is_tensor_prebuilt_on_host<In, Out, Op>;

/// Whether libscan.a holds the baselines for this kernel: of sums of four- and eight-byte numbers,
/// or all.
template <class In, class Out, class Op>
inline constexpr bool is_baseline_held = SCAN_PREBUILT_BASELINES&& is_kernel_held<In, Out, Op> &&
                                         (SCAN_PREBUILT_FULL ||
                                          (std::is_same_v<Op, plus> && std::is_same_v<In, Out> &&
                                           sizeof(In) >= 4));

/// Defined by <scan/device/launch/sequence_launch.cuh> and <scan/host/host_scan.hpp>, which hold
/// the scans of every other type and operator.
struct device_scans;
struct host_scans;
/// Defined by src/baselines/baselines.cuh, which is not installed.
struct baseline_scans;

/// Whether the header that defines `Scans` has been included; asked anew for each `Call`.
template <class Scans, class Call, class = void>
inline constexpr bool included = false;
template <class Scans, class Call>
inline constexpr bool included<Scans, Call, std::enable_if_t<(sizeof(Scans) > 0)>> = true;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
