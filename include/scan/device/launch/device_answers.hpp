// What CUDA has said of each device, kept once it is known: every call looks it up, so looking
// takes no lock.
#ifndef SCAN_DEVICE_LAUNCH_DEVICE_ANSWERS_HPP
#define SCAN_DEVICE_LAUNCH_DEVICE_ANSWERS_HPP

#include <driver_types.h>

#include <atomic>
#include <mutex>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// An answer a device, kept once there is one; what could not be asked is asked again.
template <class Answer>
class device_answers {
 public:
  /// The answer for `device`; where there is none, what `ask(answer)` finds out, which returns
  /// whether it could. Threads may ask at once, and are told the same.
  template <class Ask>
  cudaError_t get(int device, Answer& answer, Ask ask) {
    const bool kept = is_kept(device);
    // Acquire, with keep's release: who sees that it is known sees the answer, and what asking has
    // done for the device. Were it weaker, a call might launch with an answer of zeros.
    if (kept && known_[device].load(std::memory_order_acquire)) {
      answer = answers_[device];
      return cudaSuccess;
    }
    const cudaError_t code = ask(answer);
    if (kept && code == cudaSuccess) answer = keep(device, answer);
    return code;
  }
  /// It is asked again; the answer stays the first.
  void forget(int device) {
    // Relaxed: it carries nothing, and who forgets sees it himself.
    if (is_kept(device)) known_[device].store(false, std::memory_order_relaxed);
  }

 private:
  static bool is_kept(int device) noexcept { return device >= 0 && device < most_devices; }

  /// Keeps the first answer, which it returns. Written once: others may read it at any time, even
  /// when it has been forgotten.
  Answer keep(int device, const Answer& answer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!written_[device]) answers_[device] = answer;
    written_[device] = true;
    known_[device].store(true, std::memory_order_release);  // (see get)
    return answers_[device];
  }

  static constexpr int most_devices = 64;
  std::mutex mutex_;
  std::atomic<bool> known_[most_devices] = {};
  bool written_[most_devices] = {};  // under mutex_
  Answer answers_[most_devices] = {};
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
