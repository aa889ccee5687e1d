// The types and operators behind the codes of scan/c.h: the one list of each. Which scans of them
// there are says scan/call/prebuilt.hpp.
#ifndef SCAN_SRC_C_CODES_HPP
#define SCAN_SRC_C_CODES_HPP

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "scan/abi.hpp"
#include "scan/c.h"
#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

/// The type of code k is number k - 1, the operator of code k number k.
using element_types =
    std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float, double, __half, __nv_bfloat16, bool>;
using operators = std::tuple<plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor>;
inline constexpr int num_types = std::tuple_size_v<element_types>;
inline constexpr int num_operators = std::tuple_size_v<operators>;
template <int code>
using type_of = std::tuple_element_t<static_cast<std::size_t>(code - 1), element_types>;
template <int code>
using operator_of = std::tuple_element_t<static_cast<std::size_t>(code), operators>;

/// What their numbers are in a table.
template <scan_type code, class T>
inline constexpr bool is_type = std::is_same_v<type_of<code>, T>;
static_assert(is_type<SCAN_INT8, std::int8_t> && is_type<SCAN_INT64, std::int64_t>);
static_assert(is_type<SCAN_UINT8, std::uint8_t> && is_type<SCAN_UINT64, std::uint64_t>);
static_assert(is_type<SCAN_FLOAT, float> && is_type<SCAN_DOUBLE, double>);
static_assert(is_type<SCAN_HALF, __half> && is_type<SCAN_BFLOAT16, __nv_bfloat16>);
static_assert(is_type<SCAN_BOOL, bool> && SCAN_BOOL == num_types);
static_assert(std::is_same_v<operator_of<SCAN_PLUS>, plus>);
static_assert(std::is_same_v<operator_of<SCAN_MAXIMUM>, maximum>);
static_assert(std::is_same_v<operator_of<SCAN_BIT_XOR>, bit_xor>);
static_assert(SCAN_BIT_XOR + 1 == num_operators);

constexpr bool is_type_code(std::int32_t code) noexcept { return code >= 1 && code <= num_types; }
constexpr bool is_operator_code(std::int32_t code) noexcept {
  return code >= 0 && code < num_operators;
}
constexpr bool is_place_code(std::int32_t code) noexcept {
  return code == SCAN_DEVICE || code == SCAN_HOST;
}

/// Of codes that are none: "unknown".
const char* name_of_type(std::int32_t code) noexcept;
const char* name_of_operator(std::int32_t code) noexcept;
const char* version_string() noexcept;

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

#endif
