// The scans that are measured, by types and operator, and the way from a place in their list to the
// types: one list for the command line and the suites.
#ifndef SCAN_BENCH_CELLS_SCANS_HPP
#define SCAN_BENCH_CELLS_SCANS_HPP

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "scan/abi.hpp"
#include "scan/operands/accumulator.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"

namespace bench {

// ---- an operator of the user's own, of 16 bytes and not commutative ----

/// The map h -> a h + b modulo 2^64: linear recurrences of first order.
struct alignas(16) affine {
  std::uint64_t a, b;
};

SCAN_HOST_DEVICE constexpr bool operator==(const affine& x, const affine& y) {
  return x.a == y.a && x.b == y.b;
}

struct compose {
  SCAN_HOST_DEVICE constexpr affine operator()(const affine& earlier, const affine& later) const {
    return {later.a * earlier.a, later.a * earlier.b + later.b};
  }
};

/// Enqueues its scan, which libscan.a does not hold: inclusive.
scan::status compose_scan(const affine* in, affine* out, std::int64_t num_items,
                          const scan::options<affine>& options);

// ---- the lists ----

template <class In_, class Out_, class Op_>
struct scan_of {
  using In = In_;
  using Out = Out_;
  using Op = Op_;
  using Acc = scan::accumulator_t<In, Out>;
};

template <class Op, class... Types>
using equal_types = std::tuple<scan_of<Types, Types, Op>...>;
template <class Op>
using plain_types = equal_types<Op, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t,
                                std::uint64_t, float, double>;

/// Measured without a suite, too: on CPU threads or a GPU, and of a file's elements.
using plain_scans = decltype(std::tuple_cat(plain_types<scan::plus>{}, plain_types<scan::minimum>{},
                                            plain_types<scan::maximum>{}));

// What the suites measure, and nothing else is compiled of CUB: sums of every width inclusive, one
// type of each width exclusive, too; minimum and maximum, which mirror each other, in turns.
using suite_sums = equal_types<scan::plus, std::uint8_t, std::int16_t, __half, __nv_bfloat16,
                               std::int32_t, float, std::int64_t, double>;
using suite_exclusive_sums =
    equal_types<scan::plus, std::uint8_t, __half, std::int32_t, std::int64_t>;
using suite_widening_sums =
    std::tuple<scan_of<std::uint8_t, std::int64_t, scan::plus>,
               scan_of<std::uint8_t, std::int32_t, scan::plus>, scan_of<__half, float, scan::plus>,
               scan_of<std::int32_t, std::int64_t, scan::plus>>;
using suite_extremes =
    decltype(std::tuple_cat(equal_types<scan::minimum, std::uint8_t, std::int32_t, float>{},
                            equal_types<scan::maximum, std::int16_t, std::int64_t>{}));
using suite_compositions = equal_types<compose, affine>;
/// Of tensors: what libscan.a holds of every width and kind; recurrences over elements of these
/// types, in scans of which the sums stand.
using suite_tensor_sums =
    std::tuple<scan_of<float, float, scan::plus>, scan_of<__nv_bfloat16, __nv_bfloat16, scan::plus>,
               scan_of<std::int32_t, std::int32_t, scan::plus>,
               scan_of<std::uint8_t, std::int32_t, scan::plus>>;
/// Of segments.
using suite_segment_sums = equal_types<scan::plus, float, std::int32_t, __nv_bfloat16>;
/// Of these, what libscan.a holds of segments that may lie anywhere.
using suite_range_sums = equal_types<scan::plus, float, std::int32_t>;
/// Elements of compactions, whatever is done with them.
using suite_selected = equal_types<scan::plus, std::uint8_t, std::int32_t, std::int64_t>;
using suite_recurrences = equal_types<scan::plus, float, __nv_bfloat16>;
/// Of cells drawn at random, beside the sums.
using suite_maxima = equal_types<scan::maximum, std::uint8_t, std::int16_t, __half, __nv_bfloat16,
                                 std::int32_t, float, std::int64_t, double>;

using scans = decltype(std::tuple_cat(
    plain_scans{}, equal_types<scan::plus, std::int16_t, __half, __nv_bfloat16>{},
    suite_widening_sums{}, equal_types<scan::maximum, std::int16_t, __half, __nv_bfloat16>{},
    suite_compositions{}));

template <class Scan, class Scans>
inline constexpr bool is_among = false;
template <class Scan, class... Scans>
inline constexpr bool is_among<Scan, std::tuple<Scans...>> = (std::is_same_v<Scan, Scans> || ...);

/// Calls `visitor(scan_of<...>{})` with the `index`-th of `Scans`.
template <class Scans, class Visitor>
void with_scan(std::size_t index, const Visitor& visitor) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(((i == index && (visitor(std::tuple_element_t<i, Scans>{}), true)) || ...));
  }
  (std::make_index_sequence<std::tuple_size_v<Scans>>{});
}

/// Where a scan is in `scans`, and where several are.
template <class In, class Out = In, class Op = scan::plus>
constexpr std::size_t scan_index() {
  static_assert(is_among<scan_of<In, Out, Op>, scans>, "no such scan is measured");
  return []<class... Scans>(const std::tuple<Scans...>*) {
    std::size_t index = 0;
    static_cast<void>(((std::is_same_v<Scans, scan_of<In, Out, Op>> || (++index, false)) || ...));
    return index;
  }(static_cast<scans*>(nullptr));
}

template <class Scans>
std::vector<std::size_t> places_of() {
  const auto place_of = []<class In, class Out, class Op>(scan_of<In, Out, Op>) {
    return scan_index<In, Out, Op>();
  };
  return std::apply([&](auto... of) { return std::vector<std::size_t>{place_of(of)...}; }, Scans{});
}

/// `T`, or the signed type whose sums are those of the unsigned `T`, bit for bit: what need not be
/// compiled twice.
template <class T, class Op>
using signed_sum_t = std::conditional_t<
    !std::is_same_v<Op, scan::plus>, T,
    std::conditional_t<std::is_same_v<T, std::uint32_t>, std::int32_t,
                       std::conditional_t<std::is_same_v<T, std::uint64_t>, std::int64_t, T>>>;
template <class Scan>
using signed_scan = scan_of<signed_sum_t<typename Scan::In, typename Scan::Op>,
                            signed_sum_t<typename Scan::Out, typename Scan::Op>, typename Scan::Op>;

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, __half>) return "f16";
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return "bf16";
  if constexpr (std::is_same_v<T, affine>) return "affine";
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
  if constexpr (std::is_unsigned_v<T>) return sizeof(T) == 4 ? "u32" : "u64";
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
