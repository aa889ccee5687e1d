// The library's own scans, of cells.
#ifndef SCAN_BENCH_SUITES_LIBRARY_HPP
#define SCAN_BENCH_SUITES_LIBRARY_HPP

#include <cstdint>
#include <memory>

#include "bench/measure/call_graph.hpp"
#include "bench/peers/cpu_peers.hpp"
#include "bench/suites/cells.hpp"
#include "scan/options.hpp"
#include "scan/workspace.hpp"

namespace bench {

/// A workspace for scans of the cell by `which`.
std::shared_ptr<scan::workspace> workspace_for(const cell& what,
                                               scan::algorithm which = scan::algorithm::automatic);

/// Calls of the library on the GPU, which are not to overlap with others in the workspace. They
/// throw `std::runtime_error` where the library returns an error.
enqueue_call library_call(const cell& what, const std::shared_ptr<scan::workspace>& workspace,
                          scan::algorithm which = scan::algorithm::automatic);

/// Scans of host memory on CPU threads: one of `plain_scans`. They throw as those on the GPU do.
host_call library_host_call(const cell& what, int num_threads);

}  // namespace bench

#endif
