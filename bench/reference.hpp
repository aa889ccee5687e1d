// The judge: the scan as a serial loop, against which every output is compared as a whole.
#ifndef SCAN_BENCH_REFERENCE_HPP
#define SCAN_BENCH_REFERENCE_HPP

#include <cstdint>

#include "bench/data.hpp"
#include "bench/problem.hpp"

namespace bench {

inline constexpr std::int64_t all_right = -1;

/// Index of the first wrong element of `output`, the scan of `data`; or `all_right`.
///
/// Exact data (see dataset), integers included: the bits must be those of the serial loop, but for
/// the sign of a zero that an exclusive scan begins with. Sums of other floats: |error| <= eps *
/// (64 + n / 2^13) * sum |x|, sums running up to the element, against a serial loop in double (long
/// double for f64); where that is NaN the output must be, and beyond the type's range nothing is
/// asked. Their minimum and maximum: equal, and NaN where it is.
std::int64_t first_wrong(const problem& what, const dataset& data, const void* output);

}  // namespace bench

#endif
