// How a row of the matrix of segments is made from its types and its operator.
#ifndef SCAN_TESTS_SEGMENT_ROW_HPP
#define SCAN_TESTS_SEGMENT_ROW_HPP

#include "tests/matrices/segment_matrix.hpp"
#include "tests/matrices/sequence_row.hpp"
#include "tests/segments/segment_call.hpp"

namespace tests {

template <class In, class Out, class Op>
segment_row make_segment_row(const char* name) {
  segment_row row{};
  describe_types<In, Out, Op>(name, row);
  row.reference = [](const segment_case& c, const sequence_arguments& arguments) {
    scan_segments_serially(c, static_cast<const In*>(arguments.in),
                           static_cast<Out*>(arguments.out), all_inits<Out>(c, arguments.inits),
                           static_cast<Out*>(arguments.totals), Op{});
  };
  if constexpr (scan::is_segment_prebuilt_on_host<In, Out, Op>) {
    row.on_host = [](const segment_case& c, const sequence_arguments& arguments, int threads) {
      return call_segments(c, arguments.beside, static_cast<const In*>(arguments.in),
                           static_cast<Out*>(arguments.out), Op{},
                           host_options_of<Out>(c, arguments, threads), scan::host);
    };
  }
  if constexpr (scan::is_segment_prebuilt<In, Out, Op>) {
    row.on_device = [](const segment_case& c, const sequence_arguments& arguments,
                       const void* host_inits, cudaStream_t stream, scan::workspace* space) {
      return call_segments(c, arguments.beside, static_cast<const In*>(arguments.in),
                           static_cast<Out*>(arguments.out), Op{},
                           device_options_of<Out>(c, arguments, host_inits, stream, space));
    };
  }
  return row;
}

}  // namespace tests

#endif
