#include "scan/host/workers.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>

#include "src/host/helper_threads.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {
namespace {

/// Who works for one call. Kept for ever and used by one call after another, so that a thread may
/// look at it whenever it likes. Threads of the pool neither allocate nor throw.
class alignas(64) crew {
 public:
  // ---- for the caller ----
  /// Makes it this call's, unless it is another's.
  bool take(void (*work)(void* context), void* context) {
    if (taken_.exchange(true)) return false;
    work_ = work;
    context_ = context;
    std::fegetenv(&environment_);
    phase_ = phase::alone;
    return true;
  }
  /// Lets `num_helpers` threads in.
  void open(std::uint32_t num_helpers) { members_ = num_helpers; }
  bool has_helpers() const { return members_ >= one_inside; }
  /// From now on helpers work; what the caller did before is visible to them.
  void share() { phase_ = phase::shared; }
  /// Lets no one in any more, waits for those who are, whose work is visible then, and is anybody's
  /// again. They are about to finish, so it waits awake: to fall asleep and be woken takes longer.
  void close() {
    phase_ = phase::over;
    members_ &= ~places_mask;
    for (int attempt = 0; attempt < 500 && members_ != 0; ++attempt) std::this_thread::yield();
    for (std::uint32_t inside; (inside = members_) != 0;) members_.wait(inside);
    taken_ = false;
  }

  // ---- for helpers ----
  bool has_places() const { return (members_ & places_mask) != 0; }
  /// Takes a place, if there is one.
  bool join() {
    std::uint32_t seen = members_;
    while ((seen & places_mask) != 0) {
      if (members_.compare_exchange_weak(seen, seen - 1 + one_inside)) return true;
    }
    return false;
  }
  /// Works once the call has begun to share its work, unless it is over, and leaves.
  void help() {
    while (phase_ == phase::alone) std::this_thread::yield();  // for as long as a tile takes
    if (phase_ == phase::shared) work_as_caller();
    if (members_.fetch_sub(one_inside) < 2 * one_inside) members_.notify_one();
  }

 private:
  enum class phase { alone, shared, over };
  /// In the caller's rounding and treatment of denormals, or bits would tell who did what. (Nothing
  /// has to be restored: a helper computes nothing but in calls.)
  void work_as_caller() {
    std::fesetenv(&environment_);
    work_(context_);
  }
  static constexpr std::uint32_t places_mask = 0xffff, one_inside = 0x10000;
  // All in the default order, which lets join() see what take() wrote, help() what preceded
  // share(), and close() what preceded the last helper's leaving. Were they relaxed, each could
  // meet the previous call's.
  std::atomic<bool> taken_{false};
  std::atomic<phase> phase_{phase::alone};
  std::atomic<std::uint32_t> members_{0};  // { inside : high 16 bits, places left : low 16 bits }
  void (*work_)(void*) = nullptr;
  void* context_ = nullptr;
  std::fenv_t environment_{};  // floating-point, of the caller
};

/// Keeps the shared object that this is in, if any, loaded until the process ends: dlclose() would
/// take the code from under the threads. (To join them instead is not possible: destructors of
/// other objects may scan after ours, and a child after fork() has none of its parent's threads.)
void stay_loaded() {
  static const char here = 0;
  Dl_info object;
  if (dladdr(&here, &object) != 0)
    dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// The threads that help, kept from call to call; as many as a call has asked for at most.
class thread_pool {
 public:
  /// That the process may use, counted once: to ask takes longer than to scan a few KiB.
  int num_processors() {
    int known = num_processors_.load(std::memory_order_relaxed);
    if (known == 0) num_processors_.store(known = count_processors(), std::memory_order_relaxed);
    return known;
  }
  /// Asks for threads. Null where there are none to ask, or too many calls at once ask already.
  crew* invite(int num_helpers, void (*work)(void* context), void* context) {
    if (num_helpers == 0) return nullptr;
    grow(num_helpers);
    for (crew& call : calls_) {
      if (!call.take(work, context)) continue;
      call.open(static_cast<std::uint32_t>(num_helpers));
      ++num_invitations_;
      wake(std::min(num_helpers, 16));
      return &call;
    }
    return nullptr;
  }

 private:
  static constexpr int most_calls = 16;

  /// What has to be before there are threads, and before the lock for them is taken.
  static bool prepared();
  /// Threads that the system refuses, or that there is no memory for, are left out.
  void grow(int num_threads) {
    try {
      if (!prepared()) return;
      const std::lock_guard lock(growing_);
      if (num_threads_ >= num_threads) return;
      const few_signals in_those_made_here;
      for (; num_threads_ < num_threads; ++num_threads_) {
        std::thread([this] { serve(); }).detach();
      }
    } catch (const std::exception&) {
    }
  }
  /// A thread's life. After a call it stays awake for a while, looking for the next one.
  void serve() {
    stand_as_process();
    for (;;) {
      const int seen = num_invitations_;  // before it looks: it misses none
      while (help_somebody()) {
      }
      if (!stay_awake(seen)) num_invitations_.wait(seen);
    }
  }
  /// Costs a microsecond each, and nothing where nobody sleeps. A woken thread is there after some
  /// 30, so the caller wakes those who come first, and on large machines these wake others.
  void wake(int num_threads) {
    for (int i = 0; i < num_threads; ++i) num_invitations_.notify_one();
  }
  bool help_somebody() {
    const auto call = std::find_if(std::begin(calls_), std::end(calls_),
                                   [](crew& asking) { return asking.join(); });
    if (call == std::end(calls_)) return false;
    if (call->has_places()) wake(2);
    call->help();
    return true;
  }
  /// Whether there has been an invitation since the one `seen`.
  bool stay_awake(int seen) const {
    using clock = std::chrono::steady_clock;
    const clock::time_point until = clock::now() + std::chrono::microseconds(200);
    do {
      if (num_invitations_ != seen) return true;
      std::this_thread::yield();
    } while (clock::now() < until);
    return false;
  }

  crew calls_[most_calls];
  // In the default order: who sees it raised sees the call that has been opened before. Apart from
  // the calls, since all who are awake look at it.
  alignas(64) std::atomic<int> num_invitations_{0};
  alignas(64) std::atomic<int> num_processors_{0};  // relaxed: a number, which carries nothing else
  std::mutex growing_;
  int num_threads_ = 0;  // under growing_
};

// Neither made nor destroyed at run time: constructors and destructors of other objects may scan.
constinit thread_pool pool;
static_assert(std::is_trivially_destructible_v<thread_pool>);

/// In a child after fork(), before it runs anything else: it has none of the threads, whoever of
/// its parent's was in a call or held the lock will never leave, and it begins anew.
void begin_anew() { new (&pool) thread_pool; }

/// Under no lock: a fork by another thread may come before the handler is there, and would leave
/// the child with a lock that nobody opens. Two first callers may both get here; to begin anew
/// twice is to begin anew.
bool thread_pool::prepared() {
  // In the default order: who sees it true forks with a handler. A child has what its parent had.
  static std::atomic<bool> done{false};
  if (done) return true;
  if (pthread_atfork(nullptr, nullptr, begin_anew) != 0) return false;
  stay_loaded();
  return done = true;
}

}  // namespace

int worker_count(int requested, std::int64_t num_tiles, std::int64_t num_bytes,
                 bool in_one_pass) noexcept {
  // To wake threads takes about as long as to scan some 100 KiB. To two or three threads the second
  // pass is a large part of what they save; two are faster than one from about 128 MiB on.
  constexpr std::int64_t least_bytes = 1 << 20, least_bytes_for_few = 128 << 20;
  constexpr std::int64_t most_workers = 0x8000;
  const std::int64_t tiles_per_worker = in_one_pass ? 1 : 2;
  if (num_bytes < least_bytes || num_tiles < 2 * tiles_per_worker) return 1;
  const std::int64_t wanted = requested > 0 ? requested : pool.num_processors();
  if (!in_one_pass && wanted < 4 && num_bytes < least_bytes_for_few) return 1;
  return static_cast<int>(
      std::clamp<std::int64_t>(wanted, 1, std::min(num_tiles / tiles_per_worker, most_workers)));
}

void run_workers(int num_workers, bool (*step)(void* context), void (*work)(void* context),
                 void* context) noexcept {
  crew* const helpers = pool.invite(num_workers - 1, work, context);
  bool more = true;
  while (more && (helpers == nullptr || !helpers->has_helpers())) more = step(context);
  if (helpers == nullptr) return;
  if (more) {
    helpers->share();
    work(context);
  }
  helpers->close();
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan
