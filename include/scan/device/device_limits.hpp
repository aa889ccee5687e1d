// What a device has for the kernels, and numbers kept a device once they are known.
#ifndef SCAN_DEVICE_DEVICE_LIMITS_HPP
#define SCAN_DEVICE_DEVICE_LIMITS_HPP

#include <driver_types.h>

#include <cstddef>
#include <mutex>

#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What of a device enters a launch plan.
struct device_limits {
  int device = -1;
  int sm_count = 1;
  /// Shared memory that a block can have, where it is enough for a ring of tiles; else 0.
  std::size_t ring_bytes_of_block = 0;
  bool has_clusters = false;
  int num_devices = 1;  // of the process
};

/// What a ring of tiles that is worth having needs at least, in bytes a block. (9.0 and 10.x have
/// 227 KiB; 12.x with 99 KiB holds two tiles, too few to load one while others wait.)
inline constexpr std::size_t least_ring_bytes = 200 * 1024;

/// The limits of the current device: asked of CUDA until it has answered once.
status current_limits(device_limits& limits) noexcept;
/// The same for a call in `stream`, which has to be of the current device: of another one's, CUDA
/// refuses some launches, and carries out others with memory that is not there.
status current_limits(device_limits& limits, cudaStream_t stream) noexcept;

/// An answer a device, kept once there is one; what could not be asked is asked again.
template <class Answer>
class device_answers {
 public:
  /// The answer for `device`; where there is none, what `ask(answer)` finds out, which returns
  /// whether it could. Threads may ask at once, and are told the same.
  template <class Ask>
  cudaError_t get(int device, Answer& answer, Ask ask) {
    const bool kept = device >= 0 && device < most_devices;
    if (kept) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (known_[device]) {
        answer = answers_[device];
        return cudaSuccess;
      }
    }
    const cudaError_t code = ask(answer);
    if (kept && code == cudaSuccess) answer = keep(device, answer);
    return code;
  }
  void forget(int device) {
    if (device < 0 || device >= most_devices) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    known_[device] = false;
  }

 private:
  /// Keeps the first answer, which it returns.
  Answer keep(int device, const Answer& answer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!known_[device]) answers_[device] = answer;
    known_[device] = true;
    return answers_[device];
  }

  static constexpr int most_devices = 64;
  std::mutex mutex_;
  bool known_[most_devices] = {};
  Answer answers_[most_devices] = {};
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
