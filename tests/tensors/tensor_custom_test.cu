// Types, operators and functions of the user's own on tensors, through <scan/scan.cuh> on the
// device: the interval monoid within each sequence, which never meets another's, elements of 12 and
// 32 bytes and functions of numbers with operators that are not commutative. (Intervals of 16
// bytes: own_test.cu.)
//   tensor_custom_test [one case in so many] [most elements]
// What needs a GPU is left out, with exit code 77, where there is none.
#include <doctest/doctest.h>

#include <vector>

#include "tests/support/run_tests.hpp"
#include "tests/support/watched.hpp"
#include "tests/types/composed_parts.hpp"
#include "tests/types/own_tensors.hpp"

namespace {

using tests::most_elements;
using tests::one_in;
using tests::own_tensors;
using tests::placed_case;
using tests::random_elements;

template <class Each>
void for_each_case(bool can_be_in_place, const Each& each) {
  tests::for_each_tensor(tests::own_tensor_shapes(most_elements), can_be_in_place, one_in, each);
}

template <class T>
void check_elements() {
  auto calls = tests::plain_scan<own_tensors, T>(tests::compose{});
  for_each_case(true, [&](const placed_case& c) {
    calls.check_somewhere(c, random_elements<T>(c.in_place ? c.out_span() : c.in_span()),
                          random_elements<T>(c.num_inits()));
  });
}

/// Of 8 bytes, of which rows have more kernels than of others.
using number = std::int32_t;
using small_interval = tests::interval_of<number>;

/// Composes affine maps whose slope is the low half of a number and whose offset the high one: an
/// operator on plain numbers that is not commutative.
struct compose_halves {
  template <class Number>
  SCAN_HOST_DEVICE Number operator()(const Number& earlier, const Number& later) const {
    constexpr int bits = static_cast<int>(sizeof(Number)) * 4;
    constexpr Number low = static_cast<Number>((Number{1} << bits) - 1);
    const Number slope = later & low;
    return ((slope * (earlier >> bits) + (later >> bits)) << bits) |
           (slope * (earlier & low) & low);
  }
};

struct spread_bits {
  SCAN_HOST_DEVICE std::uint32_t operator()(const std::uint8_t& x) const {
    return (x * 0x10003u) | 1u;
  }
};
struct as_signed_difference {
  SCAN_HOST_DEVICE std::int16_t operator()(const std::uint32_t& x) const {
    return static_cast<std::int16_t>(1000 - static_cast<int>(x % 2000u));
  }
};

}  // namespace

TEST_SUITE("tensor custom") {
  TEST_CASE("intervals: every sequence in order, none twice, none lost, no stranger ever seen") {
    tests::shared_count strangers;
    auto calls = tests::plain_scan<own_tensors, small_interval>(
        tests::watched_concatenate{strangers.shared()});
    for_each_case(true, [&](const placed_case& c) {
      calls.check_somewhere(c, tests::intervals<number>(c), tests::inits_of_intervals<number>(c));
      INFO(c.describe());
      REQUIRE(strangers.take() == 0);
    });
  }

  TEST_CASE("elements of 12 and 32 bytes, an operator that is not commutative") {
    check_elements<tests::affine_parts<std::uint32_t, 3>>();
    check_elements<tests::affine_parts<std::uint64_t, 4>>();
  }

  TEST_CASE("functions on the way in and out of numbers, an operator that is not commutative") {
    tests::own_scan<own_tensors, scan::transform_input<std::uint8_t, spread_bits>,
                    scan::transform_output<std::int16_t, as_signed_difference>, compose_halves>
        calls({}, {}, {});
    for_each_case(false, [&](const placed_case& c) {
      calls.check_somewhere(c, tests::random_items<std::uint8_t>(c.in_span(), 3),
                            tests::random_items<std::uint32_t>(c.num_inits(), 4));
    });
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv, 400000);
  return tests::run_tests(argc, argv);
}
