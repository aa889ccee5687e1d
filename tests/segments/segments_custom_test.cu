// Types, operators, keys and functions of the user's own on segments, through <scan/scan.cuh>, on
// CPU threads and on the device: elements of 12, 24 and 64 bytes with an operator that is not
// commutative, keys of any type with an equality, which sees neighbours alone, iterators.
// (Intervals, of which no segment's may meet another's: own_test.cu.)
//   segments_custom_test [one case in so many] [most elements]
// What needs a GPU is left out, with exit code 77, where there is none.
#include <doctest/doctest.h>

#include <vector>

#include "tests/support/run_tests.hpp"
#include "tests/support/watched.hpp"
#include "tests/types/composed_parts.hpp"
#include "tests/types/own_keys.hpp"
#include "tests/types/own_segments.hpp"

namespace {

using tests::elsewhere;
using tests::little_above;
using tests::most_elements;
using tests::one_in;
using tests::own_keys_of;
using tests::own_segments;
using tests::random_elements;
using tests::rising_keys;
using tests::segment_case;
using tests::wide_keys;

template <class Heads, class Each>
void for_each_case(bool can_be_in_place, const Each& each) {
  tests::for_each_segments<Heads>(tests::own_layouts(most_elements), can_be_in_place, one_in, each);
}

template <class Heads, class T, class Op>
void check_elements(Op op) {
  auto calls = tests::plain_scan<Heads, T>(op);
  for_each_case<Heads>(true, [&](const segment_case& c) {
    calls.check_somewhere(c, random_elements<T>(c.num_items()), random_elements<T>(c.num_inits()));
  });
}

template <class Heads, class Check>
void check_neighbours(const Check& check) {
  tests::shared_count strangers;
  Heads::equal = {strangers.shared()};
  check();
  CHECK(strangers.take() == 0);
}

struct heads_of_iterators : own_segments {
  template <class In, class Out, class Op, class Options, class... Where>
  static scan::status call(const segment_case& c, const void* heads, const In* in, Out* out, Op op,
                           const Options& opts, Where... where) {
    return call_segments(c, heads, elsewhere<const In>{in}, elsewhere<Out>{out}, op, opts,
                         where...);
  }
};

template <class Maker, class Equal>
struct keys_of_iterators : own_keys_of<Maker, Equal> {
  using own_keys_of<Maker, Equal>::equal;
  template <class In, class Out, class Op, class Options, class... Where>
  static scan::status call(const segment_case& c, const void* heads, const In* in, Out* out, Op op,
                           const Options& opts, Where... where) {
    using key = typename own_keys_of<Maker, Equal>::key;
    const elsewhere<const key> keys{static_cast<const key*>(heads)};
    return c.exclusive
               ? scan::exclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal)
               : scan::inclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal);
  }
};

struct low_bits {
  SCAN_HOST_DEVICE std::uint32_t operator()(const std::uint8_t& x) const { return x % 50u; }
};
struct as_signed_difference {
  SCAN_HOST_DEVICE std::int16_t operator()(const std::uint32_t& x) const {
    return static_cast<std::int16_t>(1000 - static_cast<int>(x % 2000u));
  }
};

}  // namespace

TEST_SUITE("segments custom") {
  TEST_CASE("elements of 24 and 64 bytes, an operator that is not commutative") {
    check_elements<own_segments, tests::affine_parts<std::uint64_t, 3>>(tests::compose{});
    check_elements<own_segments, tests::affine_parts<std::uint64_t, 8>>(tests::compose{});
    if (one_in == 1) CHECK(tests::num_shared_calls() > 0);
    CHECK(tests::num_deserted_calls() == 0);
  }

  TEST_CASE("elements of 12 bytes, by keys of float") {
    check_elements<own_keys_of<tests::float_keys>, tests::affine_parts<std::uint32_t, 3>>(
        tests::compose{});
  }

  // Elements of 4 and of 12 bytes are scanned in one round, of 4 by the ring, too.
  TEST_CASE("functions on the way in and out, an equality that is asked about neighbours") {
    using rising = own_keys_of<rising_keys, little_above>;
    check_neighbours<rising>([] {
      tests::own_scan<rising, scan::transform_input<std::uint8_t, low_bits>,
                      scan::transform_output<std::int16_t, as_signed_difference>, scan::plus>
          calls({}, {}, {});
      for_each_case<rising>(false, [&](const segment_case& c) {
        calls.check_somewhere(c, tests::random_items<std::uint8_t>(c.num_items(), 3),
                              tests::random_items<std::uint32_t>(c.num_inits(), 4));
      });
    });
  }

  TEST_CASE("an equality of wide keys is asked about neighbours, in memory's order") {
    using wide = own_keys_of<wide_keys, little_above>;
    check_neighbours<wide>(
        [] { check_elements<wide, tests::affine_parts<std::uint64_t, 2>>(tests::compose{}); });
  }

  TEST_CASE("through iterators that are not over arrays") {
    check_elements<heads_of_iterators, std::int32_t>(scan::plus{});
    using wide = keys_of_iterators<wide_keys, little_above>;
    check_neighbours<wide>([] { check_elements<wide, std::int32_t>(scan::plus{}); });
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv, 400000);
  return tests::run_tests(argc, argv);
}
