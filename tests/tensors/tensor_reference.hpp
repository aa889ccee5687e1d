// Scans of tensors and linear recurrences as serial loops, sequence by sequence: what the device
// and the host path are compared with.
#ifndef SCAN_TESTS_TENSOR_REFERENCE_HPP
#define SCAN_TESTS_TENSOR_REFERENCE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scan/call/recurrence_maps.hpp"
#include "scan/extents.hpp"
#include "scan/operands/accumulator.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

/// One call. Recurrences have neither `exclusive` nor `complete`.
struct tensor_case : sequence_case {
  scan::extents shape;

  std::int64_t num_sequences() const { return shape.outer * shape.inner; }
  std::int64_t in_pitch() const {
    return shape.in_pitch > 0 ? shape.in_pitch : shape.length * shape.inner;
  }
  std::int64_t out_pitch() const {
    return shape.out_pitch > 0 ? shape.out_pitch : (shape.length + complete) * shape.inner;
  }
  /// Elements from the first to the last of either side; 0 where there are none.
  std::int64_t in_span() const { return span(in_pitch(), shape.length); }
  std::int64_t out_span() const { return span(out_pitch(), shape.length + complete); }
  /// Where element (o, i, k) is.
  std::int64_t in_index(std::int64_t o, std::int64_t i, std::int64_t k) const {
    return o * in_pitch() + i * shape.inner + k;
  }
  std::int64_t out_index(std::int64_t o, std::int64_t i, std::int64_t k) const {
    return o * out_pitch() + i * shape.inner + k;
  }

  std::string describe() const {
    return std::string(exclusive ? "exclusive (" : "inclusive (") + std::to_string(shape.outer) +
           ", " + std::to_string(shape.length) + ", " + std::to_string(shape.inner) + ") pitches " +
           std::to_string(shape.in_pitch) + ", " + std::to_string(shape.out_pitch) +
           describe_options();
  }

 private:
  std::int64_t span(std::int64_t pitch, std::int64_t rows) const {
    return num_sequences() * rows == 0 ? 0 : (shape.outer - 1) * pitch + rows * shape.inner;
  }
};

/// Scans every sequence of `in` into `out`, whose other elements stay what they are; `totals`: one
/// a sequence, or null. `in` may be `out`.
template <class In, class Out, class Op>
void scan_tensor_serially(const tensor_case& c, const In* in, Out* out,
                          const std::vector<Out>& inits, Out* totals, Op op) {
  using T = scan::accumulator_t<In, Out>;
  for (std::int64_t o = 0; o < c.shape.outer; ++o) {
    std::vector<std::vector<T>> items(static_cast<std::size_t>(c.shape.inner));
    for (std::int64_t k = 0; k < c.shape.inner; ++k) {
      for (std::int64_t i = 0; i < c.shape.length; ++i) {
        items[static_cast<std::size_t>(k)].push_back(scan::convert<T>(in[c.in_index(o, i, k)]));
      }
    }
    for (std::int64_t k = 0; k < c.shape.inner; ++k) {
      const std::int64_t sequence = o * c.shape.inner + k;
      std::optional<T> init;
      if (const auto given = init_of_sequence(c, inits, sequence)) init = scan::convert<T>(*given);
      const auto results = scan_sequence<T>(c, items[static_cast<std::size_t>(k)], init, op);
      for (std::size_t i = 0; i < results.outputs.size(); ++i) {
        out[c.out_index(o, static_cast<std::int64_t>(i), k)] =
            scan::convert<Out>(results.outputs[i]);
      }
      if (totals != nullptr) totals[sequence] = scan::convert<Out>(results.total);
    }
  }
}

/// h = a * h + b along every sequence, b where a is 0, in the type of the states; `totals` or null.
/// `b` may be `h`.
template <class T, class S = scan::state_t<T>>
void recur_serially(const tensor_case& c, const T* a, const T* b, T* h, const std::vector<S>& inits,
                    S* totals) {
  for (std::int64_t o = 0; o < c.shape.outer; ++o) {
    for (std::int64_t k = 0; k < c.shape.inner; ++k) {
      const std::int64_t sequence = o * c.shape.inner + k;
      std::optional<S> state = init_of_sequence(c, inits, sequence);
      for (std::int64_t step = 0; step < c.shape.length; ++step) {
        const std::int64_t i = c.reverse ? c.shape.length - 1 - step : step;
        const S factor = scan::convert<S>(a[c.in_index(o, i, k)]);
        const S offset = scan::convert<S>(b[c.in_index(o, i, k)]);
        state = state && factor != 0 ? factor * *state + offset : offset;
        h[c.out_index(o, i, k)] = scan::convert<T>(*state);
      }
      if (totals != nullptr) totals[sequence] = state ? *state : S(0);
    }
  }
}

}  // namespace tests

#endif
