// Recurrences whose factors are one number, or one a sequence, and of 16-bit numbers to float, on
// the stand-in GPU; and chunks that chain.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/emulated/random_rows.hpp"
#include "tests/tensors/tensor_order.hpp"

namespace {

using emulated::array;

/// The call with an array of the same factors has the same bits, wherever the arrays lie.
template <class In, class Out>
void check_factors(const tests::placed_case& c, bool is_each, std::mt19937_64& random) {
  using S = scan::state_t<Out>;
  INFO(c.describe());
  const auto items = tests::random_values<In>(tests::values::wide, c.in_span());
  auto inits = tests::random_values<S>(tests::values::uniform, c.num_inits());
  std::vector<S> each;  // that an In is, some of them 0
  for (const In& drawn : tests::random_values<In>(tests::values::near_one, c.num_sequences())) {
    each.push_back(random() % 9 == 0 ? S(0) : scan::convert<S>(drawn));
  }
  if (!is_each) std::fill(each.begin(), each.end(), each.empty() ? S(1) : each[0]);
  std::vector<In> factors(static_cast<std::size_t>(c.in_span()));
  for (std::int64_t o = 0; o < c.shape.outer; ++o) {
    for (std::int64_t i = 0; i < c.shape.length; ++i) {
      for (std::int64_t k = 0; k < c.shape.inner; ++k) {
        factors[static_cast<std::size_t>(c.in_index(o, i, k))] =
            scan::convert<In>(each[static_cast<std::size_t>(o * c.shape.inner + k)]);
      }
    }
  }
  const std::vector<Out> before = emulated::random_vector<Out>(c.out_span(), random);
  const array<In> a(factors, c.in_offset, emulated::random_end(random));
  const array<S> of_each(each, 1, emulated::random_end(random));
  const emulated::call_arrays<In, Out, S> wanted(items, c.in_offset, before, c.out_offset, inits,
                                                 c.num_sequences(), random),
      given(items, c.in_offset, before, c.out_offset, inits, c.num_sequences(), random);
  auto opts = wanted.options(c, inits);
  // (Of an array columns are not always walked, if they are not in the ring.)
  const bool in_ring =
      emulated::now.here().capability >= 9 &&
      (scan::device::goes_in_column_ring(c.shape.length, c.shape.inner, sizeof(In), sizeof(Out)) ||
       scan::device::goes_in_strips(c.shape.length, c.shape.inner, sizeof(In), 2));
  if (c.shape.inner > 1 && !in_ring) opts.algorithm = scan::algorithm::walk;
  REQUIRE(scan::recurrence(a.data(), wanted.in.data(), wanted.out.data(), c.shape, opts).ok());
  opts = given.options(c, inits);
  const S one = each.empty() ? S(1) : each[0];
  const scan::status status =
      is_each
          ? scan::recurrence(scan::factor_each{of_each.data()}, given.in.data(), given.out.data(),
                             c.shape, opts)
          : scan::recurrence(scan::factor{one}, given.in.data(), given.out.data(), c.shape, opts);
  given.check(status, "", wanted.out.items(),
              c.with_total ? wanted.totals.items() : std::vector<S>());
  CHECK(of_each.is_intact());
}

template <class In, class Out>
void draw_factors(int count) {
  emulated::draw(count, 3,
                 {"held_row_kernel", "row_round_kernel", "short_row_walk_kernel",
                  "column_walk_kernel", "column_wave_kernel"},
                 [](std::mt19937_64& random) {
                   auto c = random() % 8 == 0 ? emulated::many_rows(random, sizeof(float), true)
                                              : emulated::random_case(random, sizeof(float), true);
                   c.in_place = false;
                   check_factors<In, Out>(c, random() % 2 == 0, random);
                   tests::placed_case whole;  // vectors
                   whole.shape = {9, 8 * (1 + static_cast<std::int64_t>(random() % 32)), 1, 0, 0};
                   check_factors<In, Out>(whole, random() % 2 == 0, random);
                 });
}

}  // namespace

TEST_CASE("one factor, or one a sequence, has the bits of an array of these") {
  draw_factors<float, float>(60);
  draw_factors<__nv_bfloat16, __nv_bfloat16>(60);
  draw_factors<__half, float>(60);
  // The last strip of a slab is narrower than the others, and behind its factors there is nothing.
  std::mt19937_64 random(3);
  for (const std::int64_t inner : {65, 33, 70, 97, 45}) {
    for (const std::int64_t outer : {1, 3, 100}) {
      for (const std::int64_t length : {60, 400}) {
        tests::placed_case c;
        c.shape = {outer, length, inner, 0, 0};
        check_factors<float, float>(c, true, random);
      }
    }
  }
}

TEST_CASE("one factor of columns in the rings has the bits of an array of these") {
  emulated::draw(4, 0, {"column_ring_kernel", "strip_ring_kernel"}, [](std::mt19937_64& random) {
    for (const bool is_each : {false, true}) {
      auto c = emulated::narrow_columns(random, sizeof(float), true, 3);
      c.in_place = false;
      check_factors<float, float>(c, is_each, random);
      check_factors<__half, float>(c, is_each, random);
      auto wide = emulated::wide_columns(random, sizeof(__half), true);
      wide.in_place = false;
      check_factors<float, float>(wide, is_each, random);
      check_factors<__half, float>(wide, is_each, random);
    }
  });
  CHECK(emulated::seen.kernels.size() == 2);
}

TEST_CASE("a factor of float is not rounded to what is read") {
  const array<__nv_bfloat16> b(std::vector<__nv_bfloat16>(3, scan::convert<__nv_bfloat16>(0.0f)), 0,
                               array<__nv_bfloat16>::end::last);
  const array<float> total(1, 0, array<float>::end::last);
  scan::options<float> opts;
  opts.init = 1, opts.total = total.data();
  REQUIRE(scan::recurrence(scan::factor{0.999f}, b.data(), b.data(), 3, opts).ok());
  CHECK(total.items()[0] == 0.999f * (0.999f * 0.999f));
}

TEST_CASE("16-bit numbers become states of float in the order of the formulas") {
  for (const scan::extents& shape : std::vector<scan::extents>{{3, 128, 1},
                                                               {5, 23, 1},
                                                               {3, 301, 1},
                                                               {2, 20001, 1},
                                                               {2, 100, 5},
                                                               {1, 1111, 64},
                                                               {100, 300, 20}}) {
    for (int bits = 0; bits < 4; ++bits) {
      tests::tensor_case c;
      c.shape = shape;
      c.reverse = (bits & 1) != 0;
      c.with_total = true;
      if ((bits & 2) != 0) c.init = tests::sequence_init::by_pointer;
      tests::check_order<tests::recurrences<__half, float>>(c, scan::algorithm::walk);
      tests::check_order<tests::recurrences<__nv_bfloat16, float>>(c, scan::algorithm::walk);
    }
  }
}

TEST_CASE("chunks chain: the total of one is the init of the next") {
  using value = __nv_bfloat16;
  constexpr std::int64_t chunk = 700, num_chunks = 4, inner = 3, num_rows = 2;
  for (const std::int64_t width : {std::int64_t{1}, inner}) {
    tests::tensor_case whole;
    whole.shape = {num_rows, chunk * num_chunks, width};
    const auto n = whole.in_span();
    auto items = tests::random_values<value>(tests::values::wide, n);
    auto factors = tests::random_values<value>(tests::values::near_one, n);
    tests::begin_anew_sometimes(items, factors);
    const array<value> a(factors, 0, array<value>::end::last), b(items, 0, array<value>::end::last),
        h(n, 0, array<value>::end::last);
    const array<float> states[] = {{num_rows * width, 0, array<float>::end::last},
                                   {num_rows * width, 0, array<float>::end::last}};
    std::vector<std::optional<tests::modelled_map<float>>> before(
        static_cast<std::size_t>(num_rows * width));
    for (std::int64_t part = 0; part < num_chunks; ++part) {
      const std::int64_t first = part * chunk * width;
      const std::int64_t pitch = chunk * num_chunks * width;
      scan::options<float> opts;
      if (part > 0) opts.init_pointer = states[(part + 1) % 2].data();
      opts.total = states[part % 2].data();
      opts.algorithm = scan::algorithm::walk;
      REQUIRE(scan::recurrence(a.data() + first, b.data() + first, h.data() + first,
                               {num_rows, chunk, width, pitch, pitch}, opts)
                  .ok());
      // Each chunk in its own order, from the unrounded state of the one before.
      tests::tensor_case c;
      c.shape = {num_rows, chunk, width};
      const auto results = h.items();
      for (std::int64_t s = 0; s < num_rows * width; ++s) {
        std::vector<tests::modelled_map<float>> x;
        const auto at = [&](std::int64_t i) {
          return static_cast<std::size_t>(first + whole.in_index(s / width, i, s % width));
        };
        for (std::int64_t i = 0; i < chunk; ++i) {
          x.push_back(tests::recurrences<value>::take(factors[at(i)], items[at(i)]));
        }
        auto& start = before[static_cast<std::size_t>(s)];
        const auto wanted =
            tests::walked<tests::recurrences<value>>(c, x, tests::compose_fused(), start);
        for (std::int64_t i = 0; i < chunk; ++i) {
          const auto result =
              scan::convert<value>(wanted.results[static_cast<std::size_t>(i)].offset);
          if (std::memcmp(&result, &results[at(i)], sizeof(result)) != 0) FAIL("step ", i);
        }
        start = tests::modelled_map<float>{0, wanted.total->offset, false};
        REQUIRE(states[part % 2].items()[static_cast<std::size_t>(s)] == start->offset);
      }
    }
  }
}
