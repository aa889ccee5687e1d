// What a device has for the kernels, and how CUDA is asked: the calling thread's pending error
// (cudaPeekAtLastError) is the caller's, neither taken away nor replaced by one of the library's.
#ifndef SCAN_DEVICE_LAUNCH_DEVICE_LIMITS_HPP
#define SCAN_DEVICE_LAUNCH_DEVICE_LIMITS_HPP

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include <cstddef>
#include <mutex>

#include "scan/abi.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// For a scope with CUDA calls: where no error was pending before it, none is after it. (CUDA has
/// no call to put one back: where one was pending, a call that fails in the scope takes its place.)
class pending_error {
 public:
  pending_error() noexcept : before_(cudaPeekAtLastError()) {}
  ~pending_error() {
    if (before_ == cudaSuccess) static_cast<void>(cudaGetLastError());
  }
  pending_error(const pending_error&) = delete;
  pending_error& operator=(const pending_error&) = delete;

 private:
  cudaError_t before_;
};

/// Calls `ask(context)`, which makes CUDA calls about `device` that may fail, or take a pending
/// error away although they do not. Where one is pending, on a thread of its own: each has an error
/// of its own. Stream captures of other threads do not forbid these calls.
cudaError_t ask_apart(int device, cudaError_t (*ask)(void*), void* context) noexcept;

template <class Ask>
cudaError_t ask_apart(int device, Ask ask) noexcept {
  return ask_apart(
      device, [](void* context) { return (*static_cast<Ask*>(context))(); }, &ask);
}

// ---- What a device has for the kernels, and numbers kept a device once they are known.

/// Blocks of a cluster at most: as many as every device with clusters takes; and as some do.
inline constexpr int most_cluster_blocks = 8, most_wide_cluster_blocks = 16;

/// What of a device enters a launch plan.
struct device_limits {
  int device = -1;
  int sm_count = 1;
  /// Shared memory that a block can have, where it is enough for a ring of tiles; else 0.
  std::size_t ring_bytes_of_block = 0;
  bool has_clusters = false;
  int num_devices = 1;  // of the process
  int l2_bytes = 0;
  cudaStream_t stream = nullptr;  // of the call: a green context's has fewer multiprocessors
  bool waits_for_room = true;     // the call may, for a cluster
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
