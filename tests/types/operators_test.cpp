// The operators themselves: wrap-around, NaN, signed zero, identities; and the conversions. What a
// scan makes of operators and types of the user's own: own_types_test.cpp.
#include "scan/operators.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "scan/operands/accumulator.hpp"

namespace {

__extension__ typedef __int128 signed_wide;
__extension__ typedef unsigned __int128 unsigned_wide;

}  // namespace

TEST_SUITE("operators") {
  TEST_CASE_TEMPLATE("integer sums and products wrap", T, std::int8_t, std::uint8_t, std::int16_t,
                     std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
    using limits = std::numeric_limits<T>;
    CHECK(scan::plus{}(limits::max(), T{1}) == limits::min());
    CHECK(scan::plus{}(limits::max(), limits::max()) == static_cast<T>(T{0} - T{2}));
    CHECK(scan::multiplies{}(limits::max(), T{2}) == static_cast<T>(T{0} - T{2}));
    CHECK(scan::multiplies{}(limits::max(), limits::max()) == T{1});
  }

  TEST_CASE_TEMPLATE("bitwise operators", T, std::int8_t, std::uint16_t, std::int32_t,
                     std::uint64_t) {
    CHECK(scan::bit_and{}(T{12}, T{10}) == T{8});
    CHECK(scan::bit_or{}(T{12}, T{10}) == T{14});
    CHECK(scan::bit_xor{}(T{12}, T{10}) == T{6});
  }

  TEST_CASE_TEMPLATE("an identity changes nothing, on either side", T, std::int8_t, std::uint8_t,
                     std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                     std::uint64_t, float, double) {
    using limits = std::numeric_limits<T>;
    const auto check = [](auto op) {
      const T identity = decltype(op)::template identity<T>();
      for (const T x : {T{0}, T{1}, limits::max(), limits::lowest()}) {
        CHECK(op(identity, x) == x);
        CHECK(op(x, identity) == x);
      }
    };
    check(scan::plus{});
    check(scan::multiplies{});
    check(scan::minimum{});
    check(scan::maximum{});
    if constexpr (std::is_integral_v<T>) {
      check(scan::bit_and{});
      check(scan::bit_or{});
      check(scan::bit_xor{});
    }
  }

  TEST_CASE_TEMPLATE("floating point: signed zeros and NaN", T, float, double) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    CHECK(std::signbit(scan::plus{}(scan::plus::identity<T>(), T{-0.0})));
    CHECK_FALSE(std::signbit(scan::plus{}(scan::plus::identity<T>(), T{0.0})));
    CHECK(std::isnan(scan::minimum{}(nan, T{1})));
    CHECK(std::isnan(scan::minimum{}(T{1}, nan)));
    CHECK(std::isnan(scan::maximum{}(nan, T{1})));
    CHECK(std::isnan(scan::maximum{}(T{1}, nan)));
    CHECK(std::signbit(scan::minimum{}(T{-0.0}, T{0.0})));
    CHECK_FALSE(std::signbit(scan::minimum{}(T{0.0}, T{-0.0})));
    CHECK(scan::minimum{}(T{1}, -std::numeric_limits<T>::infinity()) < T{0});
  }

  TEST_CASE("a walk from the end has the element on the left") {
    const auto minus = [](int earlier, int later) { return earlier - later; };
    CHECK(scan::flipped<decltype(minus)>{minus}(5, 3) == -2);
  }

  TEST_CASE("16-bit floats are converted to nearest even, and back unchanged") {
    CHECK(scan::convert<float>(scan::convert<__half>(2049.0f)) == 2048.0f);
    CHECK(scan::convert<float>(scan::convert<__half>(2051.0f)) == 2052.0f);
    CHECK(scan::convert<float>(scan::convert<__nv_bfloat16>(257.0f)) == 256.0f);
    CHECK(scan::convert<double>(scan::convert<__half>(1e9f)) ==
          std::numeric_limits<double>::infinity());
    CHECK(scan::convert<int>(scan::convert<__half>(-7.0f)) == -7);
    CHECK(std::is_same_v<scan::accumulator_t<__half, __half>, float>);
    CHECK(std::is_same_v<scan::accumulator_t<std::uint8_t, std::int64_t>, std::int64_t>);
    CHECK(std::is_same_v<scan::accumulator_t<__half, double>, double>);
  }

  TEST_CASE_TEMPLATE("__int128 is an integer in every dialect", T, signed_wide, unsigned_wide) {
    const T zero{0}, ones = static_cast<T>(~zero);
    const T sign = static_cast<T>(unsigned_wide{1} << 127);
    const bool has_sign = ones < zero;
    CHECK(bool(scan::plus{}(ones, T{1}) == zero));
    CHECK(bool(scan::multiplies{}(sign, T{2}) == zero));
    CHECK(bool(scan::multiplies::identity<T>() == T{1}));
    CHECK(bool(scan::plus::identity<T>() == zero));
    CHECK(bool(scan::minimum::identity<T>() == (has_sign ? static_cast<T>(~sign) : ones)));
    CHECK(bool(scan::maximum::identity<T>() == (has_sign ? sign : zero)));
    CHECK(bool(scan::bit_and::identity<T>() == ones));
    CHECK(bool(scan::bit_or::identity<T>() == zero));
    CHECK(bool(scan::bit_xor::identity<T>() == zero));
  }

  TEST_CASE("what has an identity") {
    struct without {
      int operator()(int a, int b) const { return a + b; }
    };
    struct vector {
      float x, y;
    };
    CHECK(scan::has_identity<scan::plus, int>);
    CHECK_FALSE(scan::has_identity<without, int>);
    CHECK_FALSE(scan::has_identity<scan::plus, vector>);
    CHECK_FALSE(scan::has_identity<scan::multiplies, vector>);
    CHECK_FALSE(scan::has_identity<scan::minimum, vector>);
    CHECK_FALSE(scan::has_identity<scan::bit_and, float>);
    CHECK(scan::has_identity<scan::bit_and, std::uint8_t>);
    CHECK(scan::bit_and::identity<bool>());
  }
}
