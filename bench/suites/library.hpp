// The library's own scans, of cells.
#ifndef SCAN_BENCH_SUITES_LIBRARY_HPP
#define SCAN_BENCH_SUITES_LIBRARY_HPP

#include <cstdint>
#include <memory>

#include "bench/measure/call_graph.hpp"
#include "bench/suites/affine.hpp"
#include "bench/suites/cells.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace bench {

/// A workspace for scans of the cell by `which`.
std::shared_ptr<scan::workspace> workspace_for(const cell& what,
                                               scan::algorithm which = scan::algorithm::automatic);

/// Calls of the library on the GPU, which are not to overlap with others in the workspace. They
/// throw `std::runtime_error` where the library returns an error.
enqueue_call library_call(const cell& what, const std::shared_ptr<scan::workspace>& workspace,
                          scan::algorithm which = scan::algorithm::automatic);

/// Scans host memory on CPU threads: one of `plain_scans`. Throws as the calls on the GPU do.
void library_scan(const cell& what, const void* in, void* out, int num_threads);

/// Enqueues the scan by the operator of our own, which libscan.a does not hold: inclusive.
scan::status compose_scan(const affine* in, affine* out, std::int64_t num_items,
                          const scan::options<affine>& options);

}  // namespace bench

#endif
