#include "scan/device/states_memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

namespace scan::device {
namespace {

constexpr int most_devices = 64;

// Attributes only: asking creates no context on the devices, and is allowed during a capture.
std::array<int, most_devices> count_all() noexcept {
  std::array<int, most_devices> counts{};
  int num_devices = 0;
  if (cudaGetDeviceCount(&num_devices) != cudaSuccess) return counts;
  for (int device = 0; device < std::min(num_devices, most_devices); ++device) {
    int count = 0;
    if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) == cudaSuccess) {
      counts[static_cast<std::size_t>(device)] = count;
    }
  }
  return counts;
}

}  // namespace

int sm_count(int device) noexcept {
  static const std::array<int, most_devices> counts = count_all();  // threads wait for the first
  const bool known = device >= 0 && device < most_devices;
  return known ? std::max(1, counts[static_cast<std::size_t>(device)]) : 1;
}

states_memory::states_memory(workspace* space, std::size_t num_bytes, cudaStream_t stream) noexcept
    : num_bytes_(num_bytes), stream_(stream) {
  if (const cudaError_t code = cudaGetDevice(&device_)) {
    error_ = {code, "there is no usable CUDA device"};
  } else {
    error_ = space != nullptr ? borrow(*space) : allocate();
  }
}

states_memory::~states_memory() {
  // The launch has been enqueued (or has failed and said so): nothing is left to report here.
  if (owned_) static_cast<void>(cudaFreeAsync(data_, stream_));
}

status states_memory::borrow(workspace& space) noexcept {
  if (!space.error().ok()) return space.error();
  if (space.device() != device_) {
    return {cudaErrorInvalidValue, "options.workspace belongs to another device"};
  }
  if (space.num_bytes() < num_bytes_) {
    return {cudaErrorInvalidValue, "options.workspace is too small for n"};
  }
  lock_ = std::unique_lock<std::mutex>(space.enqueueing(), std::try_to_lock);
  if (!lock_.owns_lock()) {
    return {cudaErrorInvalidValue, "options.workspace is in use by another host thread"};
  }
  // All of it, not just what this scan needs: the kernel clears it when the epochs run out.
  num_bytes_ = space.num_bytes();
  data_ = space.data();
  return {};
}

status states_memory::allocate() noexcept {
  if (const cudaError_t code = cudaMallocAsync(&data_, num_bytes_, stream_)) {
    return {code, "allocating tile states failed (cudaMallocAsync); a workspace needs none"};
  }
  owned_ = true;
  if (const cudaError_t code = cudaMemsetAsync(data_, 0, num_bytes_, stream_)) {
    return {code, "clearing the tile states failed"};
  }
  return {};
}

}  // namespace scan::device
