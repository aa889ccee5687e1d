// Elements of the matrices: random ones whose folds are exact, and their comparison.
#ifndef SCAN_TESTS_ELEMENTS_HPP
#define SCAN_TESTS_ELEMENTS_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

#include "scan/operators.hpp"
#include "scan/transform.hpp"  // convert

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

}  // namespace tests

#endif
