// What operators and functions under test report from CPU threads and from the device alike.
#ifndef SCAN_TESTS_WATCHED_HPP
#define SCAN_TESTS_WATCHED_HPP

#include <cstdint>
#include <cuda/atomic>
#include <utility>

#include "scan/abi.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/interval.hpp"

namespace tests {

/// A number that operators and functions count in, on CPU threads and on the device.
class shared_count {
 public:
  /// What they hold.
  struct handle {
    unsigned long long* count;
    SCAN_HOST_DEVICE void add() const {
      cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*count).fetch_add(
          1, cuda::memory_order_relaxed);  // read after all workers have ended
    }
  };

  shared_count() : managed_(gpu_present()) {
    if (managed_) {
      cuda_check(cudaMallocManaged(reinterpret_cast<void**>(&count_), sizeof(*count_)));
    } else {
      count_ = new unsigned long long;
    }
    *count_ = 0;
  }
  ~shared_count() {
    if (managed_) {
      static_cast<void>(cudaFree(count_));
    } else {
      delete count_;
    }
  }
  shared_count(const shared_count&) = delete;
  shared_count& operator=(const shared_count&) = delete;

  handle shared() const { return {count_}; }
  /// Counted so far; resets.
  std::int64_t take() { return static_cast<std::int64_t>(std::exchange(*count_, 0)); }

 private:
  bool managed_;
  unsigned long long* count_ = nullptr;
};

/// Counts the pairs of operands that are not neighbours: swapped, repeated, from outside of [0, n),
/// or uninitialised, even where the result is thrown away.
struct watched_concatenate {
  shared_count::handle strangers;
  template <class Number>
  SCAN_HOST_DEVICE interval_of<Number> operator()(const interval_of<Number>& earlier,
                                                  const interval_of<Number>& later) const {
    if (earlier.end != later.begin) strangers.add();
    return concatenate{}(earlier, later);
  }
};
/// With an identity, which is nobody's neighbour.
struct concatenate_with_identity : watched_concatenate {
  template <class T>
  static constexpr T identity() {
    return {-70, -80};
  }
};

}  // namespace tests

#endif
