// The gradients of linear recurrences on CPU threads, each sequence one step after another on one
// thread, from the recurrence's end:
//
//   g(i) = a(i+1) g(i+1) + grad_h(i), or grad_h(i) if a(i+1) = 0      grad_b(i) = g(i)
//   grad_a(i) = g(i) h(i-1)
//
// in the type of the states; rounded as in recurrences.hpp.
#ifndef SCAN_HOST_TENSOR_GRADIENTS_HPP
#define SCAN_HOST_TENSOR_GRADIENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/call/entries.hpp"
#include "scan/call/gradient_call.hpp"
#include "scan/host/tensor/recurrences.hpp"
#include "scan/host/tensor/strips.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Where the last step of sequence (outer, inner) has come to.
template <class Tensor>
void finish_gradient(const Tensor& walk, std::int64_t outer, std::int64_t inner,
                     const typename Tensor::value_type& state) {
  const auto sequence = walk.sequence(outer, inner);
  const auto end = walk.as_operand(state);
  sequence.of_factors[walk.last] = sequence.last_second(end);
  sequence.write_end({end, true});
}

/// Columns side by side.
template <class Tensor>
void differentiate_strip(const Tensor& walk, const strip& s) {
  using T = typename Tensor::in_type;
  using S = typename Tensor::value_type;
  S gradient[most_columns<typename Tensor::T>];
  for (int k = 0; k < s.num_columns; ++k) {
    start_state(walk.sequence(s.outer, s.first + k), gradient[k]);
  }
  strip_place<Tensor> at(walk, s);
  const T* factors = strip_place<Tensor>(walk, s, walk.in.factors).x - at.step;
  const T* states = strip_place<Tensor>(walk, s, walk.states).x + at.step;
  T* of_factors = walk.of_factors + (at.y - walk.out.data);
  S* __restrict const g = gradient;  // in loops of their own: see scan_next_row
  for (std::int64_t i = 0; i < walk.num_items; ++i) {
    const bool is_last = i + 1 == walk.num_items;
    if (!is_last) {
      fetch_row_after<false>(factors, at.step, s.num_columns);
      fetch_row_after<false>(at.x, at.step, s.num_columns);
      fetch_row_after<true>(at.y, at.step, s.num_columns);
      fetch_row_after<true>(of_factors, at.step, s.num_columns);
    }
    if (i > 0) {
      for (int k = 0; k < s.num_columns; ++k) {
        g[k] = next_state_in_lanes(convert<S>(factors[k]), g[k], convert<S>(at.x[k]));
      }
    } else if (walk.has_init()) {
      for (int k = 0; k < s.num_columns; ++k) g[k] = g[k] + convert<S>(at.x[k]);
    } else {
      for (int k = 0; k < s.num_columns; ++k) g[k] = convert<S>(at.x[k]);
    }
    for (int k = 0; k < s.num_columns; ++k) at.y[k] = convert<T>(g[k]);
    for (int k = 0; k < s.num_columns && !is_last; ++k) {
      of_factors[k] = convert<T>(g[k] * convert<S>(states[k]));
    }
    at.next_row();
    factors += at.step, states += at.step, of_factors += at.step;
  }
  for (int k = 0; k < s.num_columns; ++k) finish_gradient(walk, s.outer, s.first + k, g[k]);
}

/// Rows [first, first + num_rows), whose chains of operations the processor overlaps.
template <int num_rows, class Tensor>
void differentiate_rows(const Tensor& walk, std::int64_t first) {
  using T = typename Tensor::in_type;
  using S = typename Tensor::value_type;
  const T *a[std::size_t{num_rows}], *h[std::size_t{num_rows}], *x[std::size_t{num_rows}];
  T *of_a[std::size_t{num_rows}], *y[std::size_t{num_rows}];
  S g[std::size_t{num_rows}] = {};
  for (int r = 0; r < num_rows; ++r) {
    const auto row = walk.sequence(first + r, 0);
    a[r] = row.in.factors, h[r] = row.states, x[r] = row.in.data;
    of_a[r] = row.of_factors, y[r] = row.out.data;
    start_state(row, g[r]);
  }
  constexpr int later = Tensor::reversed ? -1 : 1;
  const std::int64_t n = walk.num_items;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = Tensor::reversed ? n - 1 - step : step;
    for (int r = 0; r < num_rows; ++r) {
      const S given = convert<S>(x[r][i]);
      g[r] = step > 0          ? next_state(a[r][i - later], g[r], x[r][i])
             : walk.has_init() ? g[r] + given
                               : given;
    }
    for (int r = 0; r < num_rows; ++r) {
      y[r][i] = convert<T>(g[r]);
      if (step + 1 < n) of_a[r][i] = convert<T>(g[r] * convert<S>(h[r][i + later]));
    }
  }
  for (int r = 0; r < num_rows; ++r) finish_gradient(walk, first + r, 0, g[r]);
}

/// Along all sequences of a tensor, of some length.
template <class Tensor>
void differentiate_sequences(const Tensor& walk, int threads) {
  constexpr int at_once = 4;
  strip_parts parts(walk, threads, 5 * sizeof(typename Tensor::in_type));
  run_parts(parts.num_parts(), parts.num_workers, [&](std::int64_t part) {
    if (walk.shape.inner == 1) {
      std::int64_t row = part * parts.slabs;
      const std::int64_t end = std::min(row + parts.slabs, parts.outer);
      for (; row + at_once <= end; row += at_once) differentiate_rows<at_once>(walk, row);
      for (; row < end; ++row) differentiate_rows<1>(walk, row);
    } else {
      parts.for_each(part, [&](const strip& s) { differentiate_strip(walk, s); });
    }
  });
}

/// `recurrence_gradient` of recurrence_gradient.hpp in host memory.
template <class T>
status recur_back(on_host, const gradient_input<T>& in, const gradient_output<T>& out,
                  const extents& given, const host_gradient_options<state_t<T>>& opts) noexcept {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  tensor_shape shape;
  if (const status checked = validate_gradient(in, out, given, opts, shape); !checked.ok()) {
    return checked;
  }
  if (writes_no_gradient(shape, opts.grad_init)) return {};
  if (shape.length == 0) {
    write_ends(describe_gradient<true>(in, out, shape, opts));
  } else if (opts.reverse) {
    differentiate_sequences(describe_gradient<false>(in, out, shape, opts), opts.threads);
  } else {
    differentiate_sequences(describe_gradient<true>(in, out, shape, opts), opts.threads);
  }
  return {};
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
