// What the library is compared with on the CPU.
#ifndef SCAN_BENCH_PEERS_CPU_PEERS_HPP
#define SCAN_BENCH_PEERS_CPU_PEERS_HPP

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/cells/cells.hpp"

namespace bench {

using host_call = std::function<void(const void* in, void* out)>;

struct cpu_peer {
  std::string name;
  host_call scan;
};

/// A call of `scan(in, out)` with the pointers as what they point to.
template <class T>
host_call on_elements(auto scan) {
  return [=](const void* in, void* out) { scan(static_cast<const T*>(in), static_cast<T*>(out)); };
}

// Of the cell, one of `plain_scans`.

/// `std::inclusive_scan` or `std::exclusive_scan` on the calling thread.
cpu_peer std_peer(const cell& what);
/// On oneTBB, limited to a number of threads: `tbb::parallel_scan`, and the standard library's sum
/// with `std::execution::par_unseq`. No other scan of that: libstdc++ starts each stretch of floats
/// from T{}, which only a sum forgives.
std::vector<cpu_peer> tbb_peers(const cell& what, int num_threads);
/// OpenMP's scan directive, in vectors of the calling thread alone or on a number of threads: sums.
std::vector<cpu_peer> openmp_peers(const cell& what, int num_threads);

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
  void work(int member);
  /// All members meet before it and after it.
  void copy_stretch(int member) const;
  /// Sends the others home, in the name of those that never came, too.
  void finish();

  const std::byte* in_ = nullptr;
  std::byte* out_ = nullptr;
  std::int64_t num_bytes_ = 0;
  bool finished_ = false;
  int num_members_;
  std::barrier<> meeting_;
  std::vector<std::jthread> others_;
};

}  // namespace bench

#endif
