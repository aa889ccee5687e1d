#include "scan/host/workers.hpp"

// Asio's queue under a name of its own, since a program that links libscan.a may hold another
// version of Asio; and without fences, which ThreadSanitizer does not know (its mutexes do).
#define asio scan_asio
#define ASIO_DISABLE_FENCED_BLOCK
#include <unistd.h>

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace scan::host_path {
namespace {

/// Who works for one call. It outlives the call: a thread that is asked may come when all is done.
class crew {
 public:
  crew(void (*work)(void* context), void* context) : work_(work), context_(context) {}

  /// Works once the call has begun to share its work, unless it is over.
  void help() {
    {
      const std::lock_guard lock(mutex_);
      if (dismissed_) return;
      ++num_helping_;
    }
    while (!sharing()) std::this_thread::yield();  // for as long as a tile takes
    if (!dismissed()) work_(context_);
    const std::lock_guard lock(mutex_);
    if (--num_helping_ == 0) finished_.notify_one();
  }
  bool dismissed() {
    const std::lock_guard lock(mutex_);
    return dismissed_;
  }
  /// Whether somebody has come to help.
  bool has_helpers() {
    const std::lock_guard lock(mutex_);
    return num_helping_ > 0;
  }
  /// From now on helpers work; what the caller did before is visible to them.
  void share() {
    const std::lock_guard lock(mutex_);
    sharing_ = true;
  }
  /// Lets no one in any more and waits for those who are; they are about to finish, so waiting
  /// starts awake: to fall asleep and be woken takes longer.
  void dismiss() {
    for (int attempt = 0; attempt < 500; ++attempt) {
      {
        const std::lock_guard lock(mutex_);
        dismissed_ = sharing_ = true;
        if (num_helping_ == 0) return;
      }
      std::this_thread::yield();
    }
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return num_helping_ == 0; });
  }

 private:
  bool sharing() {
    const std::lock_guard lock(mutex_);
    return sharing_;
  }

  void (*work_)(void*);
  void* context_;
  std::mutex mutex_;
  std::condition_variable finished_;
  int num_helping_ = 0;     // under mutex_
  bool sharing_ = false;    // under mutex_
  bool dismissed_ = false;  // under mutex_
};

/// The threads that help, kept from call to call. As many as a call has asked for at most.
class thread_pool {
 public:
  /// Asks for `num_helpers` threads. Throws when memory is short.
  void invite(const std::shared_ptr<crew>& to, int num_helpers) {
    if (getpid() != owner_) return;  // the threads are the parent's
    grow(num_helpers);
    ask(to, num_helpers);
  }

 private:
  /// Threads that the system refuses are left out.
  void grow(int num_threads) {
    const std::lock_guard lock(growing_);
    try {
      while (static_cast<int>(threads_.size()) < num_threads) {
        threads_.emplace_back([this, size = num_threads] { serve(size); });
      }
    } catch (const std::system_error&) {
    }
  }
  /// To wake a thread takes its waker some 20 us, so those who are asked ask others.
  void ask(const std::shared_ptr<crew>& to, int num_helpers) {
    if (num_helpers == 0) return;
    asio::post(queue_, [this, to, others = num_helpers - 1] {
      if (to->dismissed()) return;
      ask(to, others - others / 2);
      ask(to, others / 2);
      to->help();
    });
  }
  /// A thread's life. After a call it stays awake for a while, looking for the next one; the more
  /// threads, the more seldom each looks, for they share a lock.
  void serve(int num_threads) {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds awake{200};
    for (;;) {
      for (clock::time_point until = clock::now() + awake; clock::now() < until;) {
        if (queue_.poll_one() > 0) until = clock::now() + awake;
        for (int i = 0; i < num_threads; ++i) std::this_thread::yield();
      }
      queue_.run_one();
    }
  }

  pid_t owner_ = getpid();
  asio::io_context queue_;
  asio::executor_work_guard<asio::io_context::executor_type> open_ = asio::make_work_guard(queue_);
  std::mutex growing_;
  std::vector<std::thread> threads_;  // under growing_
};

/// Asks for help, if there is any to be had.
std::shared_ptr<crew> invite(int num_helpers, void (*work)(void* context), void* context) noexcept {
  try {
    // Never destroyed: destructors of other objects may scan, and a child after fork() could not
    // join its parent's threads.
    static thread_pool& pool = *new thread_pool;
    auto asked = std::make_shared<crew>(work, context);
    pool.invite(asked, num_helpers);
    return asked;
  } catch (...) {  // no memory: go on alone
    return nullptr;
  }
}

}  // namespace

int worker_count(int requested, std::int64_t num_tiles) noexcept {
  // To wake a thread takes about as long as a few tiles. To two or three threads the second pass is
  // a large part of what they save; two are faster than one from about 128 MiB on.
  constexpr std::int64_t least_tiles = 8, least_tiles_for_few = 1024, tiles_per_worker = 2;
  if (num_tiles < least_tiles) return 1;
  const std::int64_t wanted =
      requested > 0 ? requested : static_cast<std::int64_t>(std::thread::hardware_concurrency());
  if (wanted < 4 && num_tiles < least_tiles_for_few) return 1;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, num_tiles / tiles_per_worker));
}

void run_workers(int num_workers, bool (*step)(void* context), void (*work)(void* context),
                 void* context) noexcept {
  const std::shared_ptr<crew> helpers = invite(num_workers - 1, work, context);
  bool more = true;
  while (more && (helpers == nullptr || !helpers->has_helpers())) more = step(context);
  if (helpers == nullptr) return;
  if (more) {
    helpers->share();
    work(context);
  }
  helpers->dismiss();
}

}  // namespace scan::host_path
