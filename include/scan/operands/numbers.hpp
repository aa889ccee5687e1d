// Which types are numbers, and what the operators have to know of them.
#ifndef SCAN_OPERANDS_NUMBERS_HPP
#define SCAN_OPERANDS_NUMBERS_HPP

#include <limits>
#include <type_traits>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Integers: those of std::is_integral, and __int128, which is one of them in gnu++17, not in
/// c++17.
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T>;

/// The type to compute in where integers of type T are to wrap around: overflow of signed ones is
/// undefined, and `int`, which shorter ones are promoted to, is one of them.
template <class T>
struct wrapping {
  static_assert(!std::is_same_v<T, bool>,
                "scan: a sum or a product of bools is not a bool: give the scan a wider output, or "
                "another operator (scan::bit_or, scan::bit_xor, scan::bit_and)");
  using type = std::common_type_t<unsigned, std::make_unsigned_t<T>>;
};
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
template <>
inline constexpr bool is_integer<int128> = true;
template <>
inline constexpr bool is_integer<uint128> = true;
template <>
struct wrapping<int128> {
  using type = uint128;
};
template <>
struct wrapping<uint128> {
  using type = uint128;
};
#endif
template <class T>
using wrapping_t = typename wrapping<T>::type;

/// Numbers of the language. Only they have identities: that a type of the user's own can be made
/// from 0 or 1 does not say that these change nothing.
template <class T>
inline constexpr bool is_number = is_integer<T> || std::is_floating_point_v<T>;

/// Whether a T may be none. (accumulator.hpp: the 16-bit floats.)
template <class T>
inline constexpr bool has_nan = std::is_floating_point_v<T>;

/// Numbers, and types of the user's own that have limits.
template <class T>
inline constexpr bool has_limits = is_number<T> || std::numeric_limits<T>::is_specialized;

/// The number that no other exceeds.
template <class T>
constexpr T highest_number() noexcept {
  using limits = std::numeric_limits<T>;
  if constexpr (limits::has_infinity) {
    return limits::infinity();
  } else if constexpr (limits::is_specialized) {
    return limits::max();
  } else {  // __int128 in c++17
    return static_cast<T>(~wrapping_t<T>{0} >> (T(-1) < T(0) ? 1 : 0));
  }
}
/// The number that exceeds no other.
template <class T>
constexpr T lowest_number() noexcept {
  using limits = std::numeric_limits<T>;
  if constexpr (limits::has_infinity) {
    return -limits::infinity();
  } else if constexpr (limits::is_specialized) {
    return limits::lowest();
  } else {
    return static_cast<T>(~highest_number<T>());
  }
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
