#include "scan/device/launch/call_memory.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

#include "src/device/relaxed_capture.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

call_memory::call_memory(const memory_source& from, std::size_t num_bytes, memory_use use) noexcept
    : num_bytes_(num_bytes),
      stream_(named_stream(from.stream)),
      resource_(from.resource),
      use_(use) {
  error_ = from.space != nullptr ? borrow(*from.space) : allocate();
}

call_memory::~call_memory() {
  if (owned_) give_back();
}

status call_memory::borrow(workspace& space) noexcept {
  if (!space.error().ok()) return space.error();
  int device = -1;
  if (const cudaError_t code = cudaGetDevice(&device)) {
    return {code, "there is no usable CUDA device"};
  }
  if (space.device() != device) {
    return {cudaErrorInvalidValue, "options.workspace belongs to another device"};
  }
  const bool scratch = use_ == memory_use::scratch;
  const std::size_t available = scratch ? space.num_scratch_bytes() : space.num_states_bytes();
  if (available < num_bytes_) {
    return {cudaErrorInvalidValue,
            scratch ? "options.workspace is too small for n with options.algorithm"
                    : "options.workspace is too small for n, or for these extents"};
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

status call_memory::allocate() noexcept {
  if (num_bytes_ == 0) return {};
  const relaxed_capture allowed;
  if (const status taken = take(); !taken.ok()) return taken;
  owned_ = true;
  if (reinterpret_cast<std::uintptr_t>(data_) % memory_alignment != 0) {
    return {cudaErrorInvalidValue,
            "options.memory_resource: its memory is not aligned to 256 bytes"};
  }
  if (use_ == memory_use::scratch) return {};
  if (const cudaError_t code = cudaMemsetAsync(data_, 0, num_bytes_, stream_)) {
    return {code, "clearing the tile states failed"};
  }
  return {};
}

status call_memory::take() noexcept {
  if (!resource_.is_given()) {
    const cudaError_t code = cudaMallocAsync(&data_, num_bytes_, stream_);
    if (code == cudaSuccess) return {};
    return {code, use_ == memory_use::scratch
                      ? "allocating scratch memory failed (cudaMallocAsync); see workspace"
                      : "allocating tile states failed (cudaMallocAsync); a workspace needs none"};
  }
  if (!resource_.is_whole()) {
    return {cudaErrorInvalidValue, "options.memory_resource lacks one of its two functions"};
  }
  try {
    data_ = resource_.allocate(num_bytes_, stream_);
  } catch (...) {  // whatever the caller's own means by it
    data_ = nullptr;
  }
  if (data_ != nullptr) return {};
  return {cudaErrorMemoryAllocation, "options.memory_resource: it has no memory for the call"};
}

void call_memory::give_back() noexcept {
  const relaxed_capture allowed;
  // The launch has been enqueued (or has failed and said so): nothing is left to report here.
  if (!resource_.is_given()) {
    static_cast<void>(cudaFreeAsync(data_, stream_));
    return;
  }
  try {
    resource_.deallocate(data_, num_bytes_, stream_);
  } catch (...) {  // (as said)
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
