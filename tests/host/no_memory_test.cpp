// Scans without memory: for their states, for their threads, and in their threads, where nothing
// allocates, so they help.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "scan/host/host_scan.hpp"

namespace {

thread_local bool may_allocate = false;
std::atomic<int> num_refused{0};
bool nobody_may = false;
int num_left = 1 << 30;  // allocations, of the thread that may

/// Counts the threads that apply it.
std::atomic<int> num_threads{0};
struct counting_plus {
  int operator()(int earlier, int later) const {
    thread_local const int number = ++num_threads;
    static_cast<void>(number);
    return scan::plus{}(earlier, later);
  }
};

scan::status scan_ones(std::vector<int>& ones, std::vector<int>& sums) {
  return scan::inclusive(scan::host, ones.data(), sums.data(),
                         static_cast<std::int64_t>(ones.size()), counting_plus{}, {{}, 8});
}

int wrong(const char* what) {
  std::fprintf(stderr, "wrong: %s\n", what);
  return 1;
}

}  // namespace

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t num_bytes) noexcept {
  void* memory = nullptr;
  const bool refused = !may_allocate || nobody_may || --num_left < 0;
  num_refused += refused;
  return refused || posix_memalign(&memory, alignment, num_bytes) != 0 ? nullptr : memory;
}
// (Not inlined: g++ would see the one without the other, and warn that they are no pair.)
[[gnu::noinline]] void* operator new(std::size_t num_bytes) {
  if (void* const memory = aligned_alloc(alignof(std::max_align_t), num_bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
  may_allocate = true;
  std::vector<int> ones(10'000'000, 1), sums(ones.size());
  // Before there are threads: what cannot be allocated is an error.
  nobody_may = true;
  const scan::status refused = scan_ones(ones, sums);
  nobody_may = false;
  if (refused != cudaErrorMemoryAllocation) return wrong("a scan without memory for its states");
  // The states, and no thread: the caller does all the work.
  num_left = 1;
  num_refused = 0;
  const scan::status alone = scan_ones(ones, sums);
  num_left = 1 << 30;
  if (!alone.ok() || sums.back() != 10'000'000) return wrong("a scan without memory for threads");
  if (num_refused == 0 || num_threads != 1) return wrong("a thread needed no memory");
  for (int round = 0; round < 20; ++round) {
    if (!scan_ones(ones, sums).ok() || sums.back() != 10'000'000) return wrong("a scan");
  }
  if (num_threads < 2) return wrong("nobody helped");
  num_refused = 0;
  const auto throws = [](int item) -> int { return item == 1 ? throw item : item; };
  for (int round = 0; round < 20; ++round) {
    int caught = 0;
    try {
      static_cast<void>(scan::inclusive(scan::host, scan::transform_input{ones.data(), throws},
                                        sums.data(), 10'000'000, counting_plus{}, {{}, 8}));
    } catch (int item) {
      caught = item;
    }
    if (caught != 1) return wrong("what a function throws");
  }
  return num_refused == 0 ? 0 : wrong("a helper wanted memory");
}
