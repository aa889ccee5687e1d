#include "bench/device_buffer.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bench {

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

}  // namespace bench
