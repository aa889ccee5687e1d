// Whether a device has what the ring kernel needs, and how long the ring can be there.
#ifndef SCAN_DEVICE_RING_STAGES_CUH
#define SCAN_DEVICE_RING_STAGES_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <mutex>

#include "scan/device/ring_kernel.cuh"
#include "scan/device/states_memory.hpp"
#include "scan/device/tuning.hpp"

namespace scan::device {

/// Stages of the ring kernel on `device`, as many as shared memory has room for; 0: none there.
/// Prepares the kernel for them.
template <class Scan>
int prepare_ring(int device) noexcept {
  const auto kernel = ring_kernel<Scan>;
  cudaFuncAttributes attributes = {};
  if (shared_bytes_of_block(device) == 0 ||
      cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess || attributes.ptxVersion < 90) {
    return 0;  // compiled for an older capability, the kernel is empty
  }
  const std::size_t room = shared_bytes_of_block(device) - attributes.sharedSizeBytes;
  int num_stages = ring_block<Scan>::most_stages;
  while (ring_block<Scan>::required_bytes(num_stages) > room) --num_stages;
  const auto bytes = static_cast<int>(ring_block<Scan>::required_bytes(num_stages));
  const bool prepared = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             bytes) == cudaSuccess;
  return prepared && num_stages >= 2 ? num_stages : 0;
}

/// prepare_ring for the current device, asked once for each; 0 where a scan of `num_items` elements
/// by `wanted` would not use it.
template <class Scan>
int stages_here(algorithm wanted, std::int64_t num_items) noexcept {
  const bool may_use = wanted == algorithm::ring ||
                       (wanted == algorithm::automatic &&
                        algorithm_for(num_items, Scan::element_bytes, true) == algorithm::ring);
  int device = -1;
  if (!may_use || cudaGetDevice(&device) != cudaSuccess || device < 0 || device >= most_devices) {
    return 0;
  }
  static std::once_flag once[most_devices];
  static int stages[most_devices];
  std::call_once(once[device], [&] { stages[device] = prepare_ring<Scan>(device); });
  return stages[device];
}

}  // namespace scan::device

#endif
