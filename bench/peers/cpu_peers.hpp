// What the library is compared with on the CPU.
#ifndef SCAN_BENCH_PEERS_CPU_PEERS_HPP
#define SCAN_BENCH_PEERS_CPU_PEERS_HPP

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/suites/cells.hpp"

namespace bench {

/// `std::inclusive_scan` or `std::exclusive_scan` on the calling thread.
void std_scan(const cell& what, const void* in, void* out);

/// `memcpy` by several threads at once, a stretch each. They are kept between calls, so that even
/// small copies are not about starting threads; those of less than 64 KiB a thread stay alone.
class copy_team {
 public:
  explicit copy_team(int num_threads);
  ~copy_team();
  copy_team(const copy_team&) = delete;
  copy_team& operator=(const copy_team&) = delete;

  void copy(const void* in, void* out, std::int64_t num_bytes);

 private:
  void work(std::stop_token stop, int member);
  void copy_stretch(int member) const;

  const std::byte* in_ = nullptr;
  std::byte* out_ = nullptr;
  std::int64_t num_bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable_any started_;
  std::condition_variable finished_;
  std::int64_t generation_ = 0;  // copies started; under mutex_
  int running_ = 0;              // members not yet done with the current copy; under mutex_
  int num_members_;
  std::vector<std::jthread> others_;
};

// All are of `plain_scans`, and of the cell's `num_items` elements.

/// The parallel scans on oneTBB, limited to a number of threads.
class tbb_team {
 public:
  explicit tbb_team(int num_threads);
  ~tbb_team();
  tbb_team(const tbb_team&) = delete;
  tbb_team& operator=(const tbb_team&) = delete;

  /// The standard library's sum with `std::execution::par_unseq`. No other scan: libstdc++ starts
  /// each stretch of floats from T{}, which only a sum forgives.
  void par_unseq_sum(const cell& what, const void* in, void* out);
  /// `tbb::parallel_scan`.
  void parallel_scan(const cell& what, const void* in, void* out);

 private:
  struct arena;
  std::unique_ptr<arena> arena_;
};

/// OpenMP's scan directive, on a number of threads or in vectors of the calling thread alone: sums.
void openmp_sum(const cell& what, const void* in, void* out, int num_threads);
void openmp_simd_sum(const cell& what, const void* in, void* out);

}  // namespace bench

#endif
