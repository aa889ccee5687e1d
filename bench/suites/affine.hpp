// An operator of the user's own, of 16 bytes and not commutative.
#ifndef SCAN_BENCH_SUITES_AFFINE_HPP
#define SCAN_BENCH_SUITES_AFFINE_HPP

#include <cstdint>

#include "scan/host_device.hpp"

namespace bench {

/// The map h -> a h + b modulo 2^64: linear recurrences of first order.
struct alignas(16) affine {
  std::uint64_t a, b;
};

SCAN_HOST_DEVICE constexpr bool operator==(const affine& x, const affine& y) {
  return x.a == y.a && x.b == y.b;
}

struct compose {
  SCAN_HOST_DEVICE constexpr affine operator()(const affine& earlier, const affine& later) const {
    return {later.a * earlier.a, later.a * earlier.b + later.b};
  }
};

}  // namespace bench

#endif
