// Device memory of a measurement, and calls timed in it with a cold L2.
#ifndef SCAN_BENCH_GPU_POOL_HPP
#define SCAN_BENCH_GPU_POOL_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "bench/data.hpp"

namespace bench {

/// Throws `std::runtime_error` that names the step, unless `code` is success.
void check_cuda(cudaError_t code, const char* step);

class device_buffer {
 public:
  explicit device_buffer(std::int64_t num_bytes);
  ~device_buffer();
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

/// Copies of one input, and as many outputs, spread over at least 256 MiB a side, so that a call
/// meets nothing in the L2 that an earlier one has left. Everything happens in one stream.
class gpu_pool {
 public:
  explicit gpu_pool(const dataset& data);
  ~gpu_pool();
  gpu_pool(const gpu_pool&) = delete;
  gpu_pool& operator=(const gpu_pool&) = delete;

  std::int64_t num_bytes() const { return num_bytes_; }
  int num_slots() const { return num_slots_; }
  /// Calls worth holding in one graph: 256 for tiny inputs, never less than 8.
  int num_calls() const { return num_calls_; }
  cudaStream_t stream() const { return stream_; }
  const std::byte* in(int slot) const { return in_.data() + slot * stride_; }
  std::byte* out(int slot) const { return out_.data() + slot * stride_; }

  /// Overwrites all outputs.
  void spoil() const;
  /// Copies an output to the host and waits for it.
  void download(int slot, std::byte* to) const;
  /// Fills the L2 with other lines, read and written ones.
  void flush_l2() const;

 private:
  std::int64_t num_bytes_;
  int num_calls_;
  int num_slots_;
  std::int64_t stride_;
  device_buffer in_, out_, other_;
  cudaStream_t stream_ = nullptr;
};

/// Enqueues one call of an algorithm.
using enqueue_call = std::function<cudaError_t(const void* in, void* out, cudaStream_t stream)>;

/// A captured graph of `num_calls` calls, which go round the pool's slots. Keeps `enqueue`, and so
/// the device memory that it holds and the graph refers to.
class call_graph {
 public:
  call_graph(const gpu_pool& pool, enqueue_call enqueue);
  ~call_graph();
  call_graph(const call_graph&) = delete;
  call_graph& operator=(const call_graph&) = delete;

  void run() const;
  /// Microseconds per call of one launch of the graph.
  double time_us() const;

 private:
  cudaGraph_t capture() const;

  const gpu_pool& pool_;
  enqueue_call enqueue_;
  cudaGraphExec_t exec_ = nullptr;
  cudaEvent_t started_ = nullptr;
  cudaEvent_t finished_ = nullptr;
};

}  // namespace bench

#endif
