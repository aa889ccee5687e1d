// Linear recurrences on CPU threads, each sequence one step after another on one thread:
//
//   h(0) = b(0), or a(0) * init + b(0)        h(i) = a(i) * h(i - 1) + b(i), or b(i) if a(i) = 0
//
// in the type of the states; an output is h(i), rounded once to its type. Product and sum are
// rounded one by one, or where the library is compiled for a processor with fused operations
// (and by a compiler that is free to use them) at once.
#ifndef SCAN_HOST_TENSOR_RECURRENCES_HPP
#define SCAN_HOST_TENSOR_RECURRENCES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/call/entries.hpp"
#include "scan/call/recurrence_problem.hpp"
#include "scan/call/tensor_problem.hpp"
#include "scan/host/tensor/strips.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Whether a recurrence has an init, which goes to `state`.
template <class Sequence>
bool start_state(const Sequence& sequence, typename Sequence::value_type& state) {
  const auto start = sequence.start();
  state = start.exists ? sequence.as_value(start.value) : typename Sequence::value_type(0);
  return start.exists;
}

template <class S, class Factor, class T>
S next_state(const Factor& factor, S state, const T& offset) {
  return recurrence_step<S>{convert<S>(factor), convert<S>(offset)}.apply(state);
}

/// The same, chosen by a mask: of a choice compilers make a branch, and no vector code.
template <class S>
S next_state_in_lanes(S factor, S state, S offset) {
  using bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
  const S next = multiply_add(factor, state, offset);
  bits kept, chosen;
  std::memcpy(&kept, &next, sizeof(S));
  std::memcpy(&chosen, &offset, sizeof(S));
  const bits mask = bits{0} - static_cast<bits>(factor == S(0));
  chosen = (kept & ~mask) | (chosen & mask);
  std::memcpy(&state, &chosen, sizeof(S));
  return state;
}

/// Columns side by side.
template <class Tensor>
void recur_strip(const Tensor& walk, const strip& s) {
  using T = typename Tensor::in_type;
  using Out = typename Tensor::out_type;
  using S = typename Tensor::value_type;
  S state[most_columns<typename Tensor::T>];
  bool preceded = false;
  for (int k = 0; k < s.num_columns; ++k) {
    preceded = start_state(walk.sequence(s.outer, s.first + k), state[k]);
  }
  strip_place<Tensor> at(walk, s);
  S of_columns[most_columns<typename Tensor::T>];  // where all steps have one
  const T* factors = nullptr;
  if constexpr (Tensor::has_one_factor) {
    for (int k = 0; k < s.num_columns; ++k) {
      of_columns[k] = walk.sequence(s.outer, s.first + k).in_common().factor;
    }
  } else {
    factors = strip_place<Tensor>(walk, s, walk.in.factors).x;
  }
  for (std::int64_t i = 0; i < walk.num_items; ++i) {
    if (i + 1 < walk.num_items) {
      if constexpr (!Tensor::has_one_factor) {
        fetch_row_after<false>(factors, at.step, s.num_columns);
      }
      fetch_row_after<false>(at.x, at.step, s.num_columns);
      fetch_row_after<true>(at.y, at.step, s.num_columns);
    }
    S* __restrict const h = state;  // in loops of their own: see scan_next_row
    if (i == 0 && !preceded) {
      for (int k = 0; k < s.num_columns; ++k) h[k] = convert<S>(at.x[k]);
    } else if constexpr (Tensor::has_one_factor) {
      for (int k = 0; k < s.num_columns; ++k) {
        h[k] = next_state_in_lanes(of_columns[k], h[k], convert<S>(at.x[k]));
      }
    } else {
      for (int k = 0; k < s.num_columns; ++k) {
        h[k] = next_state_in_lanes(convert<S>(factors[k]), h[k], convert<S>(at.x[k]));
      }
    }
    for (int k = 0; k < s.num_columns; ++k) at.y[k] = convert<Out>(h[k]);
    at.next_row();
    if constexpr (!Tensor::has_one_factor) factors += at.step;
  }
  if (walk.total == nullptr) return;
  for (int k = 0; k < s.num_columns; ++k) {
    walk.total[s.outer * walk.shape.inner + s.first + k] = state[k];
  }
}

/// Rows [first, first + num_rows), whose chains of operations the processor overlaps.
template <int num_rows, class Tensor>
void recur_rows(const Tensor& walk, std::int64_t first) {
  using T = typename Tensor::in_type;
  using S = typename Tensor::value_type;
  using Out = typename Tensor::out_type;
  const T* a[std::size_t{num_rows}];
  const T* b[std::size_t{num_rows}];
  Out* y[std::size_t{num_rows}];
  S h[std::size_t{num_rows}] = {};
  S of_rows[std::size_t{num_rows}] = {};  // where all steps have one factor
  bool preceded = false;
  for (int r = 0; r < num_rows; ++r) {
    const auto row = walk.sequence(first + r, 0);
    if constexpr (Tensor::has_one_factor) {
      of_rows[r] = row.in_common().factor;
    } else {
      a[r] = row.in.factors;
    }
    b[r] = row.in.data;
    y[r] = row.out.data;
    preceded = start_state(row, h[r]);
  }
  const auto factor = [&](int r, [[maybe_unused]] std::int64_t i) {
    if constexpr (Tensor::has_one_factor) {
      return of_rows[r];
    } else {
      return a[r][i];
    }
  };
  const std::int64_t n = walk.num_items;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = Tensor::reversed ? n - 1 - step : step;
    for (int r = 0; r < num_rows; ++r) {
      h[r] = step > 0 || preceded ? next_state(factor(r, i), h[r], b[r][i]) : convert<S>(b[r][i]);
    }
    for (int r = 0; r < num_rows; ++r) y[r][i] = convert<Out>(h[r]);
  }
  if (walk.total == nullptr) return;
  for (int r = 0; r < num_rows; ++r) walk.total[first + r] = h[r];
}

template <class Tensor>
void recur_rows_of_part(const Tensor& walk, std::int64_t first, std::int64_t last) {
  constexpr int at_once = 4;
  for (; first + at_once <= last; first += at_once) recur_rows<at_once>(walk, first);
  for (; first < last; ++first) recur_rows<1>(walk, first);
}

/// Recurrences along all sequences of a tensor, of some length.
template <class Tensor>
void recur_sequences(const Tensor& walk, int threads) {
  constexpr std::int64_t item_bytes =
      Tensor::num_inputs * sizeof(typename Tensor::in_type) + sizeof(typename Tensor::out_type);
  strip_parts parts(walk, threads, item_bytes);
  run_parts(parts.num_parts(), parts.num_workers, [&](std::int64_t part) {
    if (walk.shape.inner == 1) {
      const std::int64_t first = part * parts.slabs;
      recur_rows_of_part(walk, first, std::min(first + parts.slabs, parts.outer));
    } else {
      parts.for_each(part, [&](const strip& s) { recur_strip(walk, s); });
    }
  });
}

/// `recurrence` of tensors.hpp in host memory.
template <class Input, class Out>
status recur(on_host, const Input& in, Out* out, const extents& given,
             const host_options<state_t<Out>>& opts) noexcept {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  tensor_shape shape;
  if (const status checked = validate_recurrence(in, out, given, opts, shape); !checked.ok()) {
    return checked;
  }
  if (writes_nothing(shape, opts)) return {};
  if (shape.length == 0) {
    write_ends(describe_recurrence<false>(in, out, shape, opts));
  } else if (opts.reverse) {
    recur_sequences(describe_recurrence<true>(in, out, shape, opts), opts.threads);
  } else {
    recur_sequences(describe_recurrence<false>(in, out, shape, opts), opts.threads);
  }
  return {};
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
