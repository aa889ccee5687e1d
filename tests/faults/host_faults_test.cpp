// Faults on the path of CPU threads: memory that runs out at any allocation, threads that the
// system refuses at any point, operators that throw in any tile, a single core for 64 threads. Each
// case that concerns first calls is in a process of its own.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/support/host_workers.hpp"

namespace {

constexpr int never = 1 << 30;
/// Which allocation of the thread that asks, and which new thread, is the first to be refused, and
/// whether all later ones are too.
thread_local int memory_left = never;
int threads_left = never;
bool refuses_on = false;
std::atomic<int> num_threads_made{0};

}  // namespace

// In front of the one that std::thread calls.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  using create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<create>(dlsym(RTLD_NEXT, "pthread_create"));
  const int left = --threads_left;
  if (left == -1 || (left < 0 && refuses_on)) return EAGAIN;
  ++num_threads_made;
  return next(thread, attributes, start, argument);
}
// (Not inlined: g++ would see the one without the other, and warn that they are no pair.)
[[gnu::noinline]] void* operator new(std::size_t num_bytes) {
  const int left = memory_left == never ? never : --memory_left;
  void* const memory =
      left == -1 || (left < 0 && refuses_on) ? nullptr : std::malloc(num_bytes + (num_bytes == 0));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// In a child process, which has a minute.
void in_child(const char* what, int which, void (*check)(int)) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    check(which);
    std::_Exit(0);
  }
  int how = 0;
  if (waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0) return;
  std::fprintf(stderr, "wrong: %s, %d%s\n", what, which, WIFSIGNALED(how) ? " (a signal)" : "");
  std::_Exit(1);
}
void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(1);
}

/// One sequence, rows and columns of ones, which are enough for several threads.
constexpr scan::extents shapes[] = {
    {1, 3'000'000, 1, 0, 0}, {3000, 1000, 1, 0, 0}, {3, 10'000, 100, 0, 0}};
constexpr std::int64_t num_items = 3'000'000;

struct items {
  std::vector<int> in = std::vector<int>(num_items, 1), out = std::vector<int>(num_items, 0);

  template <class Op = scan::plus>
  scan::status scan_as(const scan::extents& shape, int threads, Op op = {}) {
    return shape.outer == 1 && shape.inner == 1
               ? scan::inclusive(scan::host, in.data(), out.data(), shape.length, op, {{}, threads})
               : scan::inclusive(scan::host, in.data(), out.data(), shape, op, {{}, threads});
  }
  bool right(const scan::extents& shape) const {
    for (std::int64_t i = 0; i < num_items; ++i) {
      if (out[static_cast<std::size_t>(i)] != i / shape.inner % shape.length + 1) return false;
    }
    return true;
  }
};

// ---- threads that the system refuses ----
void check_refused_thread(int which) {
  items data;
  for (const bool on : {true, false}) {  // all from there, then one
    refuses_on = on;
    threads_left = which;
    for (const scan::extents& shape : shapes) {
      require(data.scan_as(shape, 8).ok() && data.right(shape), "a scan with refused threads");
    }
    require(!on || num_threads_made <= which, "threads in spite of it");
  }
  threads_left = never;
  for (const scan::extents& shape : shapes) {
    require(data.scan_as(shape, 8).ok() && data.right(shape), "a scan once there are threads");
  }
  require(num_threads_made >= 7, "threads once they are to be had");
}

// ---- memory that runs out ----
bool ran_out = false;
void check_refused_memory(int which) {
  items data;
  for (const scan::extents& shape : shapes) {
    memory_left = which;
    const scan::status status = data.scan_as(shape, 8);
    ran_out = memory_left < 0;
    memory_left = never;
    const bool is_told = status == cudaErrorMemoryAllocation && ran_out;
    require(is_told || (status.ok() && data.right(shape)), "a scan without memory");
    require(data.scan_as(shape, 8).ok() && data.right(shape), "the next scan");
  }
}
/// Of all allocations that a call makes, the first `which` succeed.
void check_memory() {
  for (const bool on : {false, true}) {
    refuses_on = on;
    for (int which = 0; which < 20; ++which) in_child("allocation", which, check_refused_memory);
  }
  // Twenty are more than any of them makes.
  in_child("all allocations", 20, [](int which) {
    check_refused_memory(which);
    require(!ran_out, "more allocations than are tried");
  });
  refuses_on = false;
}

// ---- operators that throw ----
constexpr int unlucky = -1'000'000'000;  // no sum of ones
struct superstitious {
  int operator()(int earlier, int later) const {
    if (later == unlucky) throw std::runtime_error("unlucky");
    return earlier + later;
  }
};
void check_throwing() {
  items data;
  const scan::host_path::job<decltype(scan::describe<false>(
      false, scan::as_input(data.in.data()), scan::as_output(data.out.data()), num_items,
      superstitious{}, scan::host_options<int>{}))>
      job{scan::describe<false>(false, scan::as_input(data.in.data()),
                                scan::as_output(data.out.data()), num_items, superstitious{},
                                scan::host_options<int>{})};
  require(tests::host_workers(data.in.data(), data.out.data(), num_items, superstitious{}, 4) > 1,
          "one thread alone");
  for (const scan::extents& shape : shapes) {
    // In every tile: where it begins, inside, where it ends.
    for (std::int64_t tile = 0; tile < num_items; tile += job.tile_items) {
      for (const std::int64_t at :
           {tile + 1, tile + job.tile_items / 2, tile + job.tile_items - 1}) {
        if (at >= num_items || at / shape.inner % shape.length == 0) continue;  // no operation
        int& item = data.in[static_cast<std::size_t>(at)];
        item = unlucky;
        bool thrown = false;
        try {
          static_cast<void>(data.scan_as(shape, at % 2 == 0 ? 1 : 4, superstitious{}));
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        item = 1;
        require(thrown, "what an operator throws");
      }
      require(data.scan_as(shape, 4, superstitious{}).ok(), "a scan after one that threw");
    }
    require(data.right(shape), "its results");
  }
}

// ---- one core ----
void check_starved(int num_threads) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  require(sched_setaffinity(0, sizeof(one), &one) == 0, "a single core");
  items data;
  for (const scan::extents& shape : shapes) {
    for (int round = 0; round < 5; ++round) {
      require(data.scan_as(shape, num_threads).ok() && data.right(shape), "64 threads on a core");
    }
  }
  std::atomic<int> num_wrong{0};
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < num_threads; ++caller) {
      callers.emplace_back([&num_wrong, caller] {
        const std::vector<int> ones(300'000, 1);
        std::vector<int> out(ones.size());
        const auto n = static_cast<std::int64_t>(ones.size());
        for (int round = 0; round < 5; ++round) {
          const bool ok = scan::inclusive(scan::host, ones.data(), out.data(), n, scan::plus{},
                                          {{}, 2 + caller % 7})
                              .ok();
          num_wrong += !ok || out.back() != n || out[1] != 2;
        }
      });
    }
  }
  require(num_wrong == 0, "64 callers on a core");
}

}  // namespace

int main() {
  for (int which = 0; which < 8; ++which) in_child("thread", which, check_refused_thread);
  check_memory();
  in_child("one core", 64, check_starved);
  in_child("an operator that throws", 0, [](int) { check_throwing(); });
  return 0;
}
