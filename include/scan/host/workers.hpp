// CPU threads for the workers of one scan.
#ifndef SCAN_HOST_WORKERS_HPP
#define SCAN_HOST_WORKERS_HPP

#include <cstdint>

namespace scan::host_path {

/// Threads worth starting for `num_tiles` tiles when the caller asks for `requested` (0: one per
/// core), the calling one included; at least 1.
int worker_count(int requested, std::int64_t num_tiles) noexcept;

/// Runs `work(context)` on `num_workers` threads at once, the calling one among them, and returns
/// when all have. A thread that the system refuses is left out: any number of workers completes a
/// scan. `work` must not throw.
void run_workers(int num_workers, void (*work)(void* context), void* context) noexcept;

}  // namespace scan::host_path

#endif
