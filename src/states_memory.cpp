#include "scan/device/states_memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

namespace scan::device {
namespace {

struct limits {
  int sm_count = 1;
  std::size_t ring_bytes_of_block = 0;
};

int attribute(cudaDeviceAttr which, int device) noexcept {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

// Attributes only: asking creates no context on the devices, and is allowed during a capture.
std::array<limits, most_devices> ask_all() noexcept {
  std::array<limits, most_devices> all{};
  int num_devices = 0;
  if (cudaGetDeviceCount(&num_devices) != cudaSuccess) return all;
  for (int device = 0; device < std::min(num_devices, most_devices); ++device) {
    limits& of = all[static_cast<std::size_t>(device)];
    of.sm_count = std::max(1, attribute(cudaDevAttrMultiProcessorCount, device));
    if (attribute(cudaDevAttrComputeCapabilityMajor, device) < 9) continue;
    const auto bytes =
        static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (bytes >= least_ring_bytes) of.ring_bytes_of_block = bytes;
  }
  return all;
}

limits limits_of(int device) noexcept {
  static const std::array<limits, most_devices> all = ask_all();  // threads wait for the first
  const bool known = device >= 0 && device < most_devices;
  return known ? all[static_cast<std::size_t>(device)] : limits{};
}

}  // namespace

int sm_count(int device) noexcept { return limits_of(device).sm_count; }
std::size_t ring_bytes_of_block(int device) noexcept {
  return limits_of(device).ring_bytes_of_block;
}

states_memory::states_memory(workspace* space, std::size_t num_bytes, cudaStream_t stream,
                             memory_use use) noexcept
    : num_bytes_(num_bytes), stream_(stream), use_(use) {
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
  const bool scratch = use_ == memory_use::scratch;
  const std::size_t available = scratch ? space.num_scratch_bytes() : space.num_states_bytes();
  if (available < num_bytes_) {
    return {cudaErrorInvalidValue,
            scratch ? "options.workspace is too small for n with options.algorithm"
                    : "options.workspace is too small for n"};
  }
  lock_ = std::unique_lock<std::mutex>(space.enqueueing(), std::try_to_lock);
  if (!lock_.owns_lock()) {
    return {cudaErrorInvalidValue, "options.workspace is in use by another host thread"};
  }
  // All of it, not just what this scan needs: the kernel clears it when the epochs run out.
  num_bytes_ = available;
  data_ = scratch ? space.scratch() : space.states();
  return {};
}

status states_memory::allocate() noexcept {
  if (num_bytes_ == 0) return {};
  const bool scratch = use_ == memory_use::scratch;
  if (const cudaError_t code = cudaMallocAsync(&data_, num_bytes_, stream_)) {
    return {code, scratch
                      ? "allocating scratch memory failed (cudaMallocAsync); see workspace"
                      : "allocating tile states failed (cudaMallocAsync); a workspace needs none"};
  }
  owned_ = true;
  if (scratch) return {};
  if (const cudaError_t code = cudaMemsetAsync(data_, 0, num_bytes_, stream_)) {
    return {code, "clearing the tile states failed"};
  }
  return {};
}

}  // namespace scan::device
