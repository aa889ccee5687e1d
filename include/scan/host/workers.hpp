// CPU threads for the workers of one scan.
#ifndef SCAN_HOST_WORKERS_HPP
#define SCAN_HOST_WORKERS_HPP

#include <cstdint>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Threads worth asking for `num_tiles` tiles, together `num_bytes` bytes, when the caller wants
/// `requested` (0: one per processor that the process may use), the calling one included; at
/// least 1. `in_one_pass`: what several do together is no more than what one would do.
int worker_count(int requested, std::int64_t num_tiles, std::int64_t num_bytes,
                 bool in_one_pass = false) noexcept;

/// Asks for `num_workers` - 1 threads; meanwhile calls `step(context)`, until it returns false:
/// nothing is left to do. When a thread comes before that, both run `work(context)`, as do those
/// that come later. Returns when all have. Threads that the system refuses do not come: any number
/// of workers completes a scan. Neither may throw.
void run_workers(int num_workers, bool (*step)(void* context), void (*work)(void* context),
                 void* context) noexcept;

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
