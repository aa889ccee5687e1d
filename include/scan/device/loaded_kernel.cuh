// Kernels that are loaded before they are launched.
#ifndef SCAN_DEVICE_LOADED_KERNEL_CUH
#define SCAN_DEVICE_LOADED_KERNEL_CUH

#include <cuda_runtime.h>

#include "scan/device/device_limits.hpp"
#include "scan/device/pending_error.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Has CUDA load `kernel` on the current device, once. Loading it with its first launch may wait
/// for what the device is doing: for an all-gather, which waits for other ranks. (If this fails the
/// launch loads it.)
template <auto kernel>
void load_kernel(const device_limits& limits) noexcept {
  static device_answers<int> loaded;
  int is_loaded = 1;
  static_cast<void>(loaded.get(limits.device, is_loaded, [&](int&) {
    return ask_apart(limits.device, [] {
      cudaFuncAttributes attributes = {};
      return cudaFuncGetAttributes(&attributes, kernel);
    });
  }));
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
