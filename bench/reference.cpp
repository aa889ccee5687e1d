#include "bench/reference.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace bench {
namespace {

/// Walks through the serial scan: `agrees(expected, i)` for every element, until one does not.
template <class T, class Op, class Agrees>
std::int64_t walk(const T* in, std::int64_t num_items, bool exclusive, Op op, Agrees agrees) {
  T running = Op::template identity<T>();
  for (std::int64_t i = 0; i < num_items; ++i) {
    const T next = i == 0 ? in[0] : op(running, in[i]);
    if (!agrees(exclusive ? running : next, i)) return i;
    running = next;
  }
  return all_right;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Equal as numbers, so of either zero, or both NaN.
template <class T>
bool same_number(const T& a, const T& b) {
  return a == b || (a != a && b != b);
}

template <class T>
std::int64_t first_wrong_sum(const T* in, const T* out, std::int64_t num_items, bool exclusive) {
  using wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  const wide tolerance =
      std::numeric_limits<T>::epsilon() * (64 + static_cast<wide>(num_items) / (1 << 13));
  wide sum = 0, magnitude = 0;
  for (std::int64_t i = 0; i < num_items; ++i) {
    const wide before = sum, magnitude_before = magnitude;
    sum += in[i];
    magnitude += std::fabs(static_cast<wide>(in[i]));
    const wide expected = exclusive ? before : sum;
    const wide reach = exclusive ? magnitude_before : magnitude;
    if (expected != expected) {
      if (out[i] == out[i]) return i;
    } else if (reach <= std::numeric_limits<T>::max()) {
      if (!(std::fabs(out[i] - expected) <= tolerance * reach)) return i;
    }
  }
  return all_right;
}

}  // namespace

std::int64_t first_wrong(const problem& what, const dataset& data, const void* output) {
  return with_types(what, [&](auto zero, auto op) {
    using T = decltype(zero);
    const T* in = reinterpret_cast<const T*>(data.elements.data());
    const T* out = static_cast<const T*>(output);
    const auto bits = [&](const T& expected, std::int64_t i) {
      // The identity that begins an exclusive scan may be a zero of either sign.
      const bool identity = what.exclusive && i == 0;
      return identity ? same_number(expected, out[i]) : same_bits(expected, out[i]);
    };
    if constexpr (std::is_floating_point_v<T>) {
      const auto number = [&](const T& expected, std::int64_t i) {
        return same_number(expected, out[i]);
      };
      const bool sums = std::is_same_v<decltype(op), scan::plus>;
      if (!data.exact && sums) return first_wrong_sum(in, out, data.num_items, what.exclusive);
      if (!data.exact) return walk(in, data.num_items, what.exclusive, op, number);
    }
    return walk(in, data.num_items, what.exclusive, op, bits);
  });
}

}  // namespace bench
