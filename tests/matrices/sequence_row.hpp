// How rows of the matrices, of sequences, tensors and segments, are made from types and operator:
// what all have.
#ifndef SCAN_TESTS_SEQUENCE_ROW_HPP
#define SCAN_TESTS_SEQUENCE_ROW_HPP

#include <optional>
#include <vector>

#include "scan/options.hpp"
#include "tests/matrices/elements.hpp"
#include "tests/matrices/typed_row.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

/// What is given as init by value: the first of the inits.
template <class Value>
std::optional<Value> first_init(const sequence_case& c, const void* inits) {
  if (c.init != sequence_init::by_value) return std::nullopt;
  return *static_cast<const Value*>(inits);
}

template <class Value, class Case>
std::vector<Value> all_inits(const Case& c, const void* inits) {
  const Value* const first = static_cast<const Value*>(inits);
  return {first, first + c.num_inits()};
}

template <class Options>
void set_options(const sequence_case& c, const sequence_arguments& arguments, Options& opts) {
  using pointer = decltype(opts.init_pointer);
  if (c.init == sequence_init::by_pointer) {
    opts.init_pointer = static_cast<pointer>(arguments.inits);
  }
  opts.total = static_cast<decltype(opts.total)>(arguments.totals);
  opts.reverse = c.reverse;
  opts.complete = c.complete;
}

/// Options of a call on CPU threads.
template <class Value>
scan::host_options<Value> host_options_of(const sequence_case& c,
                                          const sequence_arguments& arguments, int threads) {
  scan::host_options<Value> opts;
  opts.init = first_init<Value>(c, arguments.inits);
  opts.threads = threads;
  set_options(c, arguments, opts);
  return opts;
}

/// Options of a call on the device; an init by value is read from host memory.
template <class Value>
scan::options<Value> device_options_of(const sequence_case& c, const sequence_arguments& arguments,
                                       const void* host_inits, cudaStream_t stream,
                                       scan::workspace* space) {
  scan::options<Value> opts;
  opts.init = first_init<Value>(c, host_inits);
  opts.stream = stream;
  opts.workspace = space;
  set_options(c, arguments, opts);
  return opts;
}

/// Names, widths and data of the scans from `In` to `Out` with `Op`.
template <class In, class Out, class Op, class Row>
void describe_types(const char* name, Row& row) {
  row.name = name;
  row.in_bytes = sizeof(In);
  row.out_bytes = row.value_bytes = sizeof(Out);
  row.fill = fill<In, Op>;
  row.fill_values = [](void* values, std::int64_t n, std::mt19937_64& random) {
    for (std::int64_t i = 0; i < n; ++i) {
      static_cast<Out*>(values)[i] = random_element<Out, Op>(random);
    }
  };
  row.first_difference = row.first_value_difference = first_difference_of<Out>;
}

}  // namespace tests

#endif
