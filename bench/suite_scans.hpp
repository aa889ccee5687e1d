// The scans that the suites measure, by types and operator, and the way from a place in their list
// to the types.
#ifndef SCAN_BENCH_SUITE_SCANS_HPP
#define SCAN_BENCH_SUITE_SCANS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "bench/affine.hpp"
#include "scan/accumulator.hpp"
#include "scan/operators.hpp"

namespace bench {

template <class In_, class Out_, class Op_>
struct scan_of {
  using In = In_;
  using Out = Out_;
  using Op = Op_;
  using Acc = scan::accumulator_t<In, Out>;
};

template <class Op, class... Types>
using equal_types = std::tuple<scan_of<Types, Types, Op>...>;

/// Measured inclusive and exclusive.
using equal_sums = equal_types<scan::plus, std::uint8_t, std::int16_t, __half, __nv_bfloat16,
                               std::int32_t, float, std::int64_t, double>;
/// Measured inclusive.
using other_scans = decltype(std::tuple_cat(
    std::tuple<scan_of<std::uint8_t, std::int64_t, scan::plus>,
               scan_of<std::uint8_t, std::int32_t, scan::plus>, scan_of<__half, float, scan::plus>,
               scan_of<std::int32_t, std::int64_t, scan::plus>>{},
    equal_types<scan::minimum, std::uint8_t, std::int16_t, std::int32_t, float, std::int64_t>{},
    equal_types<scan::maximum, std::uint8_t, std::int16_t, std::int32_t, float, std::int64_t>{},
    equal_types<compose, affine>{}));
using suite_scans = decltype(std::tuple_cat(equal_sums{}, other_scans{}));

/// Calls `visitor(scan_of<...>{})` with the `index`-th of `Scans`.
template <class Scans, class Visitor>
void with_scan(std::size_t index, const Visitor& visitor) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(((i == index && (visitor(std::tuple_element_t<i, Scans>{}), true)) || ...));
  }
  (std::make_index_sequence<std::tuple_size_v<Scans>>{});
}

/// Where `Scan` is in `Scans`; their number if it is not there.
template <class Scans, class Scan>
constexpr std::size_t index_of() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    std::size_t index = sizeof...(i);
    ((std::is_same_v<std::tuple_element_t<i, Scans>, Scan> && (index = i, true)) || ...);
    return index;
  }
  (std::make_index_sequence<std::tuple_size_v<Scans>>{});
}

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, __half>) return "f16";
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return "bf16";
  if constexpr (std::is_same_v<T, affine>) return "affine";
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
  return sizeof(T) == 2 ? "i16" : sizeof(T) == 4 ? "i32" : "i64";
}

template <class Op>
constexpr const char* operator_name() {
  if constexpr (std::is_same_v<Op, scan::plus>) return "plus";
  if constexpr (std::is_same_v<Op, scan::minimum>) return "minimum";
  if constexpr (std::is_same_v<Op, scan::maximum>) return "maximum";
  return "compose";
}

}  // namespace bench

#endif
