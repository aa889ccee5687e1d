// Device memory of measurements, laid out so that calls meet a cold L2, and CUDA calls whose errors
// cannot be missed.
#ifndef SCAN_BENCH_MEASURE_GPU_POOL_HPP
#define SCAN_BENCH_MEASURE_GPU_POOL_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "scan/status.hpp"

namespace bench {

/// Throw `std::runtime_error` that names the step, unless it was a success.
void check_cuda(cudaError_t code, const char* step);
inline void require_success(const scan::status& status) {
  if (!status.ok()) throw std::runtime_error(std::string("scan: ") + status.message());
}

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

/// What pools lie in, one after the other: allocating gigabytes for each would take longer than
/// measuring in it. `side_bytes` of inputs and of outputs.
struct gpu_memory {
  explicit gpu_memory(std::int64_t side_bytes);
  /// Bytes of device memory that it takes.
  static std::int64_t num_bytes(std::int64_t side_bytes);

  device_buffer in, out, other;
};

/// Inputs and as many outputs, spread over at least 256 MiB a side, so that a call meets nothing in
/// the L2 that an earlier one has left; or one of each, of which the L2 keeps what it holds.
/// Everything happens in one stream.
class gpu_pool {
 public:
  /// Bytes per side that a pool of slots of `slot_bytes` takes; a warm one takes less.
  static std::int64_t side_bytes(std::int64_t slot_bytes);

  /// `memory` has to have `side_bytes(slot_bytes)` per side; inputs and outputs hold what they
  /// held.
  gpu_pool(std::int64_t slot_bytes, bool warm, std::shared_ptr<const gpu_memory> memory);
  ~gpu_pool();
  gpu_pool(const gpu_pool&) = delete;
  gpu_pool& operator=(const gpu_pool&) = delete;

  int num_slots() const { return num_slots_; }
  bool warm() const { return warm_; }
  /// Calls worth holding in one graph: 256 for tiny inputs, 3 from 1 GiB on.
  int num_calls() const { return num_calls_; }
  cudaStream_t stream() const { return stream_; }
  std::byte* in(int slot) const { return memory_->in.data() + slot * stride_; }
  std::byte* out(int slot) const { return memory_->out.data() + slot * stride_; }

  /// Overwrites all outputs.
  void spoil() const;
  /// Fills the L2 with other lines, read and written ones.
  void flush_l2() const;
  /// Waits for all that has been enqueued; an error of any of it is thrown as one of `step`.
  void wait(const char* step) const;
  /// Microseconds on the GPU of what `enqueue()` enqueues.
  double time_us(const std::function<void()>& enqueue) const;

 private:
  std::shared_ptr<const gpu_memory> memory_;
  bool warm_;
  int num_slots_;
  int num_calls_;
  std::int64_t stride_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t started_ = nullptr, finished_ = nullptr;
};

}  // namespace bench

#endif
