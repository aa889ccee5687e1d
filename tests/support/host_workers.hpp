// How many CPU threads a scan asks for, so that tests of several threads know that they are.
#ifndef SCAN_TESTS_HOST_WORKERS_HPP
#define SCAN_TESTS_HOST_WORKERS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/host/host_scan.hpp"

namespace tests {

/// Of a scan of `n` > 0 elements by a caller who wants `threads`: few of them, or few elements, and
/// it is one.
template <class In, class Out, class Op>
int host_workers(const In& in, const Out& out, std::int64_t n, const Op& op, int threads) {
  const auto from = scan::as_input(in);
  const auto to = scan::as_output(out);
  using types = scan::scan_types<std::decay_t<decltype(from)>, std::decay_t<decltype(to)>>;
  const auto described =
      scan::describe<false>(false, from, to, n, op, scan::host_options<typename types::value>{});
  const scan::host_path::job<std::decay_t<decltype(described)>> work{described};
  return scan::host_path::worker_count(threads, work.num_tiles(), work.num_bytes());
}

}  // namespace tests

#endif
