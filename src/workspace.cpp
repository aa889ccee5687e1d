#include "scan/workspace.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/launch_plan.hpp"
#include "scan/device/pending_error.hpp"
#include "scan/device/segment_plan.hpp"
#include "scan/device/tensor_states.hpp"
#include "scan/protocol/tile_states.hpp"
#include "src/baselines/scratch.hpp"
#include "src/relaxed_capture.hpp"

namespace scan {
namespace {

// Zeroes `data` and waits for that, without touching the caller's streams or the device.
cudaError_t zero(void* data, std::size_t num_bytes) noexcept {
  cudaStream_t stream = nullptr;
  if (const cudaError_t code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
    return code;
  cudaError_t code = cudaMemsetAsync(data, 0, num_bytes, stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(stream);
  const cudaError_t destroyed = cudaStreamDestroy(stream);
  return code == cudaSuccess ? destroyed : code;
}

// Whether there are scans of so many elements: as many as an address space has bytes at most.
constexpr bool possible_items(std::int64_t num_items) noexcept {
  return num_items >= 0 && num_items <= std::int64_t{1} << 57;
}
constexpr bool possible_bytes(int element_bytes) noexcept {
  return element_bytes >= 1 && element_bytes <= 64;
}

}  // namespace

std::size_t workspace::required_bytes(std::int64_t num_items, int element_bytes,
                                      algorithm which) noexcept {
  if (!possible_items(num_items) || !possible_bytes(element_bytes)) return SIZE_MAX;
  if (is_baseline(which)) return baselines::most_scratch_bytes(which, num_items, element_bytes);
  const device::launch_plan plan = device::plan_for(num_items, element_bytes, which, {});
  return plan.in_cluster ? 0 : device::most_states_bytes(num_items, element_bytes);
}

std::size_t workspace::required_bytes(const extents& given, int element_bytes) noexcept {
  tensor_shape shape;
  if (!possible_bytes(element_bytes) ||
      !resolve({given.outer, given.length, given.inner}, 1, element_bytes, shape).ok()) {
    return SIZE_MAX;
  }
  return device::most_tensor_states_bytes(shape, element_bytes);
}

workspace::workspace(std::int64_t max_items, int max_element_bytes, algorithm which) noexcept {
  if (!possible_items(max_items)) {
    error_ = {cudaErrorInvalidValue, "workspace: max_items is negative or too large"};
    return;
  }
  if (!possible_bytes(max_element_bytes)) {
    error_ = {cudaErrorInvalidValue, "workspace: max_element_bytes is not in 1..64"};
    return;
  }
  // Wider elements have smaller tiles and more words a tile, but an odd width may be worse than a
  // wider even one.
  std::size_t for_states = sizeof(tile_states_header), for_scratch = 0;
  for (int bytes = 1; bytes <= max_element_bytes; ++bytes) {
    for_states = std::max(for_states, device::most_states_bytes(max_items, bytes));
    if (max_items > 0) {
      for_states = std::max(for_states, device::most_segment_states_bytes(max_items, bytes));
    }
    for_scratch = std::max(for_scratch, baselines::most_scratch_bytes(which, max_items, bytes));
  }
  allocate(for_states, for_scratch);
}

workspace::workspace(const extents& most, int max_element_bytes) noexcept {
  tensor_shape shape;
  if (!possible_bytes(max_element_bytes)) {
    error_ = {cudaErrorInvalidValue, "workspace: max_element_bytes is not in 1..64"};
    return;
  }
  if (const status checked =
          resolve({most.outer, most.length, most.inner}, 1, max_element_bytes, shape);
      !checked.ok()) {
    error_ = checked;
    return;
  }
  allocate(device::most_tensor_states_bytes(shape, max_element_bytes), 0);
}

void workspace::allocate(std::size_t for_states, std::size_t for_scratch) noexcept {
  const device::pending_error the_callers;
  const relaxed_capture allowed;
  if (const cudaError_t code = cudaGetDevice(&device_)) {
    error_ = {code, "workspace: there is no CUDA device"};
    return;
  }
  for_states = (for_states + 255) / 256 * 256;  // so that the scratch is aligned as a whole
  const std::size_t num_bytes = for_states + for_scratch;
  if (const cudaError_t code = cudaMalloc(&data_, num_bytes)) {
    data_ = nullptr;
    error_ = {code, "workspace: cudaMalloc failed"};
    return;
  }
  num_bytes_ = num_bytes;
  num_states_bytes_ = for_states;
  if (const cudaError_t code = zero(data_, for_states)) {
    error_ = {code, "workspace: clearing the fresh memory failed"};
  }
}

workspace::~workspace() {
  if (data_ == nullptr) return;
  const device::pending_error the_callers;
  const relaxed_capture allowed;
  // A failure here has no one to tell: the context may be gone already at exit.
  static_cast<void>(cudaFree(data_));
}

}  // namespace scan
