// Sums with infinities and NaN in them, and what is promised of these.
#ifndef SCAN_TESTS_INFINITIES_HPP
#define SCAN_TESTS_INFINITIES_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/cases.hpp"

namespace tests {

/// What a sum is whatever the order.
enum class kind { finite, infinite, minus_infinite, nan };
template <class T>
kind kind_of(T x) {
  if (std::isnan(x)) return kind::nan;
  if (std::isfinite(x)) return kind::finite;
  return x > 0 ? kind::infinite : kind::minus_infinite;
}

/// Numbers of up to `largest` in magnitude with `infinity` from a third and NaN from two thirds on.
template <class T>
std::vector<T> with_infinities(std::int64_t n, T largest, T infinity) {
  std::mt19937 random(7);
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) item = largest * (static_cast<T>(random()) * T{0x1p-31f} - 1);
  items[items.size() / 3] = items[items.size() / 2] = infinity;
  items[items.size() * 2 / 3] = std::numeric_limits<T>::quiet_NaN();
  return items;
}

/// Whether every result of a sum over `items` is of the kind of the serial loop's.
template <class T>
bool kinds_are_serial(const std::vector<T>& items, const std::vector<T>& results, bool exclusive) {
  const std::vector<T> serial = serial_scan<T>(exclusive, std::nullopt, items, scan::plus{});
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (kind_of(results[i]) != kind_of(serial[i])) return false;
  }
  return true;
}

}  // namespace tests

#endif
