// The interval monoid: [i, i + 1) segments whose concatenation is legal only when they are
// adjacent. A scan of any number of segments is right for every operator iff it is right for this
// one: one operand swapped, dropped or taken twice breaks the interval for good.
#ifndef SCAN_TESTS_INTERVAL_HPP
#define SCAN_TESTS_INTERVAL_HPP

#include <cstdint>

#include "scan/abi.hpp"

namespace tests {

template <class Number>
struct interval_of {
  Number begin;
  Number end;

  friend SCAN_HOST_DEVICE bool operator==(const interval_of& a, const interval_of& b) {
    return a.begin == b.begin && a.end == b.end;
  }
};
using interval = interval_of<std::int64_t>;

inline constexpr interval broken{-1, -2};

/// Not commutative, and without an identity.
struct concatenate {
  template <class Number>
  SCAN_HOST_DEVICE interval_of<Number> operator()(const interval_of<Number>& earlier,
                                                  const interval_of<Number>& later) const {
    if (earlier.end == later.begin) return {earlier.begin, later.end};
    return {-1, -2};
  }
};

}  // namespace tests

#endif
