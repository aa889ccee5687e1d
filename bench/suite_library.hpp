// The library's own scans, of the suites' types.
#ifndef SCAN_BENCH_SUITE_LIBRARY_HPP
#define SCAN_BENCH_SUITE_LIBRARY_HPP

#include <cstddef>
#include <cstdint>

#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace bench {

/// Enqueues the `index`-th of `suite_scans`.
scan::status library_scan(std::size_t index, bool exclusive, const void* in, void* out,
                          std::int64_t num_items, cudaStream_t stream, scan::workspace& workspace,
                          scan::algorithm which = scan::algorithm::automatic);

}  // namespace bench

#endif
