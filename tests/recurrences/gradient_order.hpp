// Gradients of recurrences against the formulas of their order, bit for bit. Needs a device, or
// what stands in for one.
#ifndef SCAN_TESTS_GRADIENT_ORDER_HPP
#define SCAN_TESTS_GRADIENT_ORDER_HPP

#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "tests/recurrences/gradient_cases.hpp"
#include "tests/tensors/tensor_order.hpp"

namespace tests {

/// Factors near 1, some of them 0, and numbers that are rounded at nearly every step.
template <class T>
gradient_data<T> rounded_gradient_data(const tensor_case& c) {
  using S = scan::state_t<T>;
  gradient_data<T> data{random_values<T>(values::near_one, c.in_span()),
                        random_values<T>(values::uniform, c.in_span()),
                        random_values<T>(values::wide, c.in_span()),
                        random_values<S>(values::uniform, c.num_sequences()),
                        random_values<S>(values::wide, c.num_sequences())};
  begin_anew_sometimes(data.grad_h, data.a);
  return data;
}

/// The results of sequence `s`.
template <class T>
void check_gradient_order_of(const tensor_case& c, const gradient_data<T>& data, std::int64_t s,
                             const gradient_results<T>& results) {
  using kind = recurrences<T>;
  using S = scan::state_t<T>;
  const gradient_walk<S> walk(c, data, s);
  std::vector<typename kind::T> x;
  for (std::size_t j = 0; j < walk.h.size(); ++j) {
    x.push_back({walk.factor(j), walk.grad_h[j], walk.factor(j) == 0});
  }
  std::optional<typename kind::T> start;
  if (walk.grad_total) start = kind::as_operand(*walk.grad_total);
  const auto expected = walked<kind>(c, x, typename kind::op(), start, 3);
  const auto same = [&](const auto& a, const auto& b) {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  };
  for (std::size_t j = 0; j < x.size(); ++j) {
    const S g = expected.results[j].offset;
    const T of_a = scan::convert<T>(walk.of_factor(j, g)), of_b = scan::convert<T>(g);
    if (!same(of_b, results.grad_b[walk.written[j]])) FAIL("grad_b of step ", j);
    if (!same(of_a, results.grad_a[walk.written[j]])) FAIL("grad_a of step ", j);
  }
  if (!c.with_total) return;
  const S of_init = walk.of_init(expected.total->offset);
  REQUIRE(same(of_init, results.grad_inits[static_cast<std::size_t>(s)]));
}

/// A call, sequence by sequence; of many some.
template <class T>
void check_gradient_order(const tensor_case& c) {
  using S = scan::state_t<T>;
  INFO("gradient, ", sizeof(T), " bytes, ", c.describe());
  const auto data = rounded_gradient_data<T>(c);
  const auto bytes_of = [](const auto& items) { return items.size() * sizeof(items[0]); };
  const device_memory a(bytes_of(data.a)), h(bytes_of(data.h)), grad_h(bytes_of(data.grad_h)),
      inits(bytes_of(data.inits)), totals(bytes_of(data.grad_totals)),
      of_inits(bytes_of(data.inits)), of_a(static_cast<std::size_t>(c.out_span()) * sizeof(T)),
      of_b(static_cast<std::size_t>(c.out_span()) * sizeof(T));
  upload(data.a, a);
  upload(data.h, h);
  upload(data.grad_h, grad_h);
  upload(data.inits, inits);
  upload(data.grad_totals, totals);
  const auto opts = gradient_options_of<scan::gradient_options<S>>(
      c, data.inits, inits.as<S>(), totals.as<S>(), of_inits.as<S>());
  REQUIRE(scan::recurrence_gradient(a.as<T>(), h.as<T>(), grad_h.as<T>(), of_a.as<T>(),
                                    of_b.as<T>(), c.shape, opts)
              .ok());
  const gradient_results<T> results{download<T>(of_a, c.out_span()),
                                    download<T>(of_b, c.out_span()),
                                    download<S>(of_inits, c.num_sequences())};
  const std::int64_t step = 1 + c.num_sequences() / 20;
  for (std::int64_t s = 0; s < c.num_sequences(); s += step) {
    INFO("sequence ", s);
    check_gradient_order_of(c, data, s, results);
  }
}

/// The options in turn; pitches, too.
template <class T>
void check_gradient_orders(const std::vector<scan::extents>& shapes) {
  std::uint64_t turn = 0;
  for (const scan::extents& shape : shapes) {
    for (int bits = 0; bits < 4; ++bits, ++turn) {
      tensor_case c;
      c.shape = shape;
      c.reverse = (bits & 1) != 0;
      c.with_total = (bits & 2) != 0;
      c.init = static_cast<sequence_init>(turn % 3);
      if (turn % 5 == 4) {
        c.shape.in_pitch = shape.length * shape.inner + 3;
        c.shape.out_pitch = shape.length * shape.inner + 1;
      }
      check_gradient_order<T>(c);
    }
  }
}

}  // namespace tests

#endif
