// Scans of cells as calls: the library's own, and CUB's.
#ifndef SCAN_BENCH_CONTENDERS_LIBRARY_HPP
#define SCAN_BENCH_CONTENDERS_LIBRARY_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/cells/cells.hpp"
#include "bench/cells/scans.hpp"
#include "bench/measure/call_graph.hpp"
#include "bench/peers/cpu_peers.hpp"
#include "bench/peers/gpu_peers.hpp"
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

/// Calls of `scan(scan_of<...>{}, in, out, stream)`, which returns a status, for the scan at this
/// place in `scans` if it is among `Scans`. They throw as the library's do.
template <class Scans, class Scan>
enqueue_call call_of(std::size_t place, Scan scan) {
  return [=](const void* in, void* out, cudaStream_t stream) -> cudaError_t {
    scan::status status;
    with_scan<scans>(place, [&](auto of) {
      if constexpr (is_among<decltype(of), Scans>) status = scan(of, in, out, stream);
    });
    require_success(status);
    return status;
  };
}

/// Calls of a peer's `scan(memory, in, out, stream)`, a `cub_memory&` first, with the device memory
/// that it asks for, of no input and output.
template <class Scan>
enqueue_call with_memory(const Scan& scan) {
  cub_memory asked;
  check_cuda(scan(asked, nullptr, nullptr, nullptr), "asking a peer for its memory");
  const auto held = std::make_shared<device_buffer>(static_cast<std::int64_t>(asked.num_bytes));
  return [=](const void* in, void* out, cudaStream_t stream) {
    cub_memory memory{held->data(), asked.num_bytes};
    return scan(memory, in, out, stream);
  };
}

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
