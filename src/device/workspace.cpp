#include "scan/workspace.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/plan/compaction_plan.hpp"
#include "scan/device/plan/segment_plan.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/protocol/tile_states.hpp"
#include "src/baselines/scratch.hpp"
#include "src/device/relaxed_capture.hpp"
#include "src/device/tensor_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
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
// So that scratch that follows is aligned as a whole.
constexpr std::size_t whole_pieces(std::size_t num_bytes) noexcept {
  return (num_bytes + memory_alignment - 1) / memory_alignment * memory_alignment;
}

}  // namespace

std::size_t workspace::required_bytes(std::int64_t num_items, int element_bytes,
                                      algorithm which) noexcept {
  if (!possible_items(num_items) || !possible_bytes(element_bytes)) return SIZE_MAX;
  if (!is_algorithm(which)) return SIZE_MAX;
  if (which == algorithm::walk) return 0;  // (which one sequence refuses)
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

std::size_t workspace::held_bytes(std::int64_t max_items, int max_element_bytes) noexcept {
  if (!possible_items(max_items) || !possible_bytes(max_element_bytes)) return SIZE_MAX;
  // Wider elements have smaller tiles and more words a tile, but an odd width may be worse than a
  // wider even one.
  std::size_t most = sizeof(tile_states_header);
  for (int bytes = 1; bytes <= max_element_bytes; ++bytes) {
    most = std::max(most, device::most_states_bytes(max_items, bytes));
    if (max_items > 0) most = std::max(most, device::most_segment_states_bytes(max_items, bytes));
    most = std::max(most, device::most_compaction_states_bytes(max_items, bytes));
  }
  return whole_pieces(most);
}

std::size_t workspace::held_bytes(const extents& most, int max_element_bytes) noexcept {
  const std::size_t required = required_bytes(most, max_element_bytes);
  return required == SIZE_MAX ? SIZE_MAX : whole_pieces(required);
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
  if (!is_algorithm(which)) {
    error_ = {cudaErrorInvalidValue, "workspace: `which` is none of scan::algorithm"};
    return;
  }
  std::size_t for_scratch = 0;
  for (int bytes = 1; bytes <= max_element_bytes; ++bytes) {
    for_scratch = std::max(for_scratch, baselines::most_scratch_bytes(which, max_items, bytes));
  }
  allocate(held_bytes(max_items, max_element_bytes), for_scratch);
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
  allocate(held_bytes(most, max_element_bytes), 0);
}

workspace::workspace(void* memory, std::size_t num_bytes, stream_ref stream) noexcept {
  const std::size_t usable = num_bytes / memory_alignment * memory_alignment;
  if (memory == nullptr) {
    error_ = {cudaErrorInvalidValue, "workspace: the memory is null"};
  } else if (reinterpret_cast<std::uintptr_t>(memory) % memory_alignment != 0) {
    error_ = {cudaErrorInvalidValue, "workspace: the memory does not start at a multiple of 256"};
  } else if (usable == 0) {
    error_ = {cudaErrorInvalidValue, "workspace: the memory is too small: fewer than 256 bytes"};
  } else {
    error_ = adopt(memory, usable, stream);
  }
}

status workspace::adopt(void* memory, std::size_t num_bytes, cudaStream_t stream) noexcept {
  const device::pending_error the_callers;
  device::device_limits limits;
  if (const status asked = device::current_limits(limits, stream); !asked.ok()) return asked;
  cudaPointerAttributes about = {};
  if (const cudaError_t code = cudaPointerGetAttributes(&about, memory)) {
    return {code, "workspace: asking what memory it is failed"};
  }
  // (Of a graph that is being captured, memory is there when it runs.)
  const bool is_graphs = about.type == cudaMemoryTypeUnregistered && !device::can_wait_for(stream);
  if (about.type != cudaMemoryTypeDevice && about.type != cudaMemoryTypeManaged && !is_graphs) {
    return {cudaErrorInvalidValue, "workspace: the memory is not the device's"};
  }
  if (about.type == cudaMemoryTypeDevice && about.device != limits.device) {
    return {cudaErrorInvalidValue, "workspace: the memory belongs to another device"};
  }
  if (const cudaError_t code =
          cudaMemsetAsync(memory, 0, num_bytes, device::named_stream(stream))) {
    return {code, "workspace: clearing the memory failed"};
  }
  data_ = memory;
  num_bytes_ = num_states_bytes_ = num_bytes;
  device_ = limits.device;
  return {};
}

void workspace::allocate(std::size_t for_states, std::size_t for_scratch) noexcept {
  const device::pending_error the_callers;
  const relaxed_capture allowed;
  if (const cudaError_t code = cudaGetDevice(&device_)) {
    error_ = {code, "workspace: there is no CUDA device"};
    return;
  }
  const std::size_t num_bytes = for_states + for_scratch;
  if (const cudaError_t code = cudaMalloc(&data_, num_bytes)) {
    data_ = nullptr;
    error_ = {code, "workspace: cudaMalloc failed"};
    return;
  }
  owned_ = true;
  num_bytes_ = num_bytes;
  num_states_bytes_ = for_states;
  if (const cudaError_t code = zero(data_, for_states)) {
    error_ = {code, "workspace: clearing the fresh memory failed"};
  }
}

workspace::~workspace() {
  if (!owned_) return;
  const device::pending_error the_callers;
  const relaxed_capture allowed;
  // A failure here has no one to tell: the context may be gone already at exit.
  static_cast<void>(cudaFree(data_));
}

}  // namespace SCAN_ABI
}  // namespace scan
