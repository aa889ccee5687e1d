#include "bench/gpu_pool.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace bench {
namespace {

constexpr std::int64_t pool_bytes = std::int64_t{256} << 20;  // past the L2 of any GPU so far
constexpr std::int64_t alignment = 256;                       // as of cudaMalloc

std::int64_t inputs_in_pool(std::int64_t num_bytes) { return (pool_bytes - 1) / num_bytes + 1; }

std::int64_t slot_stride(std::int64_t num_bytes, std::int64_t num_slots) {
  const std::int64_t spread = pool_bytes / num_slots;
  return (std::max(num_bytes, spread) + alignment - 1) / alignment * alignment;
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

gpu_pool::gpu_pool(const dataset& data)
    : num_bytes_(data.elements.num_bytes()),
      num_calls_(static_cast<int>(std::clamp<std::int64_t>(inputs_in_pool(num_bytes_), 8, 256))),
      num_slots_(static_cast<int>(std::min<std::int64_t>(num_calls_, inputs_in_pool(num_bytes_)))),
      stride_(slot_stride(num_bytes_, num_slots_)),
      in_(num_slots_ * stride_),
      out_(num_slots_ * stride_),
      other_(pool_bytes) {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  for (int slot = 0; slot < num_slots_; ++slot) {
    const bool first = slot == 0;
    check_cuda(
        cudaMemcpyAsync(in_.data() + slot * stride_, first ? data.elements.data() : in_.data(),
                        static_cast<std::size_t>(num_bytes_),
                        first ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice, stream_),
        "copying the input to the device");
  }
  check_cuda(cudaStreamSynchronize(stream_), "copying the input to the device");
}

gpu_pool::~gpu_pool() { static_cast<void>(cudaStreamDestroy(stream_)); }

void gpu_pool::spoil() const {
  check_cuda(
      cudaMemsetAsync(out_.data(), 0xA5, static_cast<std::size_t>(num_slots_ * stride_), stream_),
      "overwriting the outputs");
}

void gpu_pool::download(int slot, std::byte* to) const {
  check_cuda(cudaMemcpyAsync(to, out(slot), static_cast<std::size_t>(num_bytes_),
                             cudaMemcpyDeviceToHost, stream_),
             "copying an output to the host");
  check_cuda(cudaStreamSynchronize(stream_), "copying an output to the host");
}

void gpu_pool::flush_l2() const {
  // Several times, to keep the GPU busy until the host has enqueued what is timed after it:
  // otherwise the time between the two events would hold the host's launch of the graph.
  constexpr int times = 4;
  constexpr std::int64_t half = pool_bytes / 2;
  for (int i = 0; i < times; ++i) {
    check_cuda(cudaMemcpyAsync(other_.data(), other_.data() + half, half, cudaMemcpyDeviceToDevice,
                               stream_),
               "flushing the L2");
  }
}

call_graph::call_graph(const gpu_pool& pool, enqueue_call enqueue)
    : pool_(pool), enqueue_(std::move(enqueue)) {
  // Once outside of the capture: a kernel's first launch may load its code.
  check_cuda(enqueue_(pool.in(0), pool.out(0), pool.stream()), "enqueueing a call");
  check_cuda(cudaStreamSynchronize(pool.stream()), "running a call");
  const cudaGraph_t graph = capture();
  check_cuda(cudaGraphInstantiate(&exec_, graph, 0), "instantiating a graph");
  check_cuda(cudaGraphDestroy(graph), "destroying a graph");
  check_cuda(cudaEventCreate(&started_), "creating an event");
  check_cuda(cudaEventCreate(&finished_), "creating an event");
}

cudaGraph_t call_graph::capture() const {
  check_cuda(cudaStreamBeginCapture(pool_.stream(), cudaStreamCaptureModeThreadLocal),
             "capturing a graph");
  cudaError_t enqueued = cudaSuccess;
  for (int call = 0; call < pool_.num_calls() && enqueued == cudaSuccess; ++call) {
    const int slot = call % pool_.num_slots();
    enqueued = enqueue_(pool_.in(slot), pool_.out(slot), pool_.stream());
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t captured = cudaStreamEndCapture(pool_.stream(), &graph);
  check_cuda(enqueued, "enqueueing a call");
  check_cuda(captured, "capturing a graph");
  return graph;
}

call_graph::~call_graph() {
  static_cast<void>(cudaEventDestroy(started_));
  static_cast<void>(cudaEventDestroy(finished_));
  static_cast<void>(cudaGraphExecDestroy(exec_));
}

void call_graph::run() const {
  check_cuda(cudaGraphLaunch(exec_, pool_.stream()), "launching a graph");
  check_cuda(cudaStreamSynchronize(pool_.stream()), "running a graph");
}

double call_graph::time_us() const {
  pool_.flush_l2();
  check_cuda(cudaEventRecord(started_, pool_.stream()), "recording an event");
  check_cuda(cudaGraphLaunch(exec_, pool_.stream()), "launching a graph");
  check_cuda(cudaEventRecord(finished_, pool_.stream()), "recording an event");
  check_cuda(cudaEventSynchronize(finished_), "running a graph");
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, started_, finished_), "reading the time");
  return 1000.0 * static_cast<double>(milliseconds) / pool_.num_calls();
}

}  // namespace bench
