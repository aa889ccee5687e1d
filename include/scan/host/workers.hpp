// CPU threads for the workers of one scan.
#ifndef SCAN_HOST_WORKERS_HPP
#define SCAN_HOST_WORKERS_HPP

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

#include "scan/abi.hpp"
#include "scan/host/lanes.hpp"
#include "scan/protocol/tile_states.hpp"

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

// ---- Work in parts that do not depend on each other, on CPU threads: the caller starts alone and
// shares the rest with those who come, who take parts by tickets.

/// What one of the workers has thrown, the first of them, kept for the caller.
class kept_failure {
 public:
  void keep() {
    const std::lock_guard<std::mutex> lock(keeping_);
    if (!first_) first_ = std::current_exception();
  }
  /// When all are through.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex keeping_;
  std::exception_ptr first_;
};

/// The next step of a caller who is alone, for run_workers: what `advance()` of its `Job` does,
/// which is false when nothing is left; `failure` of the job is a kept_failure.
template <class Job>
bool advance_alone(void* context) {
  auto& work = *static_cast<Job*>(context);
  try {
    if (work.advance()) return true;
  } catch (...) {
    work.failure.keep();
  }
  finish_stores();
  return false;
}

/// Bytes of input and output that are worth a ticket.
inline constexpr std::int64_t part_bytes = 64 * 1024;

/// What `part(i)` does for i in [0, num_parts), as its workers share it.
template <class Part>
struct parts_job {
  const Part& part;
  std::int64_t num_parts;
  std::int64_t next = 0;         // the caller's next part while it is alone
  tile_states_header tickets{};  // of no tiles' states
  kept_failure failure{};

  bool advance() {
    part(next);
    return ++next < num_parts;
  }
};

/// A worker's life, for run_workers. Nobody waits for a part, so who fails just tells the others.
template <class Part>
void do_parts_together(void* context) {
  auto& work = *static_cast<parts_job<Part>*>(context);
  tile_states<std::uint32_t> states(&work.tickets, sizeof(work.tickets));
  const stores_to_finish before_others_know;
  try {
    while (!states.abandoned()) {
      const std::int64_t part = work.next + states.claim(INT64_MAX).tile;
      if (part >= work.num_parts) break;
      work.part(part);
    }
  } catch (...) {
    states.abandon();
    work.failure.keep();
  }
}

/// Calls `part(i)` for each i in [0, num_parts), in any order; what it throws reaches the caller,
/// and some parts are then not done. Fewer than 2^31 parts.
template <class Part>
void run_parts(std::int64_t num_parts, int num_workers, const Part& part) {
  if (num_workers == 1) {
    const stores_to_finish before_others_know;
    for (std::int64_t i = 0; i < num_parts; ++i) part(i);
    return;
  }
  parts_job<Part> work{part, num_parts};
  run_workers(num_workers, advance_alone<parts_job<Part>>, do_parts_together<Part>, &work);
  work.failure.rethrow();
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
