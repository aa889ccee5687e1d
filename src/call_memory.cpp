#include "scan/device/call_memory.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

#include "src/relaxed_capture.hpp"

namespace scan::device {

status check_workspace(const workspace* space, std::initializer_list<memory_range> data) noexcept {
  if (space == nullptr) return {};
  if (!space->error().ok()) return space->error();
  const memory_range held(static_cast<const char*>(space->states()),
                          static_cast<std::int64_t>(space->num_bytes()));
  for (const memory_range& range : data) {
    if (range.overlaps(held)) {
      return {cudaErrorInvalidValue,
              "options.workspace: its memory overlaps the input, the output or another array"};
    }
  }
  return {};
}

call_memory::call_memory(workspace* space, std::size_t num_bytes, cudaStream_t stream,
                         memory_use use) noexcept
    : num_bytes_(num_bytes), stream_(named_stream(stream)), use_(use) {
  error_ = space != nullptr ? borrow(*space) : allocate();
}

call_memory::~call_memory() {
  if (!owned_) return;
  const relaxed_capture allowed;
  // The launch has been enqueued (or has failed and said so): nothing is left to report here.
  static_cast<void>(cudaFreeAsync(data_, stream_));
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
