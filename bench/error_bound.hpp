// How far sums may be off: the error bound of the order in which the library adds.
//
// A computed sum in which no element passes more than d additions is off by at most gamma(d) times
// the sum of the elements' magnitudes (Higham, "Accuracy and Stability of Numerical Algorithms",
// section 4.2). So all that counts is the longest chain of additions from an input to an output.
#ifndef SCAN_BENCH_ERROR_BOUND_HPP
#define SCAN_BENCH_ERROR_BOUND_HPP

#include <cstdint>

namespace bench {

/// Half the distance from 1 to the next number of a type with `digits` binary digits.
constexpr double unit_roundoff(int digits) {
  return digits == 0 ? 1 : unit_roundoff(digits - 1) / 2;
}

/// Additions on the longest way from an input to an output of an inclusive sum of `n` elements,
/// accumulated in float; `element_bytes`: 2 or 4, the larger of input and output. They follow
/// device/kernel.cuh and host/blocks.hpp, and have to be changed with these.
std::int64_t device_chain(std::int64_t n, int element_bytes);
std::int64_t host_chain(std::int64_t n);

/// |output - exact sum| / sum |x| is at most this, for additions in float (infinite where there is
/// no bound: chains of 2^24) and outputs rounded to `output_digits` digits.
double error_bound(std::int64_t chain, int output_digits);

}  // namespace bench

#endif
