// Kernels that need something of a device: whether they have it there, asked until there is an
// answer and not again.
#ifndef SCAN_DEVICE_PREPARED_CUH
#define SCAN_DEVICE_PREPARED_CUH

#include <cuda_runtime.h>

#include <cstddef>

#include "scan/device/device_limits.hpp"
#include "scan/device/pending_error.hpp"
#include "scan/device/ring_kernel.cuh"

namespace scan::device {

/// Whether a kernel's code on the current device was compiled for capability 9.0 or newer. Compiled
/// for older ones, what needs that is empty.
inline bool compiled_for_90(const cudaFuncAttributes& kernel) noexcept {
  return kernel.ptxVersion >= 90;
}

/// Whether the current device's code of `kernel` has clusters and dependent launch. Where that
/// cannot be told, no: without them it gives the same bits.
template <auto kernel>
bool is_compiled_for_90(const device_limits& limits) noexcept {
  static device_answers<int> answers;
  if (!limits.has_clusters) return false;
  int is_compiled = 0;
  const cudaError_t code = answers.get(limits.device, is_compiled, [&](int& answer) {
    return ask_apart(limits.device, [&] {
      cudaFuncAttributes attributes = {};
      const cudaError_t asked = cudaFuncGetAttributes(&attributes, kernel);
      answer = compiled_for_90(attributes) ? 1 : 0;
      return asked;
    });
  });
  return code == cudaSuccess && is_compiled == 1;
}

/// A kernel whose blocks may have more dynamic shared memory than CUDA grants unasked.
template <auto kernel>
class prepared_shared {
 public:
  /// Allows `num_bytes` bytes, the same each time, on the current device.
  static cudaError_t allow(const device_limits& limits, std::size_t num_bytes) noexcept {
    constexpr std::size_t always_allowed = 28 * 1024;  // of 48 KiB, some of which are static
    if (num_bytes <= always_allowed) return cudaSuccess;
    int done = 0;
    return answers().get(limits.device, done, [&](int&) {
      return ask_apart(limits.device, [&] {
        return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(num_bytes));
      });
    });
  }
  /// Has it allowed anew when it is next asked for.
  static void forget(const device_limits& limits) noexcept { answers().forget(limits.device); }

 private:
  static device_answers<int>& answers() noexcept {
    static device_answers<int> kept;
    return kept;
  }
};

/// The ring kernel of a problem, on one device after another.
template <class Problem>
class prepared_ring {
 public:
  /// The stages of the ring on the current device, as many as shared memory has room for, for which
  /// the kernel is prepared; 0: none there.
  static cudaError_t stages(const device_limits& limits, int& num_stages) noexcept {
    return answers().get(limits.device, num_stages, [&](int& answer) {
      return ask_apart(limits.device, [&] { return prepare(limits, answer); });
    });
  }
  /// Has the device prepared anew when it is next asked for.
  static void forget(const device_limits& limits) noexcept { answers().forget(limits.device); }

 private:
  static device_answers<int>& answers() noexcept {
    static device_answers<int> kept;
    return kept;
  }
  static cudaError_t prepare(const device_limits& limits, int& num_stages) noexcept {
    const auto kernel = ring_kernel<Problem>;
    cudaFuncAttributes attributes = {};
    num_stages = 0;
    if (const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel)) return code;
    if (!compiled_for_90(attributes)) return cudaSuccess;
    const std::size_t room = limits.ring_bytes_of_block - attributes.sharedSizeBytes;
    int most = ring_block<Problem>::most_stages;
    while (ring_block<Problem>::required_bytes(most) > room) --most;
    if (most < 2) return cudaSuccess;
    num_stages = most;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(ring_block<Problem>::required_bytes(most)));
  }
};

}  // namespace scan::device

#endif
