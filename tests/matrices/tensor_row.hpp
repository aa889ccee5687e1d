// How a row of the matrix of tensors is made from its types and its operator.
#ifndef SCAN_TESTS_TENSOR_ROW_HPP
#define SCAN_TESTS_TENSOR_ROW_HPP

#include <limits>

#include "scan/scan.hpp"
#include "tests/matrices/sequence_row.hpp"
#include "tests/matrices/tensor_matrix.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace tests {

/// The calls of a scan and of a recurrence; `where` is scan::host, or nothing.
template <class In, class Out, class Op, class Options, class... Where>
scan::status call_scan(const placed_case& c, const sequence_arguments& arguments,
                       const Options& opts, Where... where) {
  const auto* const in = static_cast<const In*>(arguments.in);
  auto* const out = static_cast<Out*>(arguments.out);
  return c.exclusive ? scan::exclusive(where..., in, out, c.shape, Op{}, opts)
                     : scan::inclusive(where..., in, out, c.shape, Op{}, opts);
}
template <class T, class Options, class... Where>
scan::status call_recurrence(const placed_case& c, const sequence_arguments& arguments,
                             const Options& opts, Where... where) {
  return scan::recurrence(where..., static_cast<const T*>(arguments.beside),
                          static_cast<const T*>(arguments.in), static_cast<T*>(arguments.out),
                          c.shape, opts);
}

/// Factors of recurrences that leave results exact: 1 and -1; every other time also a few resets.
template <class T>
void fill_factors(void* factors, std::int64_t n, std::mt19937_64& random) {
  T* const items = static_cast<T*>(factors);
  const bool with_resets = random() % 2 == 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random();
    items[i] = scan::convert<T>(with_resets && (bits >> 32) % 64 == 0 ? 0.0f
                                : bits % 2 == 0                       ? 1.0f
                                                                      : -1.0f);
  }
}

/// Numbers; every fourth time also a few that are none.
template <class T>
void fill_offsets(void* offsets, std::int64_t n, std::mt19937_64& random) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float others[] = {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
  T* const items = static_cast<T*>(offsets);
  const bool with_others = random() % 4 == 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random();
    items[i] = with_others && bits % 512 == 0 ? scan::convert<T>(others[(bits >> 32) % 3])
                                              : random_element<T, scan::plus>(random);
  }
}

template <class In, class Out, class Op>
tensor_row make_tensor_row(const char* name) {
  tensor_row row{};
  describe_types<In, Out, Op>(name, row);
  row.reference = [](const placed_case& c, const sequence_arguments& arguments) {
    scan_tensor_serially(c, static_cast<const In*>(arguments.in), static_cast<Out*>(arguments.out),
                         all_inits<Out>(c, arguments.inits), static_cast<Out*>(arguments.totals),
                         Op{});
  };
  if constexpr (scan::is_tensor_prebuilt_on_host<In, Out, Op>) {
    row.on_host = [](const placed_case& c, const sequence_arguments& arguments, int threads) {
      return call_scan<In, Out, Op>(c, arguments, host_options_of<Out>(c, arguments, threads),
                                    scan::host);
    };
  }
  if constexpr (scan::is_tensor_prebuilt<In, Out, Op>) {
    row.on_device = [](const placed_case& c, const sequence_arguments& arguments,
                       const void* host_inits, cudaStream_t stream, scan::workspace* space) {
      return call_scan<In, Out, Op>(
          c, arguments, device_options_of<Out>(c, arguments, host_inits, stream, space));
    };
  }
  return row;
}

template <class T>
tensor_row make_recurrence_row(const char* name) {
  using state = scan::state_t<T>;
  tensor_row row{};
  row.name = name;
  row.recurrence = true;
  row.in_bytes = row.out_bytes = sizeof(T);
  row.value_bytes = sizeof(state);
  row.fill = fill_offsets<T>;
  row.fill_factors = fill_factors<T>;
  row.fill_values = fill_offsets<state>;
  row.reference = [](const placed_case& c, const sequence_arguments& arguments) {
    recur_serially(c, static_cast<const T*>(arguments.beside), static_cast<const T*>(arguments.in),
                   static_cast<T*>(arguments.out), all_inits<state>(c, arguments.inits),
                   static_cast<state*>(arguments.totals));
  };
  row.first_difference = first_difference_of<T>;
  row.first_value_difference = first_difference_of<state>;
  row.on_host = [](const placed_case& c, const sequence_arguments& arguments, int threads) {
    return call_recurrence<T>(c, arguments, host_options_of<state>(c, arguments, threads),
                              scan::host);
  };
  row.on_device = [](const placed_case& c, const sequence_arguments& arguments,
                     const void* host_inits, cudaStream_t stream, scan::workspace* space) {
    return call_recurrence<T>(c, arguments,
                              device_options_of<state>(c, arguments, host_inits, stream, space));
  };
  return row;
}

}  // namespace tests

#endif
