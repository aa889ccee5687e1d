// Launches of bench's own kernels.
#ifndef SCAN_BENCH_MEASURE_LAUNCH_CUH
#define SCAN_BENCH_MEASURE_LAUNCH_CUH

#include <cuda_runtime.h>

#include <cstdint>

namespace bench {

/// Enqueues `num_blocks` blocks; returns what the launch itself says.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), std::int64_t num_blocks, int num_threads,
                   cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(num_blocks);
  config.blockDim = static_cast<unsigned>(num_threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace bench

#endif
