// Device memory that is freed, and CUDA calls whose errors cannot be missed.
#ifndef SCAN_BENCH_DEVICE_BUFFER_HPP
#define SCAN_BENCH_DEVICE_BUFFER_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

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

}  // namespace bench

#endif
