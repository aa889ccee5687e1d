// Gradients of recurrences, factors that are one number or one a sequence, and states of float, on
// the device. Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "scan/device/plan/strip_plan.hpp"
#include "scan/scan.hpp"
#include "tests/recurrences/gradient_order.hpp"
#include "tests/support/run_tests.hpp"
#include "tests/tensors/tensor_order.hpp"

namespace {

/// Rows of a part of a vector to several tiles, whole vectors and not; columns of one warp's to
/// many tiles, narrow and wide.
const std::vector<scan::extents> shapes = {
    {1, 1, 1},     {7, 3, 1},     {100, 12, 1},  {1000, 128, 1}, {33, 129, 1}, {50, 301, 1},
    {40, 2048, 1}, {20, 2777, 1}, {5, 20001, 1}, {2, 300000, 1}, {3, 7, 2},    {20, 100, 5},
    {1, 1111, 64}, {4, 600, 66},  {3, 300, 65},  {2, 20000, 31}, {1, 5, 1000}, {3, 257, 1024}};

/// Long rows of elements of so many bytes: of one tile, of whole vectors and not; of several, by a
/// block each and by the ring.
std::vector<scan::extents> long_shapes(int bytes) {
  const std::int64_t vector = 16 / bytes;
  return {{3, 300 * vector + 1, 1},   {5, 520 * vector, 1},      {40, 1590 * vector - 1, 1},
          {2, 2560 * vector, 1},      {3, 3217 * vector + 1, 1}, {1, (1 << 17) * vector + 6400, 1},
          {50, 40000 * vector + 1, 1}};
}

/// The call with an array of the same factors has the same bits.
template <class In, class Out>
void check_factors(const scan::extents& shape, bool is_each, bool reverse) {
  using S = scan::state_t<Out>;
  tests::tensor_case c;
  c.shape = shape, c.reverse = reverse;
  INFO(c.describe(), is_each ? " each" : "", " of ", sizeof(In), " to ", sizeof(Out), " bytes");
  const auto items = tests::random_values<In>(tests::values::wide, c.in_span());
  std::vector<S> each;
  for (const In& drawn : tests::random_values<In>(tests::values::near_one, c.num_sequences())) {
    each.push_back(each.size() % 7 == 3 ? S(0) : scan::convert<S>(drawn));
  }
  std::vector<In> factors;
  for (std::int64_t at = 0; at < c.in_span(); ++at) {
    const std::int64_t s = at / c.in_pitch() * shape.inner + at % shape.inner;
    factors.push_back(scan::convert<In>(each[is_each ? static_cast<std::size_t>(s) : 0]));
  }
  const tests::device_memory a(factors.size() * sizeof(In)), b(items.size() * sizeof(In)),
      of_each(each.size() * sizeof(S)), wanted(items.size() * sizeof(Out)),
      given(items.size() * sizeof(Out)), totals(each.size() * sizeof(S)),
      wanted_totals(each.size() * sizeof(S));
  tests::upload(factors, a);
  tests::upload(items, b);
  tests::upload(each, of_each);
  scan::options<S> opts;
  opts.reverse = reverse;
  // (Of an array columns are not always walked, if they are not in a ring.)
  const bool in_ring = tests::has_ring_here() &&
                       scan::device::goes_in_strips(shape.length, shape.inner, sizeof(In), 2);
  if (shape.inner > 1 && !in_ring) opts.algorithm = scan::algorithm::walk;
  opts.total = wanted_totals.template as<S>();
  REQUIRE(scan::recurrence(a.as<const In>(), b.as<const In>(), wanted.as<Out>(), shape, opts).ok());
  opts.total = totals.template as<S>();
  const scan::status status =
      is_each
          ? scan::recurrence(scan::factor_each{of_each.as<const S>()}, b.as<const In>(),
                             given.as<Out>(), shape, opts)
          : scan::recurrence(scan::factor{each[0]}, b.as<const In>(), given.as<Out>(), shape, opts);
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  CHECK(tests::same_bits(tests::download<Out>(given, c.in_span()),
                         tests::download<Out>(wanted, c.in_span())));
  CHECK(tests::same_bits(tests::download<S>(totals, c.num_sequences()),
                         tests::download<S>(wanted_totals, c.num_sequences())));
}

template <class In, class Out>
void check_all_factors() {
  for (const scan::extents& shape : shapes) {
    for (const bool is_each : {false, true}) {
      for (const bool reverse : {false, true}) check_factors<In, Out>(shape, is_each, reverse);
    }
  }
  for (const scan::extents& shape : long_shapes(sizeof(Out))) {
    for (const bool is_each : {false, true}) {
      for (const bool reverse : {false, true}) check_factors<In, Out>(shape, is_each, reverse);
    }
  }
}

template <class In, class Out>
void check_long_rows() {
  for (const scan::extents& shape : long_shapes(sizeof(Out))) {
    for (const bool reverse : {false, true}) {
      for (const bool has_init : {false, true}) {
        tests::tensor_case c;
        c.shape = shape, c.reverse = reverse, c.with_total = true;
        c.init = has_init ? tests::sequence_init::by_pointer : tests::sequence_init::none;
        tests::check_order<tests::recurrences<In, Out>>(c);
      }
    }
  }
}

}  // namespace

TEST_SUITE("device") {
  TEST_CASE("gradients are walked in the order of the formulas") {
    if (tests::skipped()) return;
    tests::check_gradient_orders<float>(shapes);
    tests::check_gradient_orders<double>(shapes);
    tests::check_gradient_orders<__half>(shapes);
    tests::check_gradient_orders<__nv_bfloat16>(shapes);
  }

  TEST_CASE("one factor, or one a sequence, has the bits of an array of these") {
    if (tests::skipped()) return;
    check_all_factors<float, float>();
    check_all_factors<double, double>();
    check_all_factors<__half, __half>();
    check_all_factors<__nv_bfloat16, __nv_bfloat16>();
    check_all_factors<__half, float>();
    check_all_factors<__nv_bfloat16, float>();
  }

  TEST_CASE("long rows are scanned in the order of the formulas") {
    if (tests::skipped()) return;
    check_long_rows<float, float>();
    check_long_rows<double, double>();
    check_long_rows<__half, __half>();
    check_long_rows<__nv_bfloat16, __nv_bfloat16>();
    check_long_rows<__half, float>();
    check_long_rows<__nv_bfloat16, float>();
  }

  TEST_CASE("16-bit numbers become states of float in the order of the formulas") {
    if (tests::skipped()) return;
    for (const scan::extents& shape : shapes) {
      for (const bool reverse : {false, true}) {
        tests::tensor_case c;
        c.shape = shape, c.reverse = reverse, c.with_total = true;
        tests::check_order<tests::recurrences<__half, float>>(c, scan::algorithm::walk);
        tests::check_order<tests::recurrences<__nv_bfloat16, float>>(c, scan::algorithm::walk);
      }
    }
  }
}
