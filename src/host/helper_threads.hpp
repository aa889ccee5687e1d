// What threads of the library's own have in common with the process that they are in. A thread
// begins as a copy of the one that makes it, which is whichever called first: it may be pinned to a
// processor, run in real time, or be the one that all signals are meant for.
#ifndef SCAN_SRC_HELPER_THREADS_HPP
#define SCAN_SRC_HELPER_THREADS_HPP

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <thread>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// While it lives, threads that this one makes take no signals: these are handled by, or end the
/// process by way of, threads that know of them. But those that a thread's own instructions raise:
/// blocked they would end the process past every handler; and the clock of profilers.
class few_signals {
 public:
  few_signals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF}) {
      sigdelset(&blocked, own);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  few_signals(const few_signals&) = delete;
  ~few_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// Processors that a thread may run on.
struct processor_set {
  static constexpr std::size_t num_sets = 8;
  cpu_set_t sets[num_sets];  // of 1024 each: one is too small for some kernels, which then refuse

  bool read(pid_t thread) { return sched_getaffinity(thread, sizeof(sets), sets) == 0; }
  int count() const { return CPU_COUNT_S(sizeof(sets), sets); }
};

/// The processors that the process's main thread or this one may use: either may be pinned.
inline bool read_processors(processor_set& all) {
  processor_set own;
  if (!all.read(getpid()) || !own.read(0)) return false;
  CPU_OR_S(sizeof(all.sets), all.sets, all.sets, own.sets);
  return true;
}

inline int count_processors() {
  processor_set all;
  if (read_processors(all)) return all.count();
  const auto said = static_cast<int>(std::thread::hardware_concurrency());
  return said > 0 ? said : 1;
}

/// Gives the calling thread, which has just been made, the standing of the process's main thread:
/// its scheduling class and nice value, and its processors beside the maker's. But not in real
/// time: it waits awake, also for callers that are not, whom it would keep from running. What the
/// system does not allow stays as it is.
inline void stand_as_process() {
  processor_set all;
  if (read_processors(all)) sched_setaffinity(0, sizeof(all.sets), all.sets);
  const pid_t main_thread = getpid();
  sched_param priority{};
  const bool in_real_time =
      sched_getparam(main_thread, &priority) == 0 && priority.sched_priority > 0;
  const int policy = in_real_time ? SCHED_OTHER : sched_getscheduler(main_thread);
  priority.sched_priority = 0;
  if (policy >= 0) sched_setscheduler(0, policy, &priority);
  errno = 0;  // -1 is a nice value, too
  const int nice_value = getpriority(PRIO_PROCESS, static_cast<id_t>(main_thread));
  if (errno == 0) setpriority(PRIO_PROCESS, 0, nice_value);
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
