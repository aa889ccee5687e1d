// Recurrences in which factors of 0 follow what overflows, and NaN and infinities what underflows:
// data, and what the states have to be.
#ifndef SCAN_TESTS_RECURRENCE_RESETS_HPP
#define SCAN_TESTS_RECURRENCE_RESETS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/tensors/tensor_reference.hpp"

namespace tests {

/// In turn, along each sequence, from some place on: 0; factors whose products underflow, with a
/// NaN on the way; 0; factors near 1; factors whose products overflow.
template <class T>
class reset_case {
 public:
  using state = scan::state_t<T>;
  tensor_case c;
  std::vector<T> a, b;
  std::vector<state> inits;

  explicit reset_case(const tensor_case& what) : c(what) {
    a.resize(static_cast<std::size_t>(c.in_span()));
    b.resize(a.size());
    for (std::int64_t s = 0; s < c.num_sequences(); ++s) {
      constexpr float infinity = std::numeric_limits<float>::infinity();
      constexpr float starts[] = {infinity, 1, -infinity};
      inits.push_back(starts[s % 3]);
      for (std::int64_t step = 0; step < c.shape.length; ++step) put(s, step);
    }
  }

  /// The first state that is wrong, or "".
  std::string judge(const std::vector<T>& h) const {
    for (std::int64_t s = 0; s < c.num_sequences(); ++s) {
      auto before = init_of_sequence(c, inits, s);
      long double exact = before ? static_cast<long double>(*before) : 0;
      long double magnitude = std::abs(exact);
      for (std::int64_t step = 0; step < c.shape.length; ++step) {
        const std::size_t i = place(s, step);
        const long double factor = scan::convert<double>(a[i]),
                          offset = scan::convert<double>(b[i]);
        const bool begins = (step == 0 && !before) || factor == 0;
        exact = begins ? offset : factor * exact + offset;
        magnitude = begins ? std::abs(offset) : std::abs(factor) * magnitude + std::abs(offset);
        const bool right = begins ? std::memcmp(&h[i], &b[i], sizeof(T)) == 0
                                  : overflows(s, step) || is_near(h[i], exact, magnitude);
        if (!right) return c.describe() + told(s, step, h[i], exact);
      }
    }
    return "";
  }

 private:
  static constexpr std::int64_t period = 700, second = 233, third = 467, not_a_number = 20;

  static std::int64_t phase(std::int64_t s, std::int64_t step) { return (step + 311 * s) % period; }
  static bool overflows(std::int64_t s, std::int64_t step) { return phase(s, step) >= third; }
  std::size_t place(std::int64_t s, std::int64_t step) const {
    const std::int64_t i = c.reverse ? c.shape.length - 1 - step : step;
    return static_cast<std::size_t>(c.in_index(s / c.shape.inner, i, s % c.shape.inner));
  }
  /// Of [0, 1).
  static float fraction(std::size_t i) {
    return static_cast<float>((i + 1) * 0x9e3779b97f4a7c15u >> 40) * 0x1p-24f;
  }
  void put(std::int64_t s, std::int64_t step) {
    const std::size_t i = place(s, step);
    const std::int64_t p = phase(s, step);
    float factor = 0x1p15f, offset = fraction(i) - 0.5f;
    if (p < third) factor = (i % 2 == 0 ? 1.0f : -1.0f) * (1 - fraction(i + 1) / 64);
    if (p < second) factor = 0x1p-6f;
    if (p == 0 || p == second) factor = i % 2 == 0 ? 0.0f : -0.0f;
    if (p == 0) offset = -0.0f;
    if (p == not_a_number) offset = std::numeric_limits<float>::quiet_NaN();
    if (step == 0 && c.init == sequence_init::none) factor = s % 2 == 0 ? NAN : INFINITY;  // unused
    a[i] = scan::convert<T>(factor);
    b[i] = scan::convert<T>(offset);
  }
  /// Within 2000 roundings of the state and one of the output; a NaN where there has to be one, and
  /// for an infinity that or a NaN.
  static bool is_near(const T& h, long double exact, long double magnitude) {
    const long double actual = scan::convert<double>(h);
    if (std::isnan(exact)) return std::isnan(actual);
    if (std::isinf(exact)) return !std::isfinite(actual);
    const double of_output = std::is_same_v<T, __half> ? 0x1p-11 : sizeof(T) == 2 ? 0x1p-8 : 0;
    const double bound = 2000 * (sizeof(T) == 8 ? 0x1p-53 : 0x1p-24) + of_output;
    return std::abs(actual - exact) <= bound * magnitude + (sizeof(T) == 2 ? 0x1p-24 : 0);
  }
  static std::string told(std::int64_t s, std::int64_t step, const T& h, long double exact) {
    return ": sequence " + std::to_string(s) + " step " + std::to_string(step) + " phase " +
           std::to_string(phase(s, step)) + " is " + std::to_string(scan::convert<double>(h)) +
           ", not " + std::to_string(exact);
  }
};

/// The cases of some shapes, walked forwards and back, with an init each and without.
template <class Check>
void for_each_reset_case(const std::vector<scan::extents>& shapes, const Check& check) {
  for (const scan::extents& shape : shapes) {
    for (int bits = 0; bits < 4; ++bits) {
      tensor_case c;
      c.shape = shape;
      c.reverse = (bits & 1) != 0;
      c.init = (bits & 2) != 0 ? sequence_init::by_pointer : sequence_init::none;
      check(c);
    }
  }
}

}  // namespace tests

#endif
