// Sixteen bytes of elements, and an operator applied to all of them at once.
//
// For sums, and for what else of the library's operators is an instruction or a few of vector code.
// Their identities are known, and nobody sees their operands: the gaps may be filled with it.
// Written with the vector extensions of GCC and Clang, for any processor; other compilers,
// operators and types take streams.hpp.
#ifndef SCAN_HOST_LANES_HPP
#define SCAN_HOST_LANES_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/operators.hpp"
#include "scan/protocol/store_order.hpp"
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SCAN_HAS_LANES 1
#endif
#endif

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Whether scans of `T` with `Op` are done in lanes.
template <class Op, class T>
inline constexpr bool in_lanes = false;
template <class Op, class T>
inline constexpr bool in_lanes<flipped<Op>, T> = in_lanes<Op, T>;

#ifdef SCAN_HAS_LANES

template <class T>
inline constexpr bool lane_integer = std::is_integral_v<T> && sizeof(T) <= 8 &&
                                     !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool in_lanes<plus, T> =
    lane_integer<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool in_lanes<bit_and, T> = lane_integer<T>;
template <class T>
inline constexpr bool in_lanes<bit_or, T> = lane_integer<T>;
template <class T>
inline constexpr bool in_lanes<bit_xor, T> = lane_integer<T>;
// SSE2 compares no 64-bit integers.
template <class T>
inline constexpr bool in_lanes<minimum, T> = lane_integer<T> && sizeof(T) <= 4;
template <class T>
inline constexpr bool in_lanes<maximum, T> = lane_integer<T> && sizeof(T) <= 4;

/// The element type of the vectors that hold `T`: one whose overflow is defined.
template <class T, bool integer = std::is_integral_v<T>>
struct lane_element {
  using type = T;
};
template <class T>
struct lane_element<T, true> {
  template <class U1, class U2, class U4, class U8>
  using sized = std::conditional_t<sizeof(T) <= 2, std::conditional_t<sizeof(T) == 1, U1, U2>,
                                   std::conditional_t<sizeof(T) == 4, U4, U8>>;
  using type = sized<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
};

template <class T>
struct lanes {
  static constexpr int count = 16 / sizeof(T);
  using element = typename lane_element<T>::type;
  typedef element vector __attribute__((vector_size(16)));
  typedef T compared __attribute__((vector_size(16)));  // knows the sign
  vector all;

  static lanes load(const T* from) {
    lanes loaded;
    std::memcpy(&loaded.all, from, sizeof(loaded.all));
    return loaded;
  }
  /// (Minus 0, which leaves -0.0 alone as plus 0 would not.)
  static lanes filled(T value) { return {static_cast<element>(value) - vector{}}; }
  T operator[](int lane) const { return static_cast<T>(all[lane]); }

  /// To memory; `past_caches` wants `to` aligned to 16 and leaves the line out of the caches.
  template <bool past_caches>
  void store(T* to) const {
#ifdef __SSE2__
    if constexpr (past_caches) {
      __m128i bits;
      std::memcpy(&bits, &all, sizeof(bits));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), bits);
      return;
    }
#endif
    std::memcpy(to, &all, sizeof(all));
  }
};

/// The same bits as another vector. (A reinterpret_cast, which nvcc does not take.)
template <class To, class From>
[[gnu::always_inline]] inline To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// ---- operators ----
template <class T>
lanes<T> apply(plus, lanes<T> a, lanes<T> b) {
  return {a.all + b.all};
}
template <class T>
lanes<T> apply(bit_and, lanes<T> a, lanes<T> b) {
  return {a.all & b.all};
}
template <class T>
lanes<T> apply(bit_or, lanes<T> a, lanes<T> b) {
  return {a.all | b.all};
}
template <class T>
lanes<T> apply(bit_xor, lanes<T> a, lanes<T> b) {
  return {a.all ^ b.all};
}
template <class T>
lanes<T> apply(minimum, lanes<T> a, lanes<T> b) {
  using compared = typename lanes<T>::compared;
  return {bits_as<compared>(b.all) < bits_as<compared>(a.all) ? b.all : a.all};
}
template <class T>
lanes<T> apply(maximum, lanes<T> a, lanes<T> b) {
  using compared = typename lanes<T>::compared;
  return {bits_as<compared>(a.all) < bits_as<compared>(b.all) ? b.all : a.all};
}
template <class Op, class T>
lanes<T> apply(flipped<Op> op, lanes<T> walked, lanes<T> next) {
  return apply(op.op, next, walked);
}

template <class Op, class T>
struct lane_identity {
  static constexpr T value = Op::template identity<T>();
};
template <class Op, class T>
struct lane_identity<flipped<Op>, T> : lane_identity<Op, T> {};

// ---- between lanes: inlined whatever the compiler thinks, a call costs as much as all of it ----
/// Lane i of the result is lane from(i) of `a`, or with from(i) >= count of `b`. (Without a pack of
/// indices, which nvcc does not pass on.)
template <class From, class T>
[[gnu::always_inline]] inline lanes<T> pick(lanes<T> a, lanes<T> b, From) {
  constexpr auto at = [](int lane) { return From::of(lane, lanes<T>::count); };
  if constexpr (lanes<T>::count == 2) {
    return {__builtin_shufflevector(a.all, b.all, at(0), at(1))};
  } else if constexpr (lanes<T>::count == 4) {
    return {__builtin_shufflevector(a.all, b.all, at(0), at(1), at(2), at(3))};
  } else if constexpr (lanes<T>::count == 8) {
    return {__builtin_shufflevector(a.all, b.all, at(0), at(1), at(2), at(3), at(4), at(5), at(6),
                                    at(7))};
  } else {
    return {__builtin_shufflevector(a.all, b.all, at(0), at(1), at(2), at(3), at(4), at(5), at(6),
                                    at(7), at(8), at(9), at(10), at(11), at(12), at(13), at(14),
                                    at(15))};
  }
}

struct last_lane {
  static constexpr int of(int /*lane*/, int count) { return count - 1; }
};
template <class T>
[[gnu::always_inline]] inline lanes<T> broadcast_last(lanes<T> a) {
  return pick(a, a, last_lane{});
}

/// Moves up by `distance` lanes; the lowest become the identity.
template <int distance>
struct moved_up {
  static constexpr int of(int lane, int count) { return count - distance + lane; }
};
template <int distance>
struct lowest {
  static constexpr int of(int lane, int count) { return lane < distance ? lane : count + lane; }
};
template <int distance, class Op, class T>
[[gnu::always_inline]] inline lanes<T> shift_up(lanes<T> a) {
  using vector = typename lanes<T>::vector;
  using bits = typename lanes<std::uint64_t>::vector;
  const lanes<T> moved = pick(lanes<T>{}, a, moved_up<distance>{});
  // A shift of bytes brings in zeros; to make them -0.0 or the largest integer is one more
  // instruction.
  const lanes<T> identity = lanes<T>::filled(lane_identity<Op, T>::value);
  const lanes<T> low = pick(identity, lanes<T>{}, lowest<distance>{});
  return {bits_as<vector>(bits_as<bits>(moved.all) | bits_as<bits>(low.all))};
}

/// Lane i becomes the fold of lanes 0 .. i: s(log2 count, i), where s(j + 1, i) = s(j, i - 2^j) op
/// s(j, i).
template <int distance = 1, class Op, class T>
[[gnu::always_inline]] inline lanes<T> scan_within(lanes<T> a, Op op) {
  if constexpr (distance < lanes<T>::count) {
    return scan_within<2 * distance>(apply(op, shift_up<distance, Op>(a), a), op);
  } else {
    return a;
  }
}

#endif

/// Does that at the end of a scope, and when an exception leaves it: whoever catches that may write
/// the outputs anew, or hand their memory on, before they have arrived.
struct stores_to_finish {
  stores_to_finish() = default;
  stores_to_finish(const stores_to_finish&) = delete;
  ~stores_to_finish() { finish_stores(); }
};

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
