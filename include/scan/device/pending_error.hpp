// The calling thread's pending CUDA error (cudaPeekAtLastError) is the caller's: the library
// neither takes it away nor leaves one of its own.
#ifndef SCAN_DEVICE_PENDING_ERROR_HPP
#define SCAN_DEVICE_PENDING_ERROR_HPP

#include <cuda_runtime_api.h>

#include "scan/abi.hpp"

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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
