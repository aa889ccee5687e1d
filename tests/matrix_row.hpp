// How a row of the test matrix is made from its types and its operator.
#ifndef SCAN_TESTS_MATRIX_ROW_HPP
#define SCAN_TESTS_MATRIX_ROW_HPP

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "matrix.hpp"
#include "scan/prebuilt.hpp"
#if !SCAN_PREBUILT_FULL
#include "scan/host/host_scan.hpp"  // the scans that libscan.a does not hold
#endif
#include "scan/scan.hpp"

namespace tests {

template <class T>
inline constexpr bool is_float =
    std::is_floating_point_v<T> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// A random element for folds with `Op`, exact in any order and telling: neither overflows nor
/// settles early.
template <class T, class Op>
T random_element(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  const auto rarely = [&](int one_in) { return (bits >> 32) % static_cast<unsigned>(one_in) == 0; };
  if constexpr (std::is_same_v<Op, scan::bit_and>) {
    return static_cast<T>(rarely(50) ? bits | bits >> 7 | bits >> 13 : ~std::uint64_t{0});
  } else if constexpr (std::is_same_v<Op, scan::bit_or>) {
    return static_cast<T>(rarely(50) ? bits & bits >> 7 & bits >> 13 : 0);
  } else if constexpr (std::is_integral_v<T>) {
    // odd factors: a product of many even ones is 0
    return static_cast<T>(std::is_same_v<Op, scan::multiplies> ? bits | 1 : bits);
  } else if constexpr (std::is_same_v<Op, scan::plus>) {
    return scan::convert<T>(static_cast<float>(static_cast<int>(bits % 17) - 8));
  } else if constexpr (std::is_same_v<Op, scan::multiplies>) {
    return scan::convert<T>(bits % 2 == 0 ? 1.0f : -1.0f);
  } else {  // minimum, maximum: both zeros, infinities, and a NaN now and then
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (rarely(100000)) return scan::convert<T>(std::numeric_limits<float>::quiet_NaN());
    if (rarely(10000)) return scan::convert<T>(bits % 2 == 0 ? infinity : -infinity);
    if (bits % 3 == 0) return scan::convert<T>(bits % 2 == 0 ? 0.0f : -0.0f);
    return scan::convert<T>(static_cast<float>(static_cast<int>(bits % 2001) - 1000));
  }
}

template <class In, class Op>
void fill(void* in, std::int64_t n, std::mt19937_64& random) {
  In* const items = static_cast<In*>(in);
  for (std::int64_t i = 0; i < n; ++i) items[i] = random_element<In, Op>(random);
  if constexpr (is_float<In> && std::is_same_v<Op, scan::plus>) {
    // now and then -0.0 at the start, whose sign has to survive, and infinities of either sign
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto anywhere = [&] { return random() % static_cast<std::uint64_t>(n); };
    if (n > 0 && random() % 4 == 0) {
      std::fill_n(items, anywhere() + 1, scan::convert<In>(-0.0f));
    }
    if (n > 0 && random() % 8 == 0) {
      items[anywhere()] = scan::convert<In>(infinity);
      items[anywhere()] = scan::convert<In>(-infinity);
    }
  }
  if constexpr (is_float<In> && std::is_same_v<Op, scan::multiplies>) {
    // pairs of 2 and 1/2: the product stays in range
    for (std::int64_t i = 0; i + 1 < n; i += 2 + static_cast<std::int64_t>(random() % 40)) {
      items[i] = scan::convert<In>(2.0f);
      items[i + 1] = scan::convert<In>(-0.5f);
    }
  }
}

/// The scan as a loop. `reverse`: from the last element to the first, the element on the left.
template <class In, class Out, class Op>
void reference(const scan_case& c, const scan_arguments& arguments) {
  using T = scan::accumulator_t<In, Out>;
  const In* const in = static_cast<const In*>(arguments.in);
  Out* const out = static_cast<Out*>(arguments.out);
  const Op op;
  T running = Op::template identity<T>();
  bool started = c.with_init;
  if (started) running = scan::convert<T>(*static_cast<const Out*>(arguments.init));

  Out* const suffixes_end = out + c.n;
  if (c.complete && c.reverse) *suffixes_end = scan::convert<Out>(running);
  const bool write_before = c.exclusive && !(c.complete && c.reverse);
  for (std::int64_t step = 0; step < c.n; ++step) {
    const std::int64_t i = c.reverse ? c.n - 1 - step : step;
    const T item = scan::convert<T>(in[i]);
    if (write_before) out[i] = scan::convert<Out>(running);
    running = !started ? item : c.reverse ? op(item, running) : op(running, item);
    started = true;
    if (!write_before) out[i] = scan::convert<Out>(running);
  }
  if (c.complete && !c.reverse) out[c.n] = scan::convert<Out>(running);
  if (arguments.total != nullptr) {
    *static_cast<Out*>(arguments.total) = scan::convert<Out>(running);
  }
}

template <class Out>
std::optional<Out> given_init(const scan_case& c, const void* init) {
  if (!c.with_init) return std::nullopt;
  return *static_cast<const Out*>(init);
}

template <class In, class Out, class Op>
scan::status on_host(const scan_case& c, const scan_arguments& arguments, int threads) {
  const auto* const in = static_cast<const In*>(arguments.in);
  auto* const out = static_cast<Out*>(arguments.out);
  const scan::host_options<Out> options{given_init<Out>(c, arguments.init), threads,
                                        static_cast<Out*>(arguments.total), c.reverse, c.complete};
  return c.exclusive ? scan::exclusive(scan::host, in, out, c.n, Op{}, options)
                     : scan::inclusive(scan::host, in, out, c.n, Op{}, options);
}

template <class In, class Out, class Op>
scan::status on_device(const scan_case& c, const scan_arguments& arguments, const void* host_init,
                       cudaStream_t stream, scan::workspace* space) {
  const auto* const in = static_cast<const In*>(arguments.in);
  auto* const out = static_cast<Out*>(arguments.out);
  scan::options<Out> options{
      {},        stream,     space,      nullptr, static_cast<Out*>(arguments.total),
      c.reverse, c.complete, c.algorithm};
  if (c.with_init && c.init_by_pointer) {
    options.init_pointer = static_cast<const Out*>(arguments.init);
  } else {
    options.init = given_init<Out>(c, host_init);
  }
  return c.exclusive ? scan::exclusive(in, out, c.n, Op{}, options)
                     : scan::inclusive(in, out, c.n, Op{}, options);
}

template <class T>
std::int64_t first_difference_of(const void* actual, const void* expected, std::int64_t count) {
  const T* const a = static_cast<const T*>(actual);
  const T* const b = static_cast<const T*>(expected);
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
    if constexpr (is_float<T>) {
      const auto is_nan = [](double x) { return x != x; };
      if (is_nan(scan::convert<double>(a[i])) && is_nan(scan::convert<double>(b[i]))) continue;
    }
    return i;
  }
  return -1;
}

template <class In, class Out, class Op>
matrix_row make_row(const char* name) {
  matrix_row row{name,
                 sizeof(In),
                 sizeof(Out),
                 sizeof(In) == sizeof(Out),
                 scan::is_prebuilt<In, Out, Op>,
                 is_prebuilt_baseline<In, Out, Op>,
                 fill<In, Op>,
                 [](void* init, std::mt19937_64& random) {
                   *static_cast<Out*>(init) = random_element<Out, Op>(random);
                 },
                 reference<In, Out, Op>,
                 on_host<In, Out, Op>,
                 nullptr,
                 first_difference_of<Out>};
  if constexpr (scan::is_prebuilt<In, Out, Op>) row.on_device = on_device<In, Out, Op>;
  return row;
}

}  // namespace tests

#endif
