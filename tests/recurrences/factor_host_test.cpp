// Recurrences on CPU threads whose factors are one number, or one a sequence, of spans, and of
// 16-bit numbers to float: the bits of the call with an array of the same factors.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/recurrences/gradient_cases.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/tensors/random_extents.hpp"

namespace {

template <class In, class Out>
void check_factors(std::mt19937_64& random) {
  using S = scan::state_t<Out>;
  auto c = tests::tensor_variant(tests::random_extents(random, 30000), random(), true, false);
  tests::place(c, random());
  INFO(c.describe());
  const bool is_each = random() % 2 == 0;
  const auto items = tests::random_values<In>(tests::values::wide, c.in_span());
  const auto inits = tests::random_values<S>(tests::values::uniform, c.num_inits());
  std::vector<S> each;
  for (const In& drawn : tests::random_values<In>(tests::values::near_one, c.num_sequences() + 1)) {
    each.push_back(random() % 9 == 0 ? S(0) : scan::convert<S>(drawn));
  }
  std::vector<In> factors(static_cast<std::size_t>(c.in_span()));
  for (std::int64_t at = 0; at < c.in_span(); ++at) {
    const std::int64_t s = at / c.in_pitch() * c.shape.inner + at % c.in_pitch() % c.shape.inner;
    const std::size_t which = is_each ? static_cast<std::size_t>(s) : 0;
    factors[static_cast<std::size_t>(at)] = scan::convert<In>(each[which]);
  }
  std::vector<Out> wanted(static_cast<std::size_t>(c.out_span())), given(wanted.size());
  std::vector<S> wanted_totals(static_cast<std::size_t>(c.num_sequences())),
      totals(wanted_totals.size());
  scan::host_options<S> opts;
  opts.reverse = c.reverse, opts.threads = static_cast<int>(random() % 3) + 1;
  if (c.init == tests::sequence_init::by_value) opts.init = inits[0];
  if (c.init == tests::sequence_init::by_pointer) opts.init_pointer = inits.data();
  opts.total = wanted_totals.data();
  REQUIRE(scan::recurrence(scan::host, factors.data(), items.data(), wanted.data(), c.shape, opts)
              .ok());
  opts.total = totals.data();
  const scan::status status = is_each ? scan::recurrence(scan::host, scan::factor_each{each.data()},
                                                         items.data(), given.data(), c.shape, opts)
                                      : scan::recurrence(scan::host, scan::factor{each[0]},
                                                         items.data(), given.data(), c.shape, opts);
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  CHECK(tests::same_bits(given, wanted));
  CHECK(tests::same_bits(totals, wanted_totals));
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("one factor, or one a sequence, has the bits of an array of these") {
    std::mt19937_64 random(11);
    for (int i = 0; i < 200; ++i) {
      check_factors<float, float>(random);
      check_factors<double, double>(random);
      check_factors<__half, __half>(random);
      check_factors<__nv_bfloat16, __nv_bfloat16>(random);
      check_factors<__half, float>(random);
      check_factors<__nv_bfloat16, float>(random);
    }
  }

  TEST_CASE("states of float are written unrounded, whatever is read") {
    constexpr std::int64_t n = 999;
    const auto a = tests::random_values<__half>(tests::values::near_one, n);
    const auto b = tests::random_values<__half>(tests::values::wide, n);
    std::vector<float> h(n), wanted(n);
    REQUIRE(scan::recurrence(scan::host, a.data(), b.data(), h.data(), n).ok());
    float state = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const float factor = scan::convert<float>(a[i]), offset = scan::convert<float>(b[i]);
      state = i == 0 ? offset : factor * state + offset;
      wanted[i] = state;
    }
    CHECK(h == wanted);
  }

  TEST_CASE("factors that cannot be are refused") {
    std::vector<float> b(6), h(6), each(4);
    const auto refused = [](const scan::status& said, const char* message) {
      CHECK(said == cudaErrorInvalidValue);
      CHECK(std::string(said.message()) == message);
    };
    const scan::extents shape{3, 2, 1};
    const float* const none = nullptr;
    refused(scan::recurrence(scan::host, scan::factor_each{none}, b.data(), h.data(), shape),
            "recurrence: factor_each is null but there are sequences");
    refused(scan::recurrence(scan::host, scan::factor_each{h.data()}, b.data(), h.data(), shape),
            "recurrence: the output, h, overlaps a, the factors");
    scan::host_options<float> opts;
    opts.total = each.data() + 1;
    refused(scan::recurrence(scan::host, scan::factor_each{each.data()}, b.data(), h.data(), shape,
                             opts),
            "options.total overlaps a, the factors");
    const auto* const odd =
        reinterpret_cast<const float*>(reinterpret_cast<const unsigned char*>(each.data()) + 1);
    refused(scan::recurrence(scan::host, scan::factor_each{odd}, b.data(), h.data(), shape),
            "recurrence: a, the factors, is not aligned to its type");
    CHECK(
        scan::recurrence(scan::host, scan::factor_each{none}, b.data(), h.data(), {0, 2, 1}).ok());
  }

  TEST_CASE("gradients that cannot be are refused") {
    std::vector<float> x[5];
    for (auto& each : x) each.resize(6);
    scan::host_gradient_options<float> opts;
    scan::extents shape{3, 2, 1};
    const auto call = [&](const float* a, const float* h, const float* grad_h, float* of_a,
                          float* of_b) {
      return scan::recurrence_gradient(scan::host, a, h, grad_h, of_a, of_b, shape, opts);
    };
    float *const a = x[0].data(), *const h = x[1].data(), *const g = x[2].data(),
                 *const of_a = x[3].data(), *const of_b = x[4].data();
    const auto refused = [](const scan::status& said, const char* message) {
      CHECK(said == cudaErrorInvalidValue);
      CHECK(std::string(said.message()) == message);
    };
    refused(call(nullptr, h, g, of_a, of_b),
            "recurrence_gradient: a is null but there are elements");
    refused(call(a, nullptr, g, of_a, of_b),
            "recurrence_gradient: h is null but there are elements");
    refused(call(a, h, nullptr, of_a, of_b),
            "recurrence_gradient: grad_h is null but there are elements");
    refused(call(a, h, g, nullptr, of_b),
            "recurrence_gradient: grad_a is null but there are elements");
    refused(call(a, h, g, of_a, nullptr),
            "recurrence_gradient: grad_b is null but there are elements");
    refused(call(a, h, g, g, of_b), "recurrence_gradient: grad_a overlaps grad_h");
    refused(call(a, h, g, of_a, g + 1),
            "recurrence_gradient: grad_b overlaps grad_h and is not in place");
    refused(call(a, h, g, a, of_b), "recurrence_gradient: grad_a or grad_b overlaps a");
    refused(call(a, h, g, of_a, h), "recurrence_gradient: grad_a or grad_b overlaps h");
    refused(call(a, h, g, of_a, of_a), "recurrence_gradient: grad_a overlaps grad_b");
    CHECK(call(a, h, g, of_a, g).ok());
    opts.grad_init = h;
    refused(call(a, h, g, of_a, of_b), "options.grad_init overlaps an array of the call");
    opts.grad_init = nullptr, opts.grad_total = of_b + 5;
    refused(call(a, h, g, of_a, of_b), "options.grad_total overlaps grad_a or grad_b");
    opts.grad_total = nullptr, opts.init_pointer = of_a;
    refused(call(a, h, g, of_a, of_b), "options.init_pointer overlaps grad_a or grad_b");
    opts.init = 1.0f;
    refused(call(a, h, g, of_a, of_b), "options.init and options.init_pointer are both given");
    opts = {};
    shape.in_pitch = 1;
    refused(call(a, h, g, of_a, of_b), "extents.in_pitch is less than length * inner");
  }
}
