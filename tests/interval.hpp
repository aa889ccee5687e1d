// The interval monoid: [i, i + 1) segments whose concatenation is legal only when they are
// adjacent. A scan of any number of segments is right for every operator iff it is right for this
// one: one operand swapped, dropped or taken twice breaks the interval for good.
#ifndef SCAN_TESTS_INTERVAL_HPP
#define SCAN_TESTS_INTERVAL_HPP

#include <cstdint>

#include "scan/host_device.hpp"

namespace tests {

struct interval {
  std::int64_t begin;
  std::int64_t end;

  friend SCAN_HOST_DEVICE bool operator==(const interval& a, const interval& b) {
    return a.begin == b.begin && a.end == b.end;
  }
};

inline constexpr interval broken{-1, -2};

/// Not commutative, and without an identity.
struct concatenate {
  SCAN_HOST_DEVICE interval operator()(const interval& earlier, const interval& later) const {
    return earlier.end == later.begin ? interval{earlier.begin, later.end} : interval{-1, -2};
  }
};

}  // namespace tests

#endif
