// What the bits of a tensor's sequences depend on, in host memory; recurrences.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/sequences/association.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/check_refused.hpp"
#include "tests/support/guarded.hpp"
#include "tests/tensors/recurrence_resets.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace {

using tests::check_refused;
using tests::sequence_init;
using tests::tensor_case;

template <class T>
std::vector<T> rounded_items(std::int64_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) item = scan::convert<T>(static_cast<float>(random()) * 0x1p-31f - 1);
  return items;
}

template <class T>
bool same_bits(const T* a, const T* b, std::int64_t n) {
  return std::memcmp(a, b, static_cast<std::size_t>(n) * sizeof(T)) == 0;
}

/// Whether each row has the bits of the scan of one sequence, among many rows, in few, at a pitch,
/// in place, backwards, with an init each.
template <class T, class Op>
void check_rows(std::int64_t length, Op op) {
  CAPTURE(length);
  const std::int64_t outer = length > 1000 ? 3 : 37, pitch = length + 3;
  const auto items = rounded_items<T>(outer * pitch, 11), inits = rounded_items<T>(outer, 12);
  for (int bits = 0; bits < 32; ++bits) {
    scan::host_options<T> options;
    options.reverse = bits & 1;
    options.threads = bits & 2 ? 5 : 1;
    const auto call = [&](auto... arguments) {
      return bits & 4 ? scan::exclusive(scan::host, arguments...)
                      : scan::inclusive(scan::host, arguments...);
    };
    std::vector<T> expected(items.size(), T(0.0f)), out(expected), totals(inits), alone(inits);
    for (std::int64_t o = 0; o < outer; ++o) {
      if (bits & 8) options.init = inits[static_cast<std::size_t>(o)];
      options.total = &alone[static_cast<std::size_t>(o)];
      REQUIRE(
          call(items.data() + o * pitch, expected.data() + o * pitch, length, op, options).ok());
    }
    options.init.reset();
    if (bits & 8) options.init_pointer = inits.data();
    options.total = totals.data();
    const scan::extents shape{outer, length, 1, pitch, pitch};
    if (bits & 16) {  // in place
      out = items;
      for (std::int64_t o = 0; o < outer; ++o) {
        std::memcpy(&expected[static_cast<std::size_t>(o * pitch + length)],
                    &items[static_cast<std::size_t>(o * pitch + length)], 3 * sizeof(T));
      }
    }
    REQUIRE(call(bits & 16 ? out.data() : items.data(), out.data(), shape, op, options).ok());
    CHECK(same_bits(out.data(), expected.data(), outer * pitch));
    CHECK(same_bits(totals.data(), alone.data(), outer));
  }
}

template <class T>
void check_columns(const scan::extents& shape, bool exclusive, bool reverse, bool with_init) {
  const auto slab = shape.length * shape.inner;
  const std::int64_t in_pitch = shape.in_pitch > 0 ? shape.in_pitch : slab;
  const auto items = rounded_items<T>(shape.outer * in_pitch, 3);
  std::vector<T> out(items.size()), expected(items.size());
  scan::host_options<T> options;
  if (with_init) options.init = T(0.1);
  options.reverse = reverse;
  for (const int threads : {1, 4}) {
    options.threads = threads;
    REQUIRE(
        (exclusive
             ? scan::exclusive(scan::host, items.data(), out.data(), shape, scan::plus{}, options)
             : scan::inclusive(scan::host, items.data(), out.data(), shape, scan::plus{}, options))
            .ok());
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      for (std::int64_t k = 0; k < shape.inner; ++k) {
        const auto place = [&](std::int64_t step, std::int64_t pitch) {
          const std::int64_t i = reverse ? shape.length - 1 - step : step;
          return static_cast<std::size_t>(o * pitch + i * shape.inner + k);
        };
        std::vector<T> column;
        for (std::int64_t i = 0; i < shape.length; ++i) column.push_back(items[place(i, in_pitch)]);
        const auto results =
            tests::host_column_association<T>(column, scan::plus{}, exclusive, options.init, -T{0});
        for (std::int64_t i = 0; i < shape.length; ++i) {
          expected[place(i, slab)] = results[static_cast<std::size_t>(i)];
        }
      }
    }
    CHECK(same_bits(out.data(), expected.data(), shape.outer * slab));
  }
}

/// A recurrence in every variant; factors of -1, 0 and 1, whose results are exact.
template <class T>
void check_recurrence(const scan::extents& shape, int threads) {
  using S = scan::state_t<T>;
  for (int bits = 0; bits < 48; ++bits) {
    tensor_case c{{}, shape};
    c.reverse = bits & 1;
    c.in_place = bits & 2;
    c.with_total = bits & 4;
    if (bits & 8) c.shape.in_pitch = c.shape.out_pitch = shape.length * shape.inner + 3;
    if ((bits & 8) && !c.in_place) c.shape.out_pitch += 4;
    c.init = static_cast<sequence_init>(bits / 16);
    CAPTURE(c.describe());
    tests::guarded<T> a(c.in_span()), b(c.in_span(), 1), h(c.out_span(), 1), expected(c.out_span());
    const auto factors = tests::random_items<std::int32_t>(c.in_span(), 1);
    const auto offsets = tests::random_items<T>(c.in_span(), 2);
    for (std::int64_t i = 0; i < c.in_span(); ++i) {
      a.data()[i] = scan::convert<T>(static_cast<float>(factors[static_cast<std::size_t>(i)] % 2));
      b.data()[i] = offsets[static_cast<std::size_t>(i)];
    }
    if (c.in_place) std::memcpy(expected.data(), b.data(), offsets.size() * sizeof(T));
    const auto inits = tests::random_items<S>(c.num_sequences() + 1, 4);
    tests::guarded<S> totals(c.num_sequences()), expected_totals(c.num_sequences());
    tests::recur_serially(c, a.data(), b.data(), expected.data(), inits,
                          c.with_total ? expected_totals.data() : nullptr);
    scan::host_options<S> options;
    options.threads = threads;
    options.reverse = c.reverse;
    if (c.with_total) options.total = totals.data();
    if (c.init == sequence_init::by_value) options.init = inits[0];
    if (c.init == sequence_init::by_pointer) options.init_pointer = inits.data();
    T* const out = c.in_place ? b.data() : h.data();
    const scan::status done =
        scan::recurrence(scan::host, a.data(), b.data(), out, c.shape, options);
    REQUIRE_MESSAGE(done.ok(), done.message());
    CHECK(same_bits(out, expected.data(), c.out_span()));
    CHECK(same_bits(totals.data(), expected_totals.data(), c.num_sequences()));
    CHECK((a.guards_intact() && b.guards_intact() && h.guards_intact() && totals.guards_intact()));
    if (c.in_place) CHECK(h.untouched());
  }
}

/// Resets behind whatever there may be.
template <class T>
void check_resets() {
  const std::vector<scan::extents> shapes{
      {1, 5000, 1, 0, 0}, {7, 1500, 1, 0, 0}, {300, 13, 1, 0, 0}, {2, 3000, 40, 0, 0}};
  tests::for_each_reset_case(shapes, [](const tensor_case& c) {
    const tests::reset_case<T> resets(c);
    std::vector<T> h(resets.b.size());
    scan::host_options<scan::state_t<T>> options;
    options.reverse = c.reverse;
    if (c.init != sequence_init::none) options.init_pointer = resets.inits.data();
    REQUIRE(
        scan::recurrence(scan::host, resets.a.data(), resets.b.data(), h.data(), c.shape, options)
            .ok());
    REQUIRE(resets.judge(h) == "");
  });
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("tensors: a row has the bits of the one sequence that it is") {
    for (const std::int64_t length :
         {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17, 31, 32, 33, 100}) {
      check_rows<float>(length, scan::plus{});
      check_rows<double>(length, scan::plus{});
      check_rows<float>(length, scan::multiplies{});
      check_rows<__half>(length, scan::plus{});
    }
    for (const std::int64_t length : {1000, 1024, 1025, 5000, 16'000, 40'000, 200'000}) {
      check_rows<float>(length, scan::plus{});
      check_rows<float>(length, scan::minimum{});
      check_rows<__nv_bfloat16>(length, scan::plus{});
    }
    check_rows<float>(2'200'000, scan::plus{});  // in large tiles
  }

  TEST_CASE("tensors: columns in the documented order, whatever is beside them") {
    for (const scan::extents& shape : {scan::extents{1, 3000, 2, 0, 0},
                                       {2, 1024, 3, 0, 0},
                                       {3, 1025, 70, 72'000, 0},
                                       {1, 2500, 300, 0, 0},
                                       {900, 40, 9, 0, 0}}) {
      for (int bits = 0; bits < 8; ++bits) {
        check_columns<float>(shape, bits & 1, bits & 2, bits & 4);
        check_columns<double>(shape, bits & 1, bits & 2, bits & 4);
      }
    }
  }

  TEST_CASE("tensors: what is not a number in one sequence stays there") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const scan::extents& shape :
         {scan::extents{50, 7, 1, 0, 0}, {50, 100, 1, 0, 0}, {3, 40, 21, 0, 0}}) {
      const auto n = shape.outer * shape.length * shape.inner;
      std::vector<float> items = rounded_items<float>(n, 9), clean(items.size()), out(clean);
      REQUIRE(scan::inclusive(scan::host, items.data(), clean.data(), shape).ok());
      const auto k = shape.inner - 1, middle = shape.outer / 2 * shape.length * shape.inner + k;
      items[static_cast<std::size_t>(middle)] = nan;
      REQUIRE(scan::inclusive(scan::host, items.data(), out.data(), shape).ok());
      for (std::int64_t i = 0; i < n; ++i) {
        const bool hit =
            i >= middle && i < middle + shape.length * shape.inner && i % shape.inner == k;
        const auto at = static_cast<std::size_t>(i);
        REQUIRE(hit == !(out[at] == clean[at]));
      }
    }
  }

  TEST_CASE("recurrences: every shape in every variant") {
    for (const scan::extents& shape : {scan::extents{1, 0, 1, 0, 0},
                                       {2, 0, 3, 0, 0},
                                       {1, 1, 1, 0, 0},
                                       {1, 300, 1, 0, 0},
                                       {7, 30, 1, 0, 0},
                                       {2, 30, 3, 0, 0},
                                       {1, 5, 1100, 0, 0},
                                       {20, 1, 2, 0, 0}}) {
      check_recurrence<float>(shape, 1);
      check_recurrence<double>(shape, 2);
      check_recurrence<__half>(shape, 1);
      check_recurrence<__nv_bfloat16>(shape, 5);
    }
    check_recurrence<float>({5001, 30, 1, 0, 0}, 5);
    check_recurrence<float>({2, 200, 600, 0, 0}, 5);
  }

  TEST_CASE("recurrences: without an init the first state is the first offset") {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> a{inf, 2, 0.5f}, b{-0.0f, 3, 1};
    std::vector<float> h(3);
    REQUIRE(scan::recurrence(scan::host, a.data(), b.data(), h.data(), 3).ok());
    CHECK(same_bits(h.data(), std::vector<float>{-0.0f, 3, 2.5f}.data(), 3));
    scan::host_options<float> back;
    back.reverse = true;
    back.init = 4.0f;
    REQUIRE(scan::recurrence(scan::host, a.data() + 1, b.data(), h.data(), 2, back).ok());
    CHECK(h == std::vector<float>{10 - 0.0f, 5, 2.5f});
    // As maps, of which those after it are made: what nobody applies to a state is not in it.
    const scan::recurrence_step<float> first{std::numeric_limits<float>::quiet_NaN(), 3},
        infinite{inf, 3}, next{2, 1};
    const scan::compose_maps after;
    CHECK(after(first.run(true), next).offset == 7);
    CHECK(after(after(infinite.run(true), next), next.run(false)).offset == 15);
    CHECK(std::isnan(after(first.run(false), next).offset));
    CHECK(std::isnan(after(next.run(true), first).offset));
  }

  TEST_CASE("recurrences: a factor of 0 begins anew, whatever was before") {
    check_resets<float>();
    check_resets<double>();
    check_resets<__half>();
    check_resets<__nv_bfloat16>();
  }

  TEST_CASE("an init by pointer, of one sequence in host memory") {
    const auto items = tests::random_items<int>(1000, 1);
    const int init = 77;
    scan::host_options<int> by_value, by_pointer;
    by_value.init = init;
    by_pointer.init_pointer = &init;
    for (const bool reverse : {false, true}) {
      by_value.reverse = by_pointer.reverse = reverse;
      std::vector<int> expected(1000), out(1000);
      for (const bool exclusive : {false, true}) {
        const auto call = [&](std::vector<int>& to, const scan::host_options<int>& options) {
          return exclusive
                     ? scan::exclusive(scan::host, items.data(), to.data(), 1000, {}, options)
                     : scan::inclusive(scan::host, items.data(), to.data(), 1000, {}, options);
        };
        REQUIRE(call(expected, by_value).ok());
        REQUIRE(call(out, by_pointer).ok());
        CHECK(out == expected);
        scan::host_options<int> both = by_pointer;
        both.init = 1;
        check_refused(call(out, both), "both given");
        both.init.reset();
        both.init_pointer = &out[5];
        check_refused(call(out, both), "options.init_pointer");
        CHECK(out == expected);
      }
    }
    int total = 0;
    by_pointer.total = &total;
    int* const nothing = nullptr;
    REQUIRE(scan::inclusive(scan::host, nothing, nothing, 0, scan::plus{}, by_pointer).ok());
    CHECK(total == 77);
  }
}
