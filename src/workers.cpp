#include "scan/host/workers.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace scan::host_path {

int worker_count(int requested, std::int64_t num_tiles) noexcept {
  // Starting a thread costs about as much as scanning a tile: below two tiles each it is a loss.
  constexpr std::int64_t tiles_per_worker = 2;
  const std::int64_t wanted =
      requested > 0 ? requested : static_cast<std::int64_t>(std::thread::hardware_concurrency());
  return static_cast<int>(
      std::clamp<std::int64_t>(num_tiles / tiles_per_worker, 1, std::max<std::int64_t>(wanted, 1)));
}

void run_workers(int num_workers, void (*work)(void* context), void* context) noexcept {
  std::vector<std::jthread> others;
  try {
    others.reserve(static_cast<std::size_t>(num_workers));
    for (int i = 1; i < num_workers; ++i) others.emplace_back(work, context);
  } catch (...) {  // no memory or no more threads: go on with those we have
  }
  work(context);
}

}  // namespace scan::host_path
