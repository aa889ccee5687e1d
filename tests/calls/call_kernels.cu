#include "tests/calls/call_kernels.hpp"
#include "tests/support/device_memory.hpp"

namespace tests {
namespace {

__global__ void occupy_kernel(volatile int* flags) {
  if (threadIdx.x == 0) {
    flags[1 + blockIdx.x] = 1;
    while (flags[0] == 0) __nanosleep(1000);
  }
  __syncthreads();
}

__global__ void write_late_kernel(int* data, std::int64_t n, int value) {
  for (int i = 0; i < 100000; ++i) __nanosleep(1000);  // some 100 ms
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) data[i] = value;
}

}  // namespace

cudaError_t occupy(int num_blocks, int* flags, cudaStream_t stream) {
  int device = 0, shared_bytes = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(
      cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  cuda_check(cudaFuncSetAttribute(occupy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  shared_bytes));
  occupy_kernel<<<num_blocks, 1024, shared_bytes, stream>>>(flags);
  return cudaGetLastError();
}

cudaError_t write_late(int* data, std::int64_t n, int value, cudaStream_t stream) {
  write_late_kernel<<<1, 256, 0, stream>>>(data, n, value);
  return cudaGetLastError();
}

}  // namespace tests
