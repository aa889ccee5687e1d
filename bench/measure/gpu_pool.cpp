#include "bench/measure/gpu_pool.hpp"

#include <algorithm>
#include <utility>

namespace bench {
namespace {

constexpr std::int64_t pool_bytes = std::int64_t{256} << 20;  // past the L2 of any GPU so far
constexpr std::int64_t alignment = 256;                       // as of cudaMalloc
constexpr std::int64_t most_calls = 256;

std::int64_t inputs_in(std::int64_t num_bytes, std::int64_t slot_bytes) {
  return (num_bytes - 1) / slot_bytes + 1;
}

int slots_of(std::int64_t slot_bytes) {
  return static_cast<int>(std::min(most_calls, inputs_in(pool_bytes, slot_bytes)));
}

/// Enough of them that a graph takes long against reading the clock, few enough that large inputs
/// do not take minutes.
int calls_of(std::int64_t slot_bytes) {
  const std::int64_t fewest = std::clamp<std::int64_t>(inputs_in(8 * pool_bytes, slot_bytes), 3, 8);
  return static_cast<int>(std::clamp(inputs_in(pool_bytes, slot_bytes), fewest, most_calls));
}

std::int64_t stride_of(std::int64_t slot_bytes) {
  const std::int64_t spread = pool_bytes / slots_of(slot_bytes);
  return (std::max(slot_bytes, spread) + alignment - 1) / alignment * alignment;
}

}  // namespace

void check_cuda(cudaError_t code, const char* step) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string(step) + ": " + cudaGetErrorString(code));
}

device_buffer::device_buffer(std::int64_t num_bytes) {
  void* data = nullptr;
  check_cuda(cudaMalloc(&data, static_cast<std::size_t>(std::max<std::int64_t>(num_bytes, 1))),
             "allocating device memory");
  data_ = static_cast<std::byte*>(data);
}

device_buffer::~device_buffer() { static_cast<void>(cudaFree(data_)); }

gpu_memory::gpu_memory(std::int64_t side_bytes)
    : in(side_bytes), out(side_bytes), other(pool_bytes) {}

std::int64_t gpu_memory::num_bytes(std::int64_t side_bytes) { return 2 * side_bytes + pool_bytes; }

std::int64_t gpu_pool::side_bytes(std::int64_t slot_bytes) {
  return slots_of(slot_bytes) * stride_of(slot_bytes);
}

gpu_pool::gpu_pool(std::int64_t slot_bytes, bool warm, std::shared_ptr<const gpu_memory> memory)
    : memory_(std::move(memory)),
      warm_(warm),
      num_slots_(warm ? 1 : slots_of(slot_bytes)),
      num_calls_(calls_of(slot_bytes)),
      stride_(stride_of(slot_bytes)) {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  for (cudaEvent_t* event : {&started_, &finished_}) {
    check_cuda(cudaEventCreate(event), "creating an event");
  }
}

gpu_pool::~gpu_pool() {
  for (const cudaEvent_t event : {started_, finished_}) static_cast<void>(cudaEventDestroy(event));
  static_cast<void>(cudaStreamDestroy(stream_));
}

void gpu_pool::spoil() const {
  check_cuda(cudaMemsetAsync(memory_->out.data(), 0xA5,
                             static_cast<std::size_t>(num_slots_ * stride_), stream_),
             "overwriting the outputs");
}

void gpu_pool::flush_l2() const {
  // Several times, to keep the GPU busy until the host has enqueued what is timed after it:
  // otherwise the time between the two events would hold the host's launch of the graph.
  constexpr int times = 4;
  constexpr std::int64_t half = pool_bytes / 2;
  std::byte* const other = memory_->other.data();
  for (int i = 0; i < times; ++i) {
    check_cuda(cudaMemcpyAsync(other, other + half, half, cudaMemcpyDeviceToDevice, stream_),
               "flushing the L2");
  }
}

void gpu_pool::wait(const char* step) const { check_cuda(cudaStreamSynchronize(stream_), step); }

double gpu_pool::time_us(const std::function<void()>& enqueue) const {
  check_cuda(cudaEventRecord(started_, stream_), "recording an event");
  enqueue();
  check_cuda(cudaEventRecord(finished_, stream_), "recording an event");
  check_cuda(cudaEventSynchronize(finished_), "running what is timed");
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, started_, finished_), "reading the time");
  return 1000.0 * static_cast<double>(milliseconds);
}

}  // namespace bench
