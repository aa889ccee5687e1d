#include "scan/device/device_limits.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "scan/device/pending_error.hpp"

namespace scan::device {
namespace {

// Attributes only: asking creates no context on the device, and is allowed during a capture.
cudaError_t ask(int device, device_limits& limits) noexcept {
  int sm_count = 0, major = 0, shared_bytes = 0;
  const auto attribute = [device](int& value, cudaDeviceAttr which) {
    return cudaDeviceGetAttribute(&value, which, device);
  };
  cudaError_t code = attribute(sm_count, cudaDevAttrMultiProcessorCount);
  if (code == cudaSuccess) code = attribute(major, cudaDevAttrComputeCapabilityMajor);
  if (code == cudaSuccess) {
    code = attribute(shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  }
  const auto room = static_cast<std::size_t>(shared_bytes);
  const bool has_ring = major >= 9 && room >= least_ring_bytes;
  limits = {device, std::max(1, sm_count), has_ring ? room : 0, major >= 9};
  return code;
}

}  // namespace

status current_limits(device_limits& limits) noexcept {
  static device_answers<device_limits> known;
  int device = 0;
  if (const cudaError_t code = cudaGetDevice(&device)) {
    return {code, "there is no usable CUDA device"};
  }
  const cudaError_t code = known.get(device, limits, [device](device_limits& answer) {
    return ask_apart(device, [&] { return ask(device, answer); });
  });
  return code == cudaSuccess ? status{} : status{code, "asking for the device's limits failed"};
}

}  // namespace scan::device
