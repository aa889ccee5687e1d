// Launches a kernel: the one place that speaks to CUDA of grids.
#ifndef SCAN_DEVICE_ENQUEUE_CUH
#define SCAN_DEVICE_ENQUEUE_CUH

#include <cuda_runtime.h>

#include <cstdint>

#include "scan/device/call_memory.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// How a kernel is launched.
struct grid {
  std::int64_t num_blocks;
  int num_threads;
  std::size_t shared_bytes = 0;
  bool is_cluster = false;  // all blocks are one cluster
  bool overlaps = false;    // may start before what precedes it has ended: see dependent_launch.cuh
};

/// Launches `kernel`.
template <class... Parameters, class... Arguments>
status enqueue(void (*kernel)(Parameters...), const grid& blocks, cudaStream_t stream,
               const Arguments&... arguments) noexcept {
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(blocks.num_blocks);
  config.blockDim = static_cast<unsigned>(blocks.num_threads);
  config.dynamicSmemBytes = blocks.shared_bytes;
  config.stream = named_stream(stream);
  cudaLaunchAttribute attributes[2] = {};
  config.attrs = attributes;
  if (blocks.overlaps) {
    cudaLaunchAttribute& overlap = attributes[config.numAttrs++];
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
  }
  if (blocks.is_cluster) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {config.gridDim.x, 1, 1};
  }
  const cudaError_t code = cudaLaunchKernelEx(&config, kernel, arguments...);
  return code == cudaSuccess ? status{} : status{code, "launching the scan kernel failed"};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
