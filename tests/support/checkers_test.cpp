// The helpers that check must fail where they should.
#include <doctest/doctest.h>

#include "tests/support/cases.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/interval.hpp"

TEST_SUITE("checkers") {
  TEST_CASE("a guarded buffer notices a write on either side") {
    for (const std::int64_t offset : {0, 1, 3}) {
      tests::guarded<int> buffer(10, offset);
      CHECK(buffer.guards_intact());
      CHECK(buffer.untouched());
      buffer.data()[3] = 1;
      CHECK(buffer.guards_intact());
      CHECK_FALSE(buffer.untouched());
      buffer.data()[-1] = 1;
      CHECK_FALSE(buffer.guards_intact());
      tests::guarded<int> other(10, offset);
      other.data()[10] = 1;
      CHECK_FALSE(other.guards_intact());
    }
  }

  TEST_CASE("a comparison finds the one wrong element, and tells -0.0 from 0.0") {
    std::vector<float> expected{1, 2, 0.0f, 4};
    std::vector<float> actual = expected;
    CHECK(tests::first_difference(actual.data(), expected) == -1);
    actual[2] = -0.0f;
    CHECK(tests::first_difference(actual.data(), expected) == 2);
    actual[0] = 9;
    CHECK(tests::first_difference(actual.data(), expected) == 0);
  }

  TEST_CASE("the serial reference is a scan") {
    const std::vector<int> in{3, 1, 4};
    const scan::plus op;
    CHECK(tests::serial_scan({3, false, false, false, 0, 0}, in, op) == std::vector<int>{3, 4, 8});
    CHECK(tests::serial_scan({3, true, false, false, 0, 0}, in, op) == std::vector<int>{0, 3, 4});
    CHECK(tests::serial_scan({3, true, true, false, 0, 0}, in, op) == std::vector<int>{7, 10, 11});
  }

  TEST_CASE("intervals concatenate only when adjacent, in order, and remember a mistake") {
    const tests::concatenate op;
    CHECK(op(tests::interval{0, 2}, tests::interval{2, 5}) == tests::interval{0, 5});
    CHECK(op(tests::interval{2, 5}, tests::interval{0, 2}) == tests::broken);
    CHECK(op(tests::interval{0, 2}, tests::interval{3, 5}) == tests::broken);
    CHECK(op(tests::broken, tests::interval{0, 1}) == tests::broken);
  }
}
