// Columns that a lane goes along by itself, on the stand-in GPU: short ones compared with serial
// loops; the same bits as those of tiles, of longer ones as those of walks; and which are theirs.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/tensors/column_kinds.hpp"

namespace {

using namespace emulated;
using namespace scan::device;

/// Columns that lanes take whatever their rows' places, one slab or several; `many` for a
/// multiprocessor.
tests::placed_case short_columns(std::mt19937_64& random, bool recurrence, bool many) {
  const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
  const std::int64_t inner = 32 + up_to(many ? 900 : 90);
  scan::extents shape{up_to(4), up_to(random() % 2 == 0 ? 33 : 12), inner};
  if (many) shape.outer += 2000 / inner;
  auto c = tests::tensor_variant(shape, random(), recurrence, true);
  tests::place(c, random());
  return c;
}

TEST_CASE("emulated short columns of sums and maxima") {
  draw(60, 3, {"lane_column_kernel"}, [](std::mt19937_64& random) {
    const bool many = now.seed % 5 == 0;
    check_scan<float>(short_columns(random, false, many), scan::plus{}, random);
    check_scan<std::int64_t>(short_columns(random, false, false), scan::maximum{}, random);
    check_scan<std::int8_t>(short_columns(random, false, many), scan::plus{}, random);
    check_scan<__nv_bfloat16>(short_columns(random, false, many), scan::plus{}, random);
  });
  CHECK(seen.kernels.size() == 1);
}

TEST_CASE("emulated short columns of recurrences") {
  draw(40, 3, {"lane_column_kernel"}, [](std::mt19937_64& random) {
    const auto draw_one = [&] {
      auto c = short_columns(random, true, now.seed % 5 == 0);
      c.shape.length = std::min<std::int64_t>(c.shape.length, 23);  // (longer ones are walked)
      return c;
    };
    check_recurrence<float>(draw_one(), random);
    check_recurrence<__nv_bfloat16>(draw_one(), random);
  });
  CHECK(seen.kernels.size() == 1);
}

// (Of so many columns, of so few rows, where they lie so: lane_choice_test.cpp.)
TEST_CASE("emulated short columns, 16 bytes of a row a lane") {
  const auto columns_of = [](std::int64_t length, std::int64_t inner, bool recurrence,
                             std::mt19937_64& random) {
    const auto more = static_cast<std::int64_t>(8 * (random() % 9 + 1));
    auto c = tests::tensor_variant({1, length, inner + more}, random(), recurrence, true);
    c.in_offset = c.out_offset = 0;
    c.shape.in_pitch = c.shape.out_pitch = 0;
    return c;
  };
  draw(3, 2, {"lane_column_kernel"}, [&](std::mt19937_64& random) {
    check_scan<float>(columns_of(3, most_brief_lanes, false, random), scan::plus{}, random);
    check_scan<std::int16_t>(columns_of(5, 2 * most_brief_lanes, false, random), scan::plus{},
                             random);
  });
  CHECK(seen.kernels.size() == 1);
  // (Their factors may lie otherwise.)
  draw(6, 0, {"lane_column_kernel"}, [&](std::mt19937_64& random) {
    check_recurrence<float>(columns_of(3, most_brief_lanes, true, random), random);
  });
}

/// One call by lanes, each with one column or as many as it may have, and by tiles, or walks.
template <bool in_runs, class T, class Describe>
void check_carriers(const scan::extents& shape, const std::vector<T>& items, Describe describe,
                    std::mt19937_64& random) {
  scan::tensor_shape resolved{};
  REQUIRE(scan::resolve(shape, 0, sizeof(T), resolved).ok());
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  const array<T> in(items, 4, random_end(random));
  const array<T> out[] = {array<T>(items, 4, random_end(random)),
                          array<T>(items, 4, random_end(random)),
                          array<T>(items, 4, random_end(random))};
  for (const int by : {0, 1, 2}) {
    const auto described = describe(in.data(), out[by].data(), resolved);
    using tensor = std::decay_t<decltype(described.forwards())>;
    constexpr bool backwards = std::decay_t<decltype(described)>::reversed;
    const scan::options<scan::state_t<T>> opts;
    REQUIRE(tests::launch_chosen(described, opts, limits, [&](auto& to) -> scan::status {
              if (by == 0 && in_runs) {
                choose_column_walk<1>(to, described.forwards(), backwards, limits);
                return {};
              }
              if (by == 0) {
                return choose_columns(to, described.forwards(), limits, false, backwards);
              }
              const int columns = by == 1 ? 1 : word_lane_columns<tensor>;
              limits.sm_count = 1;  // (where lanes are many of one)
              choose_lane_columns<in_runs>(to, described.forwards(), columns, backwards, limits);
              return {};
            }).ok());
  }
  CHECK(are_same(out[0].items(), out[1].items()));
  CHECK(are_same(out[0].items(), out[2].items()));
}
template <class T, bool reversed, bool in_runs>
void check_carriers(std::mt19937_64& random) {
  const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
  const scan::extents short_ones{up_to(5), up_to(33), (400 + up_to(200)) * 4};
  const scan::extents long_ones{up_to(2), 20 + up_to(most_lane_walk_rows({2, 2, 8, 2}) - 20),
                                (32 + up_to(40)) * 4};
  const scan::extents shape = in_runs ? long_ones : short_ones;
  check_kinds<T, reversed>(shape, random, [&](const auto& items, auto describe) {
    check_carriers<in_runs>(shape, items, describe, random);
  });
}
TEST_CASE("emulated short columns have the same bits by lanes and by tiles") {
  draw(6, 0, {"lane_column_kernel", "column_kernel"}, [](std::mt19937_64& random) {
    check_carriers<float, false, false>(random);
    check_carriers<__nv_bfloat16, true, false>(random);
  });
}
TEST_CASE("emulated columns have the same bits by lanes and by walks") {
  draw(8, 0, {"lane_column_kernel", "column_walk_kernel"}, [](std::mt19937_64& random) {
    check_carriers<float, true, true>(random);
    check_carriers<__nv_bfloat16, false, true>(random);
  });
}
/// So many, of `least` rows to `most`, that lanes walk them. (Not as tests of all kernels draw
/// them, which are fewer columns.)
tests::placed_case columns_of(std::int64_t least, std::int64_t most, bool recurrence,
                              std::mt19937_64& random) {
  std::int64_t inner = 67 + static_cast<std::int64_t>(random() % 100);
  inner -= inner % 8 == 0 ? 1 : 0;  // (so that rows are no whole sectors)
  const std::int64_t rows = least + static_cast<std::int64_t>(random() % (most - least + 1));
  auto c = tests::tensor_variant({3600 / inner, rows, inner}, random(), recurrence, true);
  tests::place(c, random());
  return c;
}
/// A call that lanes take has the bits of `algorithm::walk`, whatever its options.
template <class T, class S, class Call>
void check_as_walked(const tests::placed_case& c, Call call, std::mt19937_64& random) {
  check_tensor<T, S>(
      c, scan::algorithm::automatic, tests::random_values<T>(tests::values::wide, c.in_span()),
      [&](const T* in, T* out, const auto& opts) {
        int& lanes = seen.kernels["lane_column_kernel"];
        const int before = lanes;
        const scan::status status = call(in, out, opts);
        CHECK(lanes > before);
        return status;
      },
      [&](const T* in, T* out, const auto& inits, S* totals) {
        scan::options<S> opts;
        opts.reverse = c.reverse;
        opts.complete = c.complete;
        opts.total = totals;
        if (c.init == tests::sequence_init::by_value) opts.init = inits[0];
        if (c.init == tests::sequence_init::by_pointer) opts.init_pointer = inits.data();
        opts.algorithm = scan::algorithm::walk;
        REQUIRE(call(in, out, opts).ok());
      },
      random);
}
template <class T>
void check_sums_as_walked(std::int64_t least, std::int64_t most, std::mt19937_64& random) {
  const auto c = columns_of(least, most, false, random);
  check_as_walked<T, T>(
      c,
      [&](const T* in, T* out, const auto& opts) {
        return c.exclusive ? scan::exclusive(in, out, c.shape, scan::plus{}, opts)
                           : scan::inclusive(in, out, c.shape, scan::plus{}, opts);
      },
      random);
}
/// Of which the first factor, without an init, is nobody's, be it a NaN.
template <class T>
void check_recurrences_as_walked(std::int64_t least, std::int64_t most, std::mt19937_64& random) {
  const auto c = columns_of(least, most, true, random);
  auto factors = tests::random_values<T>(tests::values::near_one, c.in_span());
  const std::int64_t inner = c.shape.inner, slab = c.shape.length * inner;
  const std::int64_t pitch = c.shape.in_pitch > 0 ? c.shape.in_pitch : slab;
  const std::int64_t first = c.reverse ? slab - inner : 0;
  for (std::int64_t i = 0; c.init == tests::sequence_init::none && i < c.num_sequences(); ++i) {
    factors[i / inner * pitch + first + i % inner] = scan::convert<T>(NAN);
  }
  const array<T> a(factors, static_cast<std::int64_t>(random() % 4), random_end(random));
  check_as_walked<T, scan::state_t<T>>(
      c,
      [&](const T* in, T* out, const auto& opts) {
        return scan::recurrence(a.data(), in, out, c.shape, opts);
      },
      random);
}
TEST_CASE("emulated columns of any options have the same bits by lanes and by walks") {
  draw(18, 2, {"lane_column_kernel"}, [](std::mt19937_64& random) {
    check_sums_as_walked<__half>(100, 150, random);
    check_sums_as_walked<__nv_bfloat16>(100, 150, random);
    check_recurrences_as_walked<float>(24, 40, random);
    check_recurrences_as_walked<__nv_bfloat16>(70, 256, random);
  });
}
TEST_CASE("emulated columns that are walked, by lanes") {
  draw(6, 2, {"lane_column_kernel"}, [&](std::mt19937_64& random) {
    check_scan<std::int16_t>(columns_of(100, 150, false, random), scan::maximum{}, random);
    check_scan<__nv_bfloat16>(columns_of(100, 150, false, random), scan::plus{}, random);
    check_recurrence<float>(columns_of(24, 40, true, random), random);
    check_recurrence<__nv_bfloat16>(columns_of(34, 256, true, random), random);
  });
  CHECK(seen.kernels.size() == 1);
}

}  // namespace
