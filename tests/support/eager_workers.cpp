#include "tests/support/eager_workers.hpp"

// The library's own pool, by other names.
#define worker_count economical_worker_count
#define run_workers run_in_pool
#include "src/host/workers.cpp"
#undef worker_count
#undef run_workers

namespace {

std::atomic<std::int64_t> num_shared{0}, num_deserted{0};

/// What `run_workers` is given, and who has come.
struct shared_call {
  bool (*step)(void* context);
  void (*work)(void* context);
  void* context;
  int steps_alone;  // before the caller waits for a helper: the hand-over is anywhere
  std::chrono::steady_clock::time_point deadline;
  std::atomic<int> num_present{0};

  bool in_time() const { return std::chrono::steady_clock::now() < deadline; }
};

bool step_or_wait(void* context) {
  auto& call = *static_cast<shared_call*>(context);
  if (call.steps_alone > 0) {
    --call.steps_alone;
    return call.step(call.context);
  }
  std::this_thread::yield();
  return call.in_time() || call.step(call.context);
}

void work_together(void* context) {
  auto& call = *static_cast<shared_call*>(context);
  ++call.num_present;
  while (call.num_present < 2 && call.in_time()) std::this_thread::yield();
  call.work(call.context);
}

thread_local std::int64_t num_tiles_of_call = 0;
thread_local int num_calls = 0;

}  // namespace

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

int worker_count(int requested, std::int64_t num_tiles, std::int64_t num_bytes,
                 bool in_one_pass) noexcept {
  num_tiles_of_call = num_tiles;
  if (requested == 0) return economical_worker_count(0, num_tiles, num_bytes, in_one_pass);
  return static_cast<int>(std::clamp<std::int64_t>(num_tiles, 1, requested));
}

void run_workers(int num_workers, bool (*step)(void* context), void (*work)(void* context),
                 void* context) noexcept {
  const int most_alone = static_cast<int>(std::min<std::int64_t>(num_tiles_of_call - 1, 3));
  shared_call call{step, work, context, num_calls++ % (most_alone + 1),
                   std::chrono::steady_clock::now() + std::chrono::seconds(20)};
  run_in_pool(num_workers, step_or_wait, work_together, &call);
  // (Who has come to the end of it alone has had fewer parts than worker_count was told.)
  if (call.num_present > 1) {
    ++num_shared;
  } else if (!call.in_time()) {
    ++num_deserted;
  }
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

std::int64_t tests::num_shared_calls() { return num_shared; }
std::int64_t tests::num_deserted_calls() { return num_deserted; }
