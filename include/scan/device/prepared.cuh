// Kernels that need something of a device: whether they have it there, asked until there is an
// answer and not again.
#ifndef SCAN_DEVICE_PREPARED_CUH
#define SCAN_DEVICE_PREPARED_CUH

#include <cuda_runtime.h>

#include <cstddef>

#include "scan/device/device_limits.hpp"
#include "scan/device/pending_error.hpp"
#include "scan/device/ring_kernel.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

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
  /// `heads_bytes`: see ring_block::required_bytes.
  static cudaError_t stages(const device_limits& limits, int& num_stages,
                            std::size_t heads_bytes = 0) noexcept {
    std::size_t num_bytes = 0;
    const cudaError_t code = room(limits, num_bytes);
    num_stages = ring_block<Problem>::stages_in(num_bytes, heads_bytes);
    return code;
  }
  /// The dynamic shared memory of a block there, which the kernel is prepared for; 0: no ring.
  static cudaError_t room(const device_limits& limits, std::size_t& num_bytes) noexcept {
    int answer = 0;
    const cudaError_t code = answers().get(limits.device, answer, [&](int& asked) {
      return ask_apart(limits.device, [&] { return prepare(limits, asked); });
    });
    num_bytes = static_cast<std::size_t>(answer);
    return code;
  }
  /// Has the device prepared anew when it is next asked for.
  static void forget(const device_limits& limits) noexcept { answers().forget(limits.device); }

 private:
  static device_answers<int>& answers() noexcept {
    static device_answers<int> kept;
    return kept;
  }
  /// `room`: dynamic shared memory of a block.
  static cudaError_t prepare(const device_limits& limits, int& room) noexcept {
    const auto kernel = ring_kernel<Problem>;
    cudaFuncAttributes attributes = {};
    room = 0;
    if (const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel)) return code;
    if (!compiled_for_90(attributes)) return cudaSuccess;
    room = static_cast<int>(limits.ring_bytes_of_block - attributes.sharedSizeBytes);
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room);
  }
};

/// What `launch()` returns, of a kernel that `Prepared` has prepared. An invalid value may mean
/// that the kernel has lost that (the device has been reset, or another context is current): then
/// once more, if `prepare_again()` can.
template <class Prepared, class Launch, class Prepare>
status launch_prepared(const device_limits& limits, Launch launch, Prepare prepare_again) noexcept {
  const status launched = launch();
  if (launched != cudaErrorInvalidValue) return launched;
  Prepared::forget(limits);
  return prepare_again() ? launch() : launched;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
