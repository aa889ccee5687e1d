// Element types and operators of the user's own, as they are written for <scan/scan.cuh>: any
// trivially copyable type of up to 64 bytes, any associative `op(earlier, later)`. One with an
// identity can start an exclusive scan without an init.
#ifndef SCAN_TESTS_EXAMPLES_HPP
#define SCAN_TESTS_EXAMPLES_HPP

#include <cmath>
#include <cstdint>
#include <cuda/std/complex>

#include "scan/abi.hpp"

namespace tests {

/// 2 x 2 matrices modulo a prime, multiplied from left to right: linear recurrences of second order
/// such as Fibonacci's, (f[i], f[i-1]) = (f[i-1], f[i-2]) * {p, 1, q, 0} for
/// f[i] = p f[i-1] + q f[i-2].
struct matrix {
  std::uint32_t a, b, c, d;
};
struct matrix_product {
  static constexpr std::uint64_t prime = 65521;
  SCAN_HOST_DEVICE matrix operator()(const matrix& x, const matrix& y) const {
    return {dot(x.a, y.a, x.b, y.c), dot(x.a, y.b, x.b, y.d),  //
            dot(x.c, y.a, x.d, y.c), dot(x.c, y.b, x.d, y.d)};
  }
  template <class T>
  static constexpr T identity() {
    return {1, 0, 0, 1};
  }

 private:
  SCAN_HOST_DEVICE static std::uint32_t dot(std::uint64_t p, std::uint64_t q, std::uint64_t r,
                                            std::uint64_t s) {
    return static_cast<std::uint32_t>((p * q + r * s) % prime);
  }
};

/// The map h -> a h + b, composed: linear recurrences of first order (decaying averages, gated
/// state-space models), h[i] = a[i] h[i-1] + b[i].
struct affine {
  float a, b;
};
struct then {
  SCAN_HOST_DEVICE affine operator()(const affine& earlier, const affine& later) const {
    return {later.a * earlier.a, later.a * earlier.b + later.b};
  }
  template <class T>
  static constexpr T identity() {
    return {1, 0};
  }
};

/// Rabin-Karp: the hash of a string modulo 2^61 - 1 and the power of the base that moves it past
/// the string. From the hashes of all prefixes that of any substring follows in constant time.
struct rolling_hash {
  std::uint64_t hash, power;
};
struct append {
  static constexpr std::uint64_t base = 1000003, prime = (std::uint64_t{1} << 61) - 1;
  SCAN_HOST_DEVICE static std::uint64_t multiply(std::uint64_t x, std::uint64_t y) {
    const auto product = static_cast<__uint128_t>(x) * y;
    return modulo(static_cast<std::uint64_t>(product & prime) +
                  static_cast<std::uint64_t>(product >> 61));
  }
  SCAN_HOST_DEVICE static std::uint64_t modulo(std::uint64_t x) {
    return x < prime ? x : x - prime;
  }
  SCAN_HOST_DEVICE rolling_hash operator()(const rolling_hash& earlier,
                                           const rolling_hash& later) const {
    return {modulo(multiply(earlier.hash, later.power) + later.hash),
            multiply(earlier.power, later.power)};
  }
  template <class T>
  static constexpr T identity() {
    return {0, 1};
  }
};
/// What a character contributes; a function for the scan's input.
struct hash_of_character {
  SCAN_HOST_DEVICE rolling_hash operator()(unsigned char c) const {
    return {std::uint64_t{c} + 1, append::base};
  }
};

/// The largest value so far and where it was first (records, dynamic programs). No identity.
struct indexed {
  float value;
  std::uint32_t index;
};
struct first_largest {
  SCAN_HOST_DEVICE indexed operator()(const indexed& earlier, const indexed& later) const {
    return later.value > earlier.value ? later : earlier;
  }
};

/// The largest exponent so far, and the sum of all exponentials divided by that of the largest:
/// what normalises a softmax, in one pass ("online softmax"). The identity is that of no elements.
struct softmax_norm {
  float largest, sum;
};
struct merge_norms {
  SCAN_HOST_DEVICE softmax_norm operator()(const softmax_norm& earlier,
                                           const softmax_norm& later) const {
    const softmax_norm& more = earlier.largest < later.largest ? later : earlier;
    const softmax_norm& less = earlier.largest < later.largest ? earlier : later;
    if (less.sum == 0) return more;
    return {more.largest, more.sum + less.sum * expf(less.largest - more.largest)};
  }
  template <class T>
  static constexpr T identity() {
    return {-3.402823466e38f, 0};
  }
};
/// What an element contributes; a function for the scan's input.
struct norm_of_one {
  SCAN_HOST_DEVICE softmax_norm operator()(float x) const { return {x, 1}; }
};

/// Products of complex numbers: the phase that rotations add up to. Adding +0 turns a -0, of which
/// products leave more or fewer as they are associated, into +0. No identity.
using complex = cuda::std::complex<float>;
struct rotate {
  SCAN_HOST_DEVICE complex operator()(const complex& earlier, const complex& later) const {
    return {earlier.real() * later.real() - earlier.imag() * later.imag() + 0.0f,
            earlier.real() * later.imag() + earlier.imag() * later.real() + 0.0f};
  }
};

/// Brackets without partner after all pairs are matched, "))(((" being {2, 3}: parsing, nesting
/// depth. It is the bicyclic monoid.
struct brackets {
  std::uint32_t closing, opening;
};
struct match {
  SCAN_HOST_DEVICE brackets operator()(const brackets& earlier, const brackets& later) const {
    const std::uint32_t pairs = earlier.opening < later.closing ? earlier.opening : later.closing;
    return {earlier.closing + later.closing - pairs, earlier.opening + later.opening - pairs};
  }
  template <class T>
  static constexpr T identity() {
    return {0, 0};
  }
};

/// Upper unitriangular 3 x 3 matrices {1 a ab; 0 1 b; 0 0 1}, multiplied: how many a and b there
/// are, and how many pairs of an a and a later b. No identity.
struct unitriangular {
  std::uint64_t a, b, ab;
};
struct count_pairs {
  SCAN_HOST_DEVICE unitriangular operator()(const unitriangular& earlier,
                                            const unitriangular& later) const {
    return {earlier.a + later.a, earlier.b + later.b, earlier.ab + earlier.a * later.b + later.ab};
  }
};

}  // namespace tests

#endif
