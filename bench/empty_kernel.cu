#include "bench/gpu_peers.hpp"

namespace bench {
namespace {

struct parameters {
  char bytes[112];  // what sums of int take, rounded up
};

__global__ void empty_kernel(parameters) {}

}  // namespace

cudaError_t launch_empty_kernel(cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 256;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, empty_kernel, parameters{});
}

}  // namespace bench
