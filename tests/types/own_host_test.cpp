// Types, operators and functions of a user's own on CPU threads, more of them than nvcc has time
// for: elements of many sizes as sequences, tensors and segments, and functions that see what they
// should.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "tests/support/watched.hpp"
#include "tests/types/composed_parts.hpp"
#include "tests/types/own_segments.hpp"
#include "tests/types/own_sequences.hpp"
#include "tests/types/own_tensors.hpp"

namespace {

using tests::custom_sizes;
using tests::interval;
using tests::random_elements;
using tests::shared_count;
template <class Part, int size>
using parts = tests::affine_parts<Part, size>;

/// Takes and gives __half, and is not const.
struct half_maximum {
  int calls = 0;
  SCAN_HOST_DEVICE __half operator()(const __half& earlier, const __half& later) {
    ++calls;
    return scan::convert<float>(earlier) < scan::convert<float>(later) ? later : earlier;
  }
};

/// Squares numbers of [1000, 2000]; others, zero and the guards among them, are strangers.
struct watched_square {
  shared_count::handle strangers;
  std::int64_t operator()(std::int16_t x) const {
    if (x < 1000 || x > 2000) strangers.add();
    return std::int64_t{x} * x;
  }
};
/// Counts its calls, and results that no sum of such squares can have.
struct watched_result {
  shared_count::handle calls, strangers;
  std::int64_t most;
  std::int64_t operator()(std::int64_t sum) const {
    calls.add();
    if (sum < 0 || sum > most) strangers.add();
    return -sum;
  }
};

struct scale_to_half {
  float factor;
  __half operator()(float sum) const { return scan::convert<__half>(factor * sum); }
};

template <class T>
void check_sequences() {
  for (const std::int64_t n : custom_sizes(sizeof(T))) {
    tests::check(random_elements<T>(n), random_elements<T>(1)[0], tests::compose{});
  }
}
template <class T>
void check_tensors() {
  auto calls = tests::plain_scan<tests::own_tensors, T>(tests::compose{});
  tests::for_each_tensor(
      tests::own_tensor_shapes(100000), true, 4, [&](const tests::placed_case& c) {
        calls.check_somewhere(c, random_elements<T>(c.in_place ? c.out_span() : c.in_span()),
                              random_elements<T>(c.num_inits()));
      });
}
template <class T>
void check_segments() {
  auto calls = tests::plain_scan<tests::own_segments, T>(tests::compose{});
  tests::for_each_segments<tests::own_segments>(
      tests::own_layouts(100000), true, 2, [&](const tests::segment_case& c) {
        calls.check_somewhere(c, random_elements<T>(c.num_items()),
                              random_elements<T>(c.num_inits()));
      });
}

}  // namespace

TEST_SUITE("own on CPU threads") {
  TEST_CASE("elements of 3, 5, 12, 24 and 64 bytes") {
    check_sequences<parts<std::uint8_t, 3>>();
    check_sequences<parts<std::uint8_t, 5>>();
    check_sequences<parts<std::uint32_t, 3>>();
    check_sequences<parts<std::uint64_t, 3>>();
    check_sequences<parts<std::uint64_t, 8>>();
  }

  TEST_CASE("tensors and segments of elements of 3, 12 and 64 bytes") {
    check_tensors<parts<std::uint8_t, 3>>();
    check_tensors<parts<std::uint32_t, 3>>();
    check_tensors<parts<std::uint64_t, 8>>();
    check_segments<parts<std::uint8_t, 3>>();
    check_segments<parts<std::uint32_t, 3>>();
    check_segments<parts<std::uint64_t, 8>>();
  }

  TEST_CASE("the check of sequences notices an operator that is not associative" *
            doctest::should_fail()) {
    using element = parts<std::uint8_t, 3>;
    tests::check(random_elements<element>(1000), random_elements<element>(1)[0], tests::compose{1});
  }
  TEST_CASE("the check of tensors does" * doctest::should_fail()) {
    using element = parts<std::uint32_t, 3>;
    tests::placed_case c;
    c.shape = {1, 20000, 2};
    tests::plain_scan<tests::own_tensors, element>(tests::compose{1})
        .check(c, random_elements<element>(40000), {}, {tests::several_threads});
  }
  TEST_CASE("the check of segments does" * doctest::should_fail()) {
    using element = parts<std::uint32_t, 3>;
    tests::segment_case c;
    c.layout =
        std::make_shared<const tests::segment_layout>(tests::layout_of_lengths("one", {20000}));
    tests::plain_scan<tests::own_segments, element>(tests::compose{1})
        .check(c, random_elements<element>(20000), {}, {tests::several_threads});
  }

  TEST_CASE("an exclusive scan without identity and init is refused") {
    const interval in{0, 1};
    interval out{};
    CHECK(scan::exclusive(scan::host, &in, &out, 1, tests::concatenate{}) == cudaErrorInvalidValue);
  }

  TEST_CASE("functions see each element of [0, n) and nothing else, results once") {
    shared_count strangers, calls;
    std::mt19937 random(22);
    for (const std::int64_t n : custom_sizes(sizeof(std::int64_t))) {
      std::vector<std::int16_t> items(static_cast<std::size_t>(n));
      for (std::int16_t& item : items) item = static_cast<std::int16_t>(1000 + random() % 1001);
      const std::int64_t outputs = tests::check_transformed<std::int64_t>(
          items, watched_square{strangers.shared()},
          watched_result{calls.shared(), strangers.shared(), 4000000 * (n + 1)},
          std::int64_t{4000000}, scan::plus{});
      REQUIRE(strangers.take() == 0);
      REQUIRE(calls.take() == outputs);
    }
    const watched_square square{strangers.shared()};
    CHECK(square(999) + square(2001) > 0);
    CHECK(strangers.take() == 2);
  }

  TEST_CASE("sums of float, scaled and stored as half") {
    for (const std::int64_t n : custom_sizes(sizeof(float))) {
      tests::check_transformed<__half>(tests::random_items<float>(n, 21), scan::as_is{},
                                       scale_to_half{0.125f}, -3.0f, scan::plus{});
    }
  }

  TEST_CASE("an operator on __half whose call operator is not const") {
    std::vector<__half> in(700001), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = scan::convert<__half>(static_cast<float>(i * i % 2003));
    }
    REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), static_cast<std::int64_t>(in.size()),
                            half_maximum{})
                .ok());
    CHECK(tests::first_difference(out.data(),
                                  tests::serial_scan<__half>(false, {}, in, half_maximum{})) == -1);
  }
}
