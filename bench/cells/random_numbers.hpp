// Random numbers that are the same everywhere. Of the standard library's generators and
// distributions only the former are, and logarithms differ in their last bits: so all is made of
// integers, products and square roots, which are exact or rounded in one way.
#ifndef SCAN_BENCH_CELLS_RANDOM_NUMBERS_HPP
#define SCAN_BENCH_CELLS_RANDOM_NUMBERS_HPP

#include <cmath>
#include <cstdint>

namespace bench {

/// Splitmix64.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint32_t bits() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((x ^ (x >> 31)) >> 32);
  }
  /// Of [0, count).
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>((std::uint64_t{bits()} * count) >> 32);
  }
  bool one_in(std::uint32_t count) { return below(count) == 0; }

  /// from * (to / from)^u, u uniform in [0, 1): each bit of u has its root of the quotient.
  std::int64_t log_uniform(std::int64_t from, std::int64_t to) {
    double value = static_cast<double>(from), root = static_cast<double>(to) / value;
    for (std::uint32_t u = bits(); u != 0; u <<= 1) {
      root = std::sqrt(root);
      if (u >> 31 != 0) value *= root;
    }
    return static_cast<std::int64_t>(value);
  }

 private:
  std::uint64_t state_;
};

}  // namespace bench

#endif
