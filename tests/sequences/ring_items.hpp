// What tests of the ring in few blocks scan.
#ifndef SCAN_TESTS_RING_ITEMS_HPP
#define SCAN_TESTS_RING_ITEMS_HPP

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "scan/operands/accumulator.hpp"
#include "tests/support/interval.hpp"

namespace tests {

inline constexpr int rounds_of_ring = 4;  // of a stage at least

/// Inputs whose folds are exact, and of which no element can be taken for another.
template <class T>
std::vector<T> items_of(std::int64_t n) {
  std::vector<T> items(static_cast<std::size_t>(n));
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    T& item = items[static_cast<std::size_t>(i)];
    if constexpr (std::is_same_v<T, tests::interval>) {
      item = {i, i + 1};
    } else if constexpr (std::is_integral_v<T>) {
      item = static_cast<T>(random());
    } else {
      item = scan::convert<T>(static_cast<float>(static_cast<int>(random() % 17) - 8));
    }
  }
  return items;
}

}  // namespace tests

#endif
