// What a device has for the kernels, and numbers kept a device once they are known.
#ifndef SCAN_DEVICE_DEVICE_LIMITS_HPP
#define SCAN_DEVICE_DEVICE_LIMITS_HPP

#include <driver_types.h>

#include <atomic>
#include <cstddef>

#include "scan/status.hpp"

namespace scan::device {

/// What of a device enters a launch plan.
struct device_limits {
  int device = -1;
  int sm_count = 1;
  /// Shared memory that a block can have, where it is enough for a ring of tiles; else 0.
  std::size_t ring_bytes_of_block = 0;
  bool has_clusters = false;
};

/// What a ring of tiles that is worth having needs at least, in bytes a block. (9.0 and 10.x have
/// 227 KiB; 12.x with 99 KiB holds two tiles, too few to load one while others wait.)
inline constexpr std::size_t least_ring_bytes = 200 * 1024;

/// The limits of the current device: asked of CUDA until it has answered once.
status current_limits(device_limits& limits) noexcept;

/// An answer a device, kept once there is one; what could not be asked is asked again.
class device_answers {
 public:
  /// The answer for `device`, a number >= 0, as `value`; `ask(value)` is called where there is none
  /// and returns whether it could tell. Threads may ask at once, and are told the same.
  template <class Ask>
  cudaError_t get(int device, int& value, Ask ask) noexcept {
    const bool kept = device >= 0 && device < most_devices;
    // Relaxed, here and below: the number is all there is to know.
    const int known = kept ? answers_[device].load(std::memory_order_relaxed) : 0;
    if (known > 0) {
      value = known - 1;
      return cudaSuccess;
    }
    const cudaError_t code = ask(value);
    if (kept && code == cudaSuccess) answers_[device].store(value + 1, std::memory_order_relaxed);
    return code;
  }
  void forget(int device) noexcept {
    const bool kept = device >= 0 && device < most_devices;
    if (kept) answers_[device].store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int most_devices = 64;
  std::atomic<int> answers_[most_devices] = {};  // one more than the answer; 0: none
};

}  // namespace scan::device

#endif
