// The threads that help, as the process sees them: which signals they take, where and how they run,
// in which floating-point environment they compute, and who has them after fork().
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>
#include <vector>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "scan/host/host_scan.hpp"

namespace {

void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(1);
}

/// A call whose helpers each do something.
struct errand {
  int num_helpers;
  std::function<void()> act;
  std::thread::id caller = std::this_thread::get_id();
  std::chrono::steady_clock::time_point until =
      std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::atomic<int> num_present{0}, num_done{0};

  bool in_time() const { return std::chrono::steady_clock::now() < until; }
  static bool wait(void* context) {
    std::this_thread::yield();
    return static_cast<errand*>(context)->in_time();
  }
  static void work(void* context) {
    auto& self = *static_cast<errand*>(context);
    ++self.num_present;  // nobody leaves before all are there, so nobody comes twice
    while (self.num_present <= self.num_helpers && self.in_time()) std::this_thread::yield();
    if (std::this_thread::get_id() == self.caller) return;
    self.act();
    ++self.num_done;
  }
};

/// Has `num_helpers` threads do it, which takes some seconds where they do not come.
void in_helpers(int num_helpers, std::function<void()> act) {
  errand call{num_helpers, std::move(act)};
  scan::host_path::run_workers(num_helpers + 1, errand::wait, errand::work, &call);
  require(call.num_done == num_helpers, "helpers do not come");
}
void nothing() {}

/// In a process of its own, whose first call it has.
bool passes_in_child(void (*test)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    test();
    std::_Exit(0);
  }
  int how = 0;
  require(waitpid(child, &how, 0) == child, "waitpid");
  if (WIFSIGNALED(how)) std::fprintf(stderr, "signal %d\n", WTERMSIG(how));
  return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

// ---- signals ----
void signals_are_for_those_who_wait() {
  in_helpers(3, nothing);
  sigset_t waited, own;
  sigemptyset(&waited);
  sigaddset(&waited, SIGTERM);
  sigprocmask(SIG_BLOCK, nullptr, &own);
  require(sigismember(&own, SIGTERM) == 0, "the caller's mask");
  pthread_sigmask(SIG_BLOCK, &waited, nullptr);
  kill(getpid(), SIGTERM);
  const timespec most{10, 0};
  require(sigtimedwait(&waited, nullptr, &most) == SIGTERM, "SIGTERM is for who waits for it");
  in_helpers(3, [] {
    sigset_t theirs;
    pthread_sigmask(SIG_BLOCK, nullptr, &theirs);
    for (const int sent : {SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGUSR1, SIGCHLD, SIGRTMIN}) {
      require(sigismember(&theirs, sent) == 1, "a helper takes signals");
    }
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      require(sigismember(&theirs, own) == 0, "a helper's own faults pass by every handler");
    }
  });
}

// ---- where and how they run ----
int num_allowed() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}
void pin() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  require(sched_setaffinity(0, sizeof(one), &one) == 0 && num_allowed() == 1, "pinning");
}
int workers_by_default() { return scan::host_path::worker_count(0, 1 << 20, 1 << 30, true); }

void helpers_are_where_the_process_is() {
  const int all = num_allowed(), nice = getpriority(PRIO_PROCESS, 0);
  require(all > 0, "sched_getaffinity");
  std::thread([&] {
    pin();
    setpriority(PRIO_PROCESS, 0, nice + 3);
    const bool nice_can_fall = setpriority(PRIO_PROCESS, 0, nice) == 0;
    if (nice_can_fall) setpriority(PRIO_PROCESS, 0, nice + 3);
    const sched_param none{};
    require(sched_setscheduler(0, SCHED_BATCH, &none) == 0, "sched_setscheduler");
    require(workers_by_default() == all, "a worker for each processor of the process");
    in_helpers(3, [&] {
      require(num_allowed() == all, "helpers stay where the first caller is");
      require(sched_getscheduler(0) == SCHED_OTHER, "the first caller's scheduling class");
      require(getpriority(PRIO_PROCESS, 0) == (nice_can_fall ? nice : nice + 3), "nice");
    });
    require(num_allowed() == 1 && sched_getscheduler(0) == SCHED_BATCH, "the caller stays");
  }).join();
}

void processors_are_those_of_the_process() {
  pin();
  require(workers_by_default() == 1, "a process on one processor has one worker");
  in_helpers(2, [] { require(num_allowed() == 1, "helpers outside the process's processors"); });
}

/// They wait awake: for ever, where who calls does not get to run beside them.
void helpers_are_not_in_real_time() {
  const sched_param least{sched_get_priority_min(SCHED_FIFO)}, none{};
  if (sched_setscheduler(0, SCHED_FIFO, &least) != 0) return;  // (not everybody's to ask for)
  std::thread([&] {
    require(sched_setscheduler(0, SCHED_OTHER, &none) == 0, "sched_setscheduler");
    in_helpers(3, [] { require(sched_getscheduler(0) == SCHED_OTHER, "in real time"); });
  }).join();
}

// ---- floating point ----
using floats = std::vector<float>;

/// Sums of numbers that rounding and denormals show in.
floats sums(const floats& in, int threads) {
  floats out(in.size());
  const auto n = static_cast<std::int64_t>(in.size());
  require(scan::inclusive(scan::host, in.data(), out.data(), n, scan::plus{}, {{}, threads}).ok(),
          "a sum");
  return out;
}

void compare_environments(const char* what) {
  floats tenths(3'000'000, 0.1f), denormals(tenths.size());
  for (std::size_t i = 0; i < denormals.size(); ++i) {
    const float least = std::numeric_limits<float>::min();
    denormals[i] = i % 2 == 0 ? least * 1.5f : -least;
  }
  for (const floats& in : {tenths, denormals}) {
    const floats alone = sums(in, 1);
    for (int round = 0; round < 8; ++round) {
      in_helpers(3, nothing);  // so that they are awake
      const floats together = sums(in, 4);
      require(std::memcmp(alone.data(), together.data(), alone.size() * sizeof(float)) == 0, what);
    }
  }
}

float half_of(float value) {
  volatile float kept = value;
  return kept * 0.5f;
}

void helpers_round_as_the_caller() {
  for (const int turn : {0, 1}) {  // threads are made in the first
    for (const int rounding : {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
      std::fesetround(rounding);
      in_helpers(3 + turn, [&] { require(std::fegetround() == rounding, "rounding"); });
      compare_environments("sums, rounded another way");
    }
  }
#ifdef __SSE2__
  for (const unsigned bits : {0x8040u, 0u}) {  // denormals are zero, on the way in and out
    _mm_setcsr((_mm_getcsr() & ~0x8040u) | bits);
    const float least = std::numeric_limits<float>::min();
    in_helpers(3, [&] { require((half_of(least) == 0) == (bits != 0), "denormals"); });
    compare_environments("sums of denormals");
  }
#endif
}

// ---- fork() ----
void child_has_helpers() { in_helpers(3, nothing); }

void children_have_helpers_of_their_own() {
  in_helpers(2, nothing);
  require(passes_in_child([] {
            child_has_helpers();
            require(passes_in_child(child_has_helpers), "a grandchild");
          }),
          "a child of who has helpers");
  in_helpers(3, nothing);
}

/// All that a pool has for calls is taken by threads that the child has not.
void fork_amid_calls() {
  in_helpers(1, nothing);
  std::atomic<bool> over{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 20; ++i) {
    callers.emplace_back([&over] {
      const auto wait = [](void* until) {
        std::this_thread::yield();
        return !*static_cast<std::atomic<bool>*>(until);
      };
      const auto work = [](void* until) {
        while (!*static_cast<std::atomic<bool>*>(until)) std::this_thread::yield();
      };
      scan::host_path::run_workers(2, wait, work, &over);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  require(passes_in_child(child_has_helpers), "a child of who is amid calls");
  over = true;
  for (std::thread& caller : callers) caller.join();
}

/// The lock under which threads are made may be another's.
void fork_while_threads_are_made() {
  std::atomic<bool> over{false};
  std::thread maker([&over] {
    for (int more = 1; !over && more < 60; ++more) in_helpers(more, nothing);
  });
  for (int i = 0; i < 10; ++i) {
    require(passes_in_child(child_has_helpers), "a child of who makes threads");
  }
  over = true;
  maker.join();
}

#ifdef __GLIBC__
/// The first call of all is under way: what children are to do may not be known yet.
std::atomic<bool> is_slow{false}, is_registering{false};
void fork_amid_the_first_call() {
  is_slow = true;
  std::thread first([] { in_helpers(1, nothing); });
  while (!is_registering) std::this_thread::yield();
  is_slow = false;
  require(passes_in_child(child_has_helpers), "a child of who makes its first call");
  first.join();
}
#endif

}  // namespace

#ifdef __GLIBC__
extern "C" {
// The C library's, by which it is told what children do; so slow that a fork falls into it.
extern void* __dso_handle;
int __register_atfork(void (*)(), void (*)(), void (*)(), void*);
int pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  if (is_slow) {
    is_registering = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  return __register_atfork(prepare, parent, child, __dso_handle);
}
}
#endif

int main() {
  const struct {
    const char* name;
    void (*test)();
  } cases[] = {
      {"signals", signals_are_for_those_who_wait},
      {"a first caller who is pinned", helpers_are_where_the_process_is},
      {"a process that is pinned", processors_are_those_of_the_process},
      {"a process in real time", helpers_are_not_in_real_time},
      {"floating-point environment", helpers_round_as_the_caller},
      {"fork()", children_have_helpers_of_their_own},
      {"fork() amid calls", fork_amid_calls},
      {"fork() while threads are made", fork_while_threads_are_made},
#ifdef __GLIBC__
      {"fork() amid the first call", fork_amid_the_first_call},
#endif
  };
  int num_wrong = 0;
  for (const auto& each : cases) {
    const bool passes = passes_in_child(each.test);
    num_wrong += !passes;
    std::fprintf(stderr, "%s: %s\n", passes ? "passed" : "FAILED", each.name);
  }
  return num_wrong;
}
