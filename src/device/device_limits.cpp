#include "scan/device/launch/device_limits.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

// Attributes and a count: asking creates no context on the device, and is allowed during a capture.
cudaError_t ask(int device, device_limits& limits) noexcept {
  int sm_count = 0, major = 0, shared_bytes = 0, l2_bytes = 0, num_devices = 0;
  const auto attribute = [device](int& value, cudaDeviceAttr which) {
    return cudaDeviceGetAttribute(&value, which, device);
  };
  cudaError_t code = attribute(sm_count, cudaDevAttrMultiProcessorCount);
  if (code == cudaSuccess) code = attribute(major, cudaDevAttrComputeCapabilityMajor);
  if (code == cudaSuccess) {
    code = attribute(shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  }
  if (code == cudaSuccess) code = attribute(l2_bytes, cudaDevAttrL2CacheSize);
  if (code == cudaSuccess) code = cudaGetDeviceCount(&num_devices);
  const auto room = static_cast<std::size_t>(shared_bytes);
  const bool has_ring = major >= 9 && room >= least_ring_bytes;
  limits = {device, std::max(1, sm_count), has_ring ? room : 0, major >= 9, num_devices, l2_bytes};
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

status current_limits(device_limits& limits, cudaStream_t stream) noexcept {
  if (const status asked = current_limits(limits); !asked.ok()) return asked;
  limits.stream = stream;
  const bool is_current =
      stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  if (limits.num_devices < 2 || is_current) return {};
  // A stream that is being captured cannot be asked for it: that would end the capture.
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  if (const cudaError_t code = cudaStreamIsCapturing(stream, &capturing)) {
    return {code, "options.stream: asking whether it is captured failed"};
  }
  if (capturing != cudaStreamCaptureStatusNone) return {};
  int device = -1;
  if (const cudaError_t code = cudaStreamGetDevice(stream, &device)) {
    return {code, "options.stream: asking for its device failed"};
  }
  return device == limits.device
             ? status{}
             : status{cudaErrorInvalidValue, "options.stream belongs to another device"};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
