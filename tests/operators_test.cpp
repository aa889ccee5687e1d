// The operators themselves: wrap-around, NaN, signed zero, identities.
#include "scan/operators.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

TEST_SUITE("operators") {
  TEST_CASE_TEMPLATE("integer sums wrap", T, std::uint8_t, std::int32_t, std::uint32_t,
                     std::int64_t, std::uint64_t) {
    using limits = std::numeric_limits<T>;
    CHECK(scan::plus{}(limits::max(), T{1}) == limits::min());
    CHECK(scan::plus{}(limits::max(), limits::max()) == static_cast<T>(T{0} - T{2}));
  }

  TEST_CASE_TEMPLATE("an identity changes nothing, on either side", T, std::uint8_t, std::int32_t,
                     std::int64_t, std::uint64_t, float, double) {
    using limits = std::numeric_limits<T>;
    const auto check = [](auto op) {
      const T identity = decltype(op)::template identity<T>();
      for (const T x : {T{0}, T{1}, limits::max(), limits::lowest()}) {
        CHECK(op(identity, x) == x);
        CHECK(op(x, identity) == x);
      }
    };
    check(scan::plus{});
    check(scan::minimum{});
    check(scan::maximum{});
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

  TEST_CASE("what has an identity") {
    struct without {
      int operator()(int a, int b) const { return a + b; }
    };
    CHECK(scan::has_identity<scan::plus, int>);
    CHECK_FALSE(scan::has_identity<without, int>);
  }
}
