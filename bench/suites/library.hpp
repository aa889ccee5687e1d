// Scans of cells as calls: the library's own, and CUB's.
#ifndef SCAN_BENCH_SUITES_LIBRARY_HPP
#define SCAN_BENCH_SUITES_LIBRARY_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

/// Calls of every CUB, with the device memory that they ask for; several of one name where it has
/// several ways.
struct named_call {
  std::string name;
  enqueue_call enqueue;
};
std::vector<named_call> cub_calls(const cell& what);

/// A scan with the cell's pointers: off by elements, in place.
enqueue_call placed(const cell& what, enqueue_call scan);

/// Scans of host memory on CPU threads: one of `plain_scans`. They throw as those on the GPU do.
host_call library_host_call(const cell& what, int num_threads);

}  // namespace bench

#endif
