// Operands of calls on the stand-in GPU, drawn at random. (After words.hpp.)
#ifndef SCAN_TESTS_EMULATED_OPERANDS_HPP
#define SCAN_TESTS_EMULATED_OPERANDS_HPP

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/emulated/check_call.hpp"

namespace SCAN_HIDDEN emulated {

/// Maps x -> a x + b, modulo 2^32, one after the other: an operator of the caller's own, without an
/// identity, for which the order matters.
struct affine {
  std::uint32_t a, b;
};
struct followed_by {
  template <class T>
  SCAN_HOST_DEVICE T operator()(const T& earlier, const T& later) const {
    return {earlier.a * later.a, earlier.b * later.a + later.b};
  }
};
/// Of no power of two, of which a vector fills no word.
struct odd {
  std::uint8_t of[5];
};
struct added {
  SCAN_HOST_DEVICE odd operator()(odd a, const odd& b) const {
    for (int i = 0; i < 5; ++i) a.of[i] = static_cast<std::uint8_t>(a.of[i] + b.of[i]);
    return a;
  }
};
/// Wider than what the ring takes, and without an identity.
struct wide_affine {
  std::uint64_t a, b, steps;
};
struct followed_by_wide {
  SCAN_HOST_DEVICE wide_affine operator()(const wide_affine& earlier,
                                          const wide_affine& later) const {
    return {earlier.a * later.a, earlier.b * later.a + later.b, earlier.steps + later.steps};
  }
};
template <class T>
std::vector<T> random_operands(std::int64_t n, std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, affine>) {
    std::vector<affine> maps(static_cast<std::size_t>(n));
    for (affine& each : maps) {
      each = {static_cast<std::uint32_t>(random()) | 1, static_cast<std::uint32_t>(random())};
    }
    return maps;
  } else if constexpr (std::is_same_v<T, wide_affine>) {
    std::vector<wide_affine> maps(static_cast<std::size_t>(n));
    for (wide_affine& each : maps) each = {random() | 1, random(), random() % 3};
    return maps;
  } else if constexpr (std::is_same_v<T, odd>) {
    std::vector<odd> all(static_cast<std::size_t>(n));
    for (odd& each : all) {
      for (std::uint8_t& byte : each.of) byte = static_cast<std::uint8_t>(random());
    }
    return all;
  } else {
    return random_vector<T>(n, random);
  }
}

}  // namespace emulated

#endif
