#include "scan/device/device_limits.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "scan/device/pending_error.hpp"

namespace scan::device {
namespace {

// Attributes only: asking creates no context on the device, and is allowed during a capture.
template <cudaDeviceAttr which>
cudaError_t ask(int device, int& value) noexcept {
  static device_answers known;
  return known.get(device, value, [&](int& answer) {
    return ask_apart(device, [&] { return cudaDeviceGetAttribute(&answer, which, device); });
  });
}

}  // namespace

status current_limits(device_limits& limits) noexcept {
  int device = 0, sm_count = 0, major = 0, shared_bytes = 0;
  if (const cudaError_t code = cudaGetDevice(&device)) {
    return {code, "there is no usable CUDA device"};
  }
  cudaError_t code = ask<cudaDevAttrMultiProcessorCount>(device, sm_count);
  if (code == cudaSuccess) code = ask<cudaDevAttrComputeCapabilityMajor>(device, major);
  if (code == cudaSuccess) {
    code = ask<cudaDevAttrMaxSharedMemoryPerBlockOptin>(device, shared_bytes);
  }
  if (code != cudaSuccess) return {code, "asking for the attributes of the device failed"};
  limits = {device, std::max(1, sm_count), 0, major >= 9};
  const auto room = static_cast<std::size_t>(shared_bytes);
  if (major >= 9 && room >= least_ring_bytes) limits.ring_bytes_of_block = room;
  return {};
}

}  // namespace scan::device
