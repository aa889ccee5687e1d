#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bench/cells/scans.hpp"
#include "bench/data/host_data.hpp"
#include "bench/measure/rounds.hpp"

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

std::int64_t first_wrong(const cell& what, const dataset& data, const void* output) {
  std::int64_t wrong = all_right;
  with_scan<plain_scans>(what.scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    const T* in = reinterpret_cast<const T*>(data.elements.data());
    const T* out = static_cast<const T*>(output);
    if constexpr (std::is_floating_point_v<T> && std::is_same_v<Op, scan::plus>) {
      if (!data.exact) {
        wrong = first_wrong_sum(in, out, data.num_items, what.exclusive);
        return;
      }
    }
    wrong = walk(in, data.num_items, what.exclusive, Op{}, [&](const T& expected, std::int64_t i) {
      // The identity that begins an exclusive scan may be a zero of either sign.
      const bool any_zero = !data.exact || (what.exclusive && i == 0);
      return any_zero ? same_number(expected, out[i]) : same_bits(expected, out[i]);
    });
  });
  return wrong;
}

}  // namespace bench
