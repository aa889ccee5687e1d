// How a row of the matrix of single sequences is made from its types and its operator.
#ifndef SCAN_TESTS_MATRIX_ROW_HPP
#define SCAN_TESTS_MATRIX_ROW_HPP

#include <string_view>

#include "scan/call/prebuilt.hpp"
#if !SCAN_PREBUILT_FULL
#include "scan/host/host_scan.hpp"  // the scans that libscan.a does not hold
#endif
#include "scan/scan.hpp"
#include "tests/matrices/matrix.hpp"
#include "tests/matrices/sequence_row.hpp"

namespace tests {

/// Straight from the elements to the outputs: of the scans of so many types scan_sequence would
/// take a fifth more time to compile.
template <class In, class Out, class Op>
void scan_serially(const single_case& c, const sequence_arguments& arguments) {
  using T = scan::accumulator_t<In, Out>;
  const In* const in = static_cast<const In*>(arguments.in);
  Out* const out = static_cast<Out*>(arguments.out);
  const Op op;
  T running = Op::template identity<T>();
  bool started = c.init != sequence_init::none;
  if (started) running = scan::convert<T>(*static_cast<const Out*>(arguments.inits));
  if (c.complete && c.reverse) out[c.n] = scan::convert<Out>(running);
  const bool write_before = c.exclusive && !(c.complete && c.reverse);
  for (std::int64_t step = 0; step < c.n; ++step) {
    const std::int64_t i = c.reverse ? c.n - 1 - step : step;
    const T item = scan::convert<T>(in[i]);
    if (write_before) out[i] = scan::convert<Out>(running);
    running = !started ? item : c.reverse ? op(item, running) : op(running, item);
    started = true;
    if (!write_before) out[i] = scan::convert<Out>(running);
  }
  if (c.complete && !c.reverse) out[c.n] = scan::convert<Out>(running);
  if (c.with_total) *static_cast<Out*>(arguments.totals) = scan::convert<Out>(running);
}

/// `where`: scan::host, or nothing.
template <class In, class Out, class Op, class Options, class... Where>
scan::status call_single(const single_case& c, const sequence_arguments& arguments,
                         const Options& opts, Where... where) {
  const auto* const in = static_cast<const In*>(arguments.in);
  auto* const out = static_cast<Out*>(arguments.out);
  return c.exclusive ? scan::exclusive(where..., in, out, c.n, Op{}, opts)
                     : scan::inclusive(where..., in, out, c.n, Op{}, opts);
}

template <class In, class Out, class Op>
matrix_row make_row(const char* name) {
  matrix_row row{};
  describe_types<In, Out, Op>(name, row);
  row.prebuilt = scan::is_prebuilt<In, Out, Op>;
  row.with_baselines = is_prebuilt_baseline<In, Out, Op>;
  row.reference = scan_serially<In, Out, Op>;
  row.on_host = [](const single_case& c, const sequence_arguments& arguments, int threads) {
    return call_single<In, Out, Op>(c, arguments, host_options_of<Out>(c, arguments, threads),
                                    scan::host);
  };
  if constexpr (scan::is_prebuilt<In, Out, Op>) {
    row.on_device = [](const single_case& c, const sequence_arguments& arguments,
                       const void* host_inits, cudaStream_t stream, scan::workspace* space) {
      auto opts = device_options_of<Out>(c, arguments, host_inits, stream, space);
      opts.algorithm = c.algorithm;
      return call_single<In, Out, Op>(c, arguments, opts);
    };
  }
  return row;
}

}  // namespace tests

#endif
