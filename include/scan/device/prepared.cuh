// What a device has for the kernels, asked once: later calls ask CUDA for nothing.
#ifndef SCAN_DEVICE_PREPARED_CUH
#define SCAN_DEVICE_PREPARED_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <mutex>

#include "scan/device/cluster_kernel.cuh"
#include "scan/device/ring_kernel.cuh"
#include "scan/device/states_memory.hpp"
#include "scan/device/tuning.hpp"

namespace scan::device {

/// `ask(device)` for the current device, called once for each and each type of `ask`; 0 where there
/// is no device.
template <class Ask>
int once_a_device(Ask ask) noexcept {
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device < 0 || device >= most_devices) return 0;
  static std::once_flag once[most_devices];
  static int answers[most_devices];
  std::call_once(once[device], [&] { answers[device] = ask(device); });
  return answers[device];
}

/// Asks for the kernel's attributes on the current device: whether its code there was compiled for
/// capability 9.0 or newer. Compiled for older ones, what needs that is empty.
template <class Kernel>
bool compiled_for_90(Kernel kernel, cudaFuncAttributes& attributes) noexcept {
  return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
}

/// Whether the current device runs the cluster kernel with more than one block.
template <class Tuned, class Scan>
bool takes_clusters() noexcept {
  return once_a_device([](int) {
           cudaFuncAttributes attributes = {};
           return compiled_for_90(cluster_kernel<Tuned, Scan>, attributes) ? 1 : 0;
         }) == 1;
}

/// Stages of the ring kernel on `device`, as many as shared memory has room for; 0: none there.
/// Prepares the kernel for them.
template <class Scan>
int prepare_ring(int device) noexcept {
  const auto kernel = ring_kernel<Scan>;
  cudaFuncAttributes attributes = {};
  if (ring_bytes_of_block(device) == 0 || !compiled_for_90(kernel, attributes)) return 0;
  const std::size_t room = ring_bytes_of_block(device) - attributes.sharedSizeBytes;
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
  return may_use ? once_a_device([](int device) { return prepare_ring<Scan>(device); }) : 0;
}

}  // namespace scan::device

#endif
