#include "bench/gpu_calls.hpp"

#include <memory>

#include "bench/gpu_peers.hpp"

namespace bench {

enqueue_call cub_call(cub_scan scan, std::int64_t num_items) {
  cub_memory asked;
  check_cuda(scan(asked, nullptr, nullptr, num_items, nullptr), "asking CUB for its memory");
  const auto held = std::make_shared<device_buffer>(static_cast<std::int64_t>(asked.num_bytes));
  return [=](const void* in, void* out, cudaStream_t stream) {
    cub_memory memory{held->data(), asked.num_bytes};
    return scan(memory, in, out, num_items, stream);
  };
}

enqueue_call copy_kernel_call(std::int64_t num_bytes) {
  return [=](const void* in, void* out, cudaStream_t stream) {
    return copy_with_kernel(in, out, num_bytes, stream);
  };
}

enqueue_call memcpy_call(std::int64_t num_bytes) {
  return [=](const void* in, void* out, cudaStream_t stream) {
    return cudaMemcpyAsync(out, in, static_cast<std::size_t>(num_bytes), cudaMemcpyDeviceToDevice,
                           stream);
  };
}

}  // namespace bench
