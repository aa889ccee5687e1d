// Work in parts that do not depend on each other, on CPU threads: the caller starts alone and
// shares the rest with those who come, who take parts by tickets.
#ifndef SCAN_HOST_PARTS_HPP
#define SCAN_HOST_PARTS_HPP

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

#include "scan/host/lanes.hpp"
#include "scan/host/workers.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Keeps what has been thrown for the caller.
template <class Job>
void keep_failure(Job& work) {
  const std::lock_guard<std::mutex> lock(work.failing);
  if (!work.failure) work.failure = std::current_exception();
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
  std::mutex failing{};
  std::exception_ptr failure{};  // the first one, under `failing`
};

/// The caller's next part, for run_workers.
template <class Part>
bool do_part_alone(void* context) {
  auto& work = *static_cast<parts_job<Part>*>(context);
  try {
    work.part(work.next);
    if (++work.next < work.num_parts) return true;
  } catch (...) {
    keep_failure(work);
  }
  finish_stores();
  return false;
}

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
    keep_failure(work);
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
  run_workers(num_workers, do_part_alone<Part>, do_parts_together<Part>, &work);
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
