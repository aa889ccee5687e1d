// Elements of any size with an operator of the user's own, which is not commutative.
#ifndef SCAN_TESTS_COMPOSED_PARTS_HPP
#define SCAN_TESTS_COMPOSED_PARTS_HPP

#include <cstdint>

#include "scan/host_device.hpp"

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

}  // namespace tests

#endif
