// Gradients of recurrences on CPU threads.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/recurrences/gradient_cases.hpp"
#include "tests/tensors/random_extents.hpp"

namespace {

using tests::sequence_init;
using tests::tensor_case;

template <class T>
tests::gradient_results<T> differentiate(const tensor_case& c, tests::gradient_data<T> data,
                                         tests::gradient_results<T> results, int threads) {
  using S = scan::state_t<T>;
  auto opts = tests::gradient_options_of<scan::host_gradient_options<S>>(
      c, data.inits, data.inits.data(), data.grad_totals.data(), results.grad_inits.data());
  opts.threads = threads;
  if (c.in_place) std::copy(data.grad_h.begin(), data.grad_h.end(), results.grad_b.begin());
  const scan::status status =
      scan::recurrence_gradient(scan::host, data.a.data(), data.h.data(),
                                c.in_place ? results.grad_b.data() : data.grad_h.data(),
                                results.grad_a.data(), results.grad_b.data(), c.shape, opts);
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  return results;
}

template <class T>
tests::gradient_results<T> untouched(const tensor_case& c) {
  const T mark = scan::convert<T>(-77.0f);
  const auto n = static_cast<std::size_t>(c.out_span());
  return {std::vector<T>(n, mark), std::vector<T>(n, mark),
          std::vector<scan::state_t<T>>(static_cast<std::size_t>(c.num_sequences()))};
}

template <class T>
void check_exact(std::mt19937_64& random) {
  auto c = tests::tensor_variant(tests::random_extents(random, 30000), random(), true, true);
  tests::place(c, random());
  const auto data = tests::exact_gradient_data<T>(c, random);
  auto wanted = untouched<T>(c);
  if (c.in_place) std::copy(data.grad_h.begin(), data.grad_h.end(), wanted.grad_b.begin());
  const auto given = differentiate(c, data, untouched<T>(c), static_cast<int>(random() % 3) + 1);
  tests::differentiate_serially(c, data, wanted);
  INFO(c.describe());
  CHECK(tests::same_bits(given.grad_a, wanted.grad_a));
  CHECK(tests::same_bits(given.grad_b, wanted.grad_b));
  CHECK(tests::same_bits(given.grad_inits, wanted.grad_inits));
}

/// h(i) and its total in long double, for differences.
long double loss(const std::vector<double>& a, const std::vector<double>& b, double init,
                 const std::vector<double>& grad_h, double grad_total) {
  long double h = init, sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    h = static_cast<long double>(a[i]) * h + b[i];
    sum += grad_h[i] * h;
  }
  return sum + grad_total * h;
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("gradients: random ones against a loop") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 300; ++i) {
      check_exact<float>(random);
      check_exact<double>(random);
      check_exact<__half>(random);
      check_exact<__nv_bfloat16>(random);
    }
  }

  TEST_CASE("gradients are what differences say") {
    constexpr std::size_t n = 20;
    std::mt19937_64 random(5);
    std::uniform_real_distribution<> number(-1, 1);
    std::vector<double> a(n), b(n), grad_h(n), h(n), of_a(n), of_b(n);
    for (auto* each : {&a, &b, &grad_h}) {
      for (double& item : *each) item = number(random);
    }
    const double init = number(random), grad_total = number(random);
    double total = 0, of_init = 0;
    scan::host_options<double> forward;
    forward.init = init, forward.total = &total;
    REQUIRE(scan::recurrence(scan::host, a.data(), b.data(), h.data(), n, forward).ok());
    scan::host_gradient_options<double> back;
    back.init = init, back.grad_total = &grad_total, back.grad_init = &of_init;
    REQUIRE(scan::recurrence_gradient(scan::host, a.data(), h.data(), grad_h.data(), of_a.data(),
                                      of_b.data(), n, back)
                .ok());
    // (The loss is of the first degree in each.)
    const auto difference = [&](double& x) {
      const double before = x;
      double first = init;
      x = before + 1;
      const long double more = loss(a, b, first, grad_h, grad_total);
      x = before - 1;
      const long double less = loss(a, b, first, grad_h, grad_total);
      x = before;
      return static_cast<double>((more - less) / 2);
    };
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(std::abs(of_a[i] - difference(a[i])) < 1e-13);
      CHECK(std::abs(of_b[i] - difference(b[i])) < 1e-13);
    }
    const long double more = loss(a, b, init + 1, grad_h, grad_total);
    const long double less = loss(a, b, init - 1, grad_h, grad_total);
    CHECK(std::abs(of_init - static_cast<double>((more - less) / 2)) < 1e-13);
  }

  TEST_CASE("gradients of chunks chain") {
    constexpr std::int64_t n = 40, cut = 17;
    std::mt19937_64 random(7);
    tensor_case c;
    c.shape = {1, n, 1};
    c.init = sequence_init::by_value;
    c.with_total = true;
    const auto data = tests::exact_gradient_data<float>(c, random);
    const auto whole = differentiate(c, data, untouched<float>(c), 1);
    auto parts = untouched<float>(c);
    float between = 0;
    scan::host_gradient_options<float> later, earlier;
    later.init = data.h[cut - 1], later.grad_total = data.grad_totals.data();
    later.grad_init = &between;
    earlier.init = data.inits[0], earlier.grad_total = &between;
    earlier.grad_init = parts.grad_inits.data();
    const auto call = [&](std::int64_t first, std::int64_t count, const auto& opts) {
      return scan::recurrence_gradient(scan::host, data.a.data() + first, data.h.data() + first,
                                       data.grad_h.data() + first, parts.grad_a.data() + first,
                                       parts.grad_b.data() + first, count, opts);
    };
    REQUIRE(call(cut, n - cut, later).ok());
    REQUIRE(call(0, cut, earlier).ok());
    CHECK(parts.grad_a == whole.grad_a);
    CHECK(parts.grad_b == whole.grad_b);
    CHECK(parts.grad_inits == whole.grad_inits);
  }

  TEST_CASE("gradients do not flow past a factor of 0, and multiply what is before it") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> a = {2, 3, 0, 5}, h = {1, infinity, 4, 6}, grad_h = {1, 1, 1, NAN};
    std::vector<float> of_a(4), of_b(4);
    REQUIRE(scan::recurrence_gradient(scan::host, a.data(), h.data(), grad_h.data(), of_a.data(),
                                      of_b.data(), 4)
                .ok());
    CHECK(of_b[0] == 4);
    CHECK(of_b[1] == 1);
    CHECK((std::isnan(of_b[2]) && std::isnan(of_b[3])));
    CHECK(of_a[0] == 0);
    CHECK(of_a[1] == 1);
    CHECK((std::isnan(of_a[2]) && std::isnan(of_a[3])));
  }
}
