// Elements of any size with an operator of the user's own, which is not commutative.
#ifndef SCAN_TESTS_COMPOSED_PARTS_HPP
#define SCAN_TESTS_COMPOSED_PARTS_HPP

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "scan/abi.hpp"

namespace tests {

/// Affine maps x -> part[0] x + part[i], for each i > 0, modulo what a part holds.
template <class Part, int size>
struct affine_parts {
  Part part[size];
};
/// Composes them, which is not commutative; with `spoil` = 1 not associative either.
struct compose {
  unsigned spoil = 0;
  template <class Part, int size>
  SCAN_HOST_DEVICE affine_parts<Part, size> operator()(
      const affine_parts<Part, size>& earlier, const affine_parts<Part, size>& later) const {
    const std::uint64_t slope = later.part[0];
    affine_parts<Part, size> composed;
    composed.part[0] = static_cast<Part>(slope * earlier.part[0] + spoil * later.part[1]);
    for (int i = 1; i < size; ++i) {
      composed.part[i] = static_cast<Part>(slope * earlier.part[i] + later.part[i]);
    }
    return composed;
  }
};

/// `n` elements of random bytes whose first one is odd, so that products do not vanish.
template <class T>
std::vector<T> random_elements(std::int64_t n) {
  static std::mt19937 random(1);
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) {
    unsigned char image[sizeof(T)];
    for (unsigned char& byte : image) byte = static_cast<unsigned char>(random());
    image[0] |= sizeof(T) == 1 ? 16 : 1;
    std::memcpy(&item, image, sizeof(T));
  }
  return items;
}

}  // namespace tests

#endif
