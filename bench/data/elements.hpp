// The elements that are scanned where no file is given, the same ones every time, on host and
// device.
//
// Every association of their sums has the same bits: integers are random and wrap around, and each
// float is the difference of two bounded random numbers, b(i + 1) - b(i), so that every sum of a
// stretch is a small whole number. Inputs of maximum rise and those of minimum fall, under noise,
// so that there are new records all the way to the end.
#ifndef SCAN_BENCH_DATA_ELEMENTS_HPP
#define SCAN_BENCH_DATA_ELEMENTS_HPP

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bench/cells/scans.hpp"

namespace bench {

SCAN_HOST_DEVICE inline std::uint64_t hash(std::int64_t i) {
  std::uint64_t x = (static_cast<std::uint64_t>(i) + 2016) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 27);
}

/// Random whole number of [-most, most].
SCAN_HOST_DEVICE inline float bounded(std::int64_t i, std::uint32_t most) {
  const std::uint64_t scaled = (hash(i) >> 32) * (2 * most + 1);
  return static_cast<float>(static_cast<std::int32_t>(scaled >> 32) -
                            static_cast<std::int32_t>(most));
}

/// Bits of the whole numbers that T holds without a gap, but for a sign.
template <class T>
inline constexpr int whole_bits = std::numeric_limits<T>::digits;
template <>
inline constexpr int whole_bits<__half> = 11;
template <>
inline constexpr int whole_bits<__nv_bfloat16> = 8;

/// Element of an input of minimum or maximum: a ramp over [0, 2^num_bits), num_bits those of n,
/// plus noise of a quarter of its height; falling for minimum. Exact in T, which it fills.
template <class T, class Op>
SCAN_HOST_DEVICE T record(std::int64_t i, int num_bits) {
  constexpr int digits = whole_bits<T>;
  const int up = digits - 1 - num_bits;
  const auto at = static_cast<std::uint64_t>(i);
  const std::uint64_t ramp = up >= 0 ? at << up : at >> -up;
  std::uint64_t level = ramp + (hash(i) >> (64 - (digits - 3)));
  if (std::is_same_v<Op, scan::minimum>) level = (~std::uint64_t{0} >> (64 - digits)) - level;
  constexpr std::int64_t middle = std::is_unsigned_v<T> ? 0 : std::int64_t{1} << (digits - 1);
  const std::int64_t value = static_cast<std::int64_t>(level) - middle;
  if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(value);
  return scan::convert<T>(static_cast<float>(value));
}

/// Element of an input of `num_items`, as `bits_of` has them.
template <class In, class Op>
SCAN_HOST_DEVICE In element(std::int64_t i, int num_bits) {
  if constexpr (std::is_same_v<In, affine>) {
    return {hash(i) | 1, hash(~i)};  // odd factors have inverses: products never become 0
  } else if constexpr (!std::is_same_v<Op, scan::plus>) {
    return record<In, Op>(i, num_bits);
  } else if constexpr (std::is_integral_v<In>) {
    return static_cast<In>(hash(i));
  } else {
    // Twice that is what the significand of 8 or 11 bits counts exactly.
    constexpr std::uint32_t most = std::is_same_v<In, __nv_bfloat16> ? 63 : 511;
    return scan::convert<In>(bounded(i + 1, most) - bounded(i, most));
  }
}

inline int bits_of(std::int64_t num_items) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(num_items - 1)));
}

}  // namespace bench

#endif
