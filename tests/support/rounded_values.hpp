// Inputs whose sums, products and minima show in which order they were folded.
#ifndef SCAN_TESTS_ROUNDED_VALUES_HPP
#define SCAN_TESTS_ROUNDED_VALUES_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "scan/operands/accumulator.hpp"

namespace tests {

enum class values { uniform, wide, near_one };

/// Numbers whose sums (near_one: products) are rounded at nearly every step.
template <class T>
std::vector<T> random_values(values kind, std::int64_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n) + 1);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) {
    double value = unit();
    if (kind == values::wide) value = std::ldexp(2 * value - 1, -static_cast<int>(random() % 30));
    if (kind == values::near_one) value = 1 + (value - 0.5) / 256;
    item = scan::convert<T>(value);
  }
  return items;
}

/// Numbers as above; of integers any.
template <class T>
std::vector<T> any_values(std::int64_t n) {
  if constexpr (scan::is_integer<T>) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n) + 1);
    std::vector<T> items(static_cast<std::size_t>(n));
    for (T& item : items) item = static_cast<T>(random());
    return items;
  } else {
    return random_values<T>(values::uniform, n);
  }
}

/// For minimum: zeros of both signs from a third on, NaNs with different payloads near the end.
inline std::vector<float> zeros_and_nans(std::int64_t n) {
  std::vector<float> items = random_values<float>(values::uniform, n);
  std::mt19937 random(1);
  for (std::int64_t i = n / 3; i < n; ++i) {
    float& item = items[static_cast<std::size_t>(i)];
    if (random() % 3 == 0) item = random() % 2 == 0 ? 0.0f : -0.0f;
    if (i > n - n / 6 && random() % 50 == 0) {
      const std::uint32_t bits = 0x7fc00000u | random() % 0x400000u;
      std::memcpy(&item, &bits, sizeof(bits));
    }
  }
  return items;
}

}  // namespace tests

#endif
