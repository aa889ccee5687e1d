// A type, an operator, functions and keys of a user's own in each family of scans, on CPU threads
// and, where there is one, on the device: sequences, tensors, segments. Intervals find every
// operand that is out of order, lost, there twice or from elsewhere, whatever the operator would
// have been. More sizes of elements and operators: custom_test.cu and the others of that name.
//   own_test [one case in so many] [most elements]
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tests/support/run_tests.hpp"
#include "tests/support/watched.hpp"
#include "tests/types/composed_parts.hpp"
#include "tests/types/own_keys.hpp"
#include "tests/types/own_segments.hpp"
#include "tests/types/own_sequences.hpp"
#include "tests/types/own_tensors.hpp"

namespace {

using tests::concatenate_with_identity;
using tests::interval;
using tests::on_device;
using tests::one_in;
using tests::segment_case;

/// Of more than 16 bytes, of which there are few kernels: those of segments take long to compile.
using wide_number = __int128_t;
using wide_interval = tests::interval_of<wide_number>;

std::vector<interval> neighbours(std::int64_t n) {
  std::vector<interval> items;
  for (std::int64_t i = 0; i < n; ++i) items.push_back({i, i + 1});
  return items;
}

/// Numbers from 1000 on to intervals; others, zero and the guards among them, are strangers.
struct to_interval {
  tests::shared_count::handle strangers;
  std::int32_t end;
  SCAN_HOST_DEVICE wide_interval operator()(std::int32_t x) const {
    if (x < 1000 || x >= end) strangers.add();
    return {x, x + 1};
  }
};
/// How long it is; counts its calls.
struct length_of {
  tests::shared_count::handle calls;
  SCAN_HOST_DEVICE std::int16_t operator()(const wide_interval& x) const {
    calls.add();
    return static_cast<std::int16_t>(x.end - x.begin);
  }
};

}  // namespace

TEST_SUITE("own") {
  TEST_CASE("a sequence: operands in order, none twice, none lost, nothing from outside") {
    tests::shared_count strangers;
    const concatenate_with_identity op{{strangers.shared()}};
    for (const std::int64_t n : tests::custom_sizes(sizeof(interval))) {
      tests::check(neighbours(n), interval{-7, 0}, interval{n, n + 7}, op);
      REQUIRE(strangers.take() == 0);
    }
  }

  TEST_CASE("tensors: every sequence in order, none twice, none lost, no stranger ever seen") {
    tests::shared_count strangers;
    auto calls = tests::plain_scan<tests::own_tensors, interval>(
        concatenate_with_identity{{strangers.shared()}});
    tests::for_each_tensor(tests::own_tensor_shapes(tests::most_elements), true, one_in,
                           [&](const tests::placed_case& c) {
                             calls.check_somewhere(c, tests::intervals<std::int64_t>(c),
                                                   tests::inits_of_intervals<std::int64_t>(c));
                             INFO(c.describe());
                             REQUIRE(strangers.take() == 0);
                           });
  }

  TEST_CASE("segments: every one in order, none twice, none lost, no stranger ever seen") {
    tests::shared_count strangers;
    auto calls = tests::plain_scan<tests::own_segments, wide_interval>(
        concatenate_with_identity{{strangers.shared()}});
    tests::for_each_segments<tests::own_segments>(
        tests::own_layouts(tests::most_elements), true, one_in, [&](const segment_case& c) {
          calls.check_somewhere(c, tests::intervals<wide_number>(c),
                                tests::inits_of_intervals<wide_number>(c));
          INFO(c.describe());
          REQUIRE(strangers.take() == 0);
        });
    if (one_in == 1) CHECK(tests::num_shared_calls() > 0);
    CHECK(tests::num_deserted_calls() == 0);
  }

  TEST_CASE("keys and an equality of one's own, which is asked about neighbours") {
    using keys = tests::own_keys_of<tests::wide_keys, tests::little_above>;
    tests::shared_count strangers, others;
    keys::equal = {strangers.shared()};
    auto calls = tests::plain_scan<keys, interval>(concatenate_with_identity{{others.shared()}});
    tests::for_each_segments<keys>(
        tests::own_layouts(tests::most_elements), true, 2 * one_in, [&](const segment_case& c) {
          calls.check_somewhere(c, tests::intervals<std::int64_t>(c),
                                tests::inits_of_intervals<std::int64_t>(c));
        });
    CHECK(strangers.take() == 0);
    CHECK(others.take() == 0);
  }

  TEST_CASE("functions and operator see each element of [0, n) in order and nothing else") {
    tests::shared_count strangers, calls;
    for (const std::int64_t n : tests::custom_sizes(sizeof(wide_interval))) {
      std::vector<std::int32_t> items;
      for (std::int64_t i = 0; i < n; ++i) items.push_back(static_cast<std::int32_t>(1000 + i));
      const std::int64_t end = 1000 + n;
      const std::int64_t outputs = tests::check_transformed<std::int16_t>(
          items, to_interval{strangers.shared(), static_cast<std::int32_t>(end)},
          length_of{calls.shared()}, wide_interval{993, 1000},
          concatenate_with_identity{{strangers.shared()}}, wide_interval{end, end + 7});
      REQUIRE(strangers.take() == 0);
      REQUIRE(calls.take() == outputs);  // results once
    }
    CHECK(to_interval{strangers.shared(), 2000}(999).begin == 999);
    CHECK(strangers.take() == 1);
  }

  TEST_CASE("elements that begin in one 16 bytes and end in the next") {
    if (!tests::gpu_present()) return;
    tests::shared_count strangers;
    for (int turn = 0; turn < 16; ++turn) {
      tests::check_at(neighbours(40011), concatenate_with_identity{{strangers.shared()}},
                      turn % 2 * sizeof(interval::begin), turn % 3 % 2 * sizeof(interval::begin),
                      static_cast<std::uint64_t>(turn / 2));
    }
    CHECK(strangers.take() == 0);
  }

  TEST_CASE("the checks notice one interval that is another's") {
    tests::shared_count strangers;
    const concatenate_with_identity op{{strangers.shared()}};
    auto items = neighbours(5000);
    ++items[4321].begin;
    tests::check(items, interval{-7, 0}, interval{5000, 5007}, op);
    CHECK(strangers.take() > 0);
    // Of a tensor two exchanged; two segments taken for one.
    tests::placed_case tensor;
    tensor.shape = {2, 50, 3, 0, 0};
    items = tests::intervals<std::int64_t>(tensor);
    std::swap(items[30], items[33]);
    tests::plain_scan<tests::own_tensors, interval>(op).check(tensor, items, {}, {1, on_device});
    CHECK(strangers.take() > 0);
    segment_case c;
    const auto layout = [](const std::vector<std::int64_t>& lengths) {
      return std::make_shared<const tests::segment_layout>(
          tests::layout_of_lengths("few", lengths));
    };
    c.layout = layout({5, 5});
    const auto two = tests::intervals<wide_number>(c);
    c.layout = layout({10});
    tests::plain_scan<tests::own_segments, wide_interval>(op).check(c, two, {}, {1, on_device});
    CHECK(strangers.take() > 0);
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv, 100000);
  return doctest::Context(argc, argv).run();
}
