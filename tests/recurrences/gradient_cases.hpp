// Gradients of recurrences: cases, a serial loop, and the formulas of the order in which the GPU
// works (walk_association.hpp), whoever makes the call.
#ifndef SCAN_TESTS_GRADIENT_CASES_HPP
#define SCAN_TESTS_GRADIENT_CASES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "scan/options.hpp"
#include "tests/tensors/tensor_cases.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace tests {

/// What is read. Of the case, `init` and `reverse` are the recurrence's; `with_total`: gradients of
/// the totals are given, and those of the inits wanted; `in_place`: grad_b is grad_h.
template <class T>
struct gradient_data {
  using S = scan::state_t<T>;
  std::vector<T> a, h, grad_h;
  std::vector<S> inits, grad_totals;
};
template <class T>
struct gradient_results {
  std::vector<T> grad_a, grad_b;
  std::vector<scan::state_t<T>> grad_inits;
};

/// Options of either place, whose pointers are given.
template <class Options, class S>
Options gradient_options_of(const tensor_case& c, const std::vector<S>& inits, const S* at_inits,
                            const S* at_grad_totals, S* at_grad_inits) {
  Options opts;
  opts.reverse = c.reverse;
  if (c.init == sequence_init::by_value) opts.init = inits[0];
  if (c.init == sequence_init::by_pointer) opts.init_pointer = at_inits;
  if (c.with_total) opts.grad_total = at_grad_totals, opts.grad_init = at_grad_inits;
  return opts;
}

/// A sequence as it is walked back, of numbers of type `N`.
template <class N>
struct gradient_walk {
  std::vector<std::size_t> read, written;  // where its steps are
  std::vector<N> a, h, grad_h;
  std::optional<N> init, grad_total;

  template <class T>
  gradient_walk(const tensor_case& c, const gradient_data<T>& data, std::int64_t s) {
    const std::int64_t o = s / c.shape.inner, k = s % c.shape.inner, n = c.shape.length;
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t i = c.reverse ? step : n - 1 - step;
      read.push_back(static_cast<std::size_t>(c.in_index(o, i, k)));
      written.push_back(static_cast<std::size_t>(c.out_index(o, i, k)));
      a.push_back(scan::convert<N>(data.a[read.back()]));
      h.push_back(scan::convert<N>(data.h[read.back()]));
      grad_h.push_back(scan::convert<N>(data.grad_h[read.back()]));
    }
    if (const auto given = init_of_sequence(c, data.inits, s)) init = N(*given);
    if (c.with_total) grad_total = N(data.grad_totals[static_cast<std::size_t>(s)]);
  }
  /// The factor of step j, of the step before it.
  N factor(std::size_t j) const { return j == 0 ? N(1) : a[j - 1]; }
  /// grad_a of step j, where g is `gradient`.
  N of_factor(std::size_t j, N gradient) const {
    if (j + 1 < h.size()) return gradient * h[j + 1];
    return init ? gradient * *init : N(0);
  }
  /// The gradient of the init; `gradient`: of the last step, if there is one.
  N of_init(std::optional<N> gradient) const {
    if (!gradient) return grad_total ? *grad_total : N(0);
    return a.back() == 0 ? N(0) : a.back() * *gradient;
  }
};

/// A loop. `results` hold what was there before.
template <class T, class N = scan::state_t<T>>
void differentiate_serially(const tensor_case& c, const gradient_data<T>& data,
                            gradient_results<T>& results) {
  for (std::int64_t s = 0; s < c.num_sequences(); ++s) {
    const gradient_walk<N> walk(c, data, s);
    std::optional<N> g = walk.grad_total;
    for (std::size_t j = 0; j < walk.h.size(); ++j) {
      const N factor = walk.factor(j);
      g = g && factor != 0 ? factor * *g + walk.grad_h[j] : walk.grad_h[j];
      results.grad_b[walk.written[j]] = scan::convert<T>(*g);
      results.grad_a[walk.written[j]] = scan::convert<T>(walk.of_factor(j, *g));
    }
    if (c.with_total) {
      results.grad_inits[static_cast<std::size_t>(s)] =
          static_cast<scan::state_t<T>>(walk.of_init(walk.h.empty() ? std::optional<N>() : g));
    }
  }
}

/// Whether the bits of two arrays are alike.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Data of which everything is exact: factors of -1, 0 and 1, small integers.
template <class T, class Random>
gradient_data<T> exact_gradient_data(const tensor_case& c, Random& random) {
  const auto numbers = [&](auto& items, std::int64_t n, int most) {
    using U = typename std::decay_t<decltype(items)>::value_type;
    for (std::int64_t i = 0; i < n; ++i) {
      const int drawn = static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
      items.push_back(scan::convert<U>(static_cast<float>(drawn)));
    }
  };
  gradient_data<T> data;
  numbers(data.a, c.in_span(), 1);
  numbers(data.h, c.in_span(), 7);
  numbers(data.grad_h, c.in_span(), 7);
  numbers(data.inits, c.init == sequence_init::by_pointer ? c.num_sequences() : 1, 7);
  numbers(data.grad_totals, c.num_sequences(), 7);
  return data;
}

}  // namespace tests

#endif
