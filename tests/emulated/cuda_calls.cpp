// The runtime's calls that the library makes, of a made-up device: in place of libcudart.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "tests/emulated/engine.hpp"

namespace {

thread_local cudaError_t pending = cudaSuccess;
std::map<const void*, int> allowed;      // dynamic shared memory of kernels
std::set<const void*> in_wide_clusters;  // may be

cudaError_t refused(cudaError_t code) { return pending = code; }

unsigned cluster_blocks_of(const cudaLaunchConfig_t& config) {
  unsigned found = 0;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension) found = attribute.val.clusterDim.x;
  }
  return found;
}

// The driver's way to describe an array, so far as the library asks for it.
CUresult describe_array(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* data,
                        const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                        const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle,
                        CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  emulated::described_array made{static_cast<const unsigned char*>(data), {}, {}, {}};
  bool is_valid = type == CU_TENSOR_MAP_DATA_TYPE_UINT32 && rank == 3 &&
                  reinterpret_cast<std::uintptr_t>(map) % 64 == 0 && box[2] == 1;
  is_valid &= reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && box[0] * 4 % 16 == 0;
  for (int i = 0; i < 3; ++i) {
    made.sizes[i] = static_cast<std::int64_t>(sizes[i]);
    is_valid &= sizes[i] >= 1 && sizes[i] <= std::uint64_t{1} << 32 && box[i] >= 1 &&
                box[i] <= 256 && steps[i] == 1;
  }
  for (int i = 0; i < 2; ++i) {
    made.strides[i] = static_cast<std::int64_t>(strides[i]);
    made.box[i] = static_cast<int>(box[i]);
    is_valid &= strides[i] % 16 == 0 && strides[i] < std::uint64_t{1} << 40;
  }
  std::memcpy(map, &made, sizeof made);
  return is_valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = emulated::now.device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  const emulated::device& there = emulated::devices[device];
  *value = which == cudaDevAttrMultiProcessorCount      ? there.sm_count
           : which == cudaDevAttrComputeCapabilityMajor ? there.capability
           : which == cudaDevAttrL2CacheSize            ? 1 << 18
           : which == cudaDevAttrMaxSharedMemoryPerBlockOptin
               ? static_cast<int>(emulated::shared_bytes_of_block)
               : 0;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  *attributes = {};
  attributes->ptxVersion = attributes->binaryVersion = emulated::find_kernel(kernel).arch / 10;
  attributes->sharedSizeBytes = 4096;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value) {
  if (which == cudaFuncAttributeMaxDynamicSharedMemorySize) allowed[kernel] = value;
  if (which == cudaFuncAttributeNonPortableClusterSizeAllowed) in_wide_clusters.insert(kernel);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* at_once, const void* kernel,
                                           const cudaLaunchConfig_t* config) {
  const unsigned num_blocks = cluster_blocks_of(*config);
  // (A multiprocessor alone has no room for 16.)
  const bool is_wide = in_wide_clusters.count(kernel) > 0 && emulated::now.here().sm_count > 1;
  *at_once = num_blocks <= (is_wide ? 16u : 8u) ? emulated::now.here().sm_count : 0;
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** memory, std::size_t num_bytes, cudaStream_t) {
  *memory = std::aligned_alloc(256, (num_bytes + 255) / 256 * 256);
  if (*memory != nullptr) std::memset(*memory, 0xFF, num_bytes);
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t num_bytes) {
  return cudaMallocAsync(memory, num_bytes, nullptr);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) { return cudaFreeAsync(memory, nullptr); }
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t num_bytes, cudaStream_t) {
  std::memset(to, value, num_bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t num_bytes, cudaMemcpyKind,
                            cudaStream_t) {
  std::memcpy(to, from, num_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t num_bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, num_bytes, kind, nullptr);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = emulated::now.device;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return pending; }
cudaError_t cudaGetLastError() { return std::exchange(pending, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t) { return "an error of the stand-in GPU"; }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* pointer) {
  *about = {};
  about->type = cudaMemoryTypeDevice;
  about->devicePointer = const_cast<void*>(pointer);
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** found, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  const bool is_there =
      emulated::now.describes_arrays && std::strcmp(symbol, "cuTensorMapEncodeTiled") == 0;
  *found = is_there ? reinterpret_cast<void*>(&describe_array) : nullptr;
  *result = is_there ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  const emulated::known_kernel known = emulated::find_kernel(kernel);
  if (known.call == nullptr) return refused(cudaErrorInvalidDeviceFunction);
  constexpr std::size_t always = 44 * 1024;
  const auto found = allowed.find(kernel);
  const std::size_t most =
      found == allowed.end() ? always : std::max(always, static_cast<std::size_t>(found->second));
  if (config->dynamicSmemBytes > most || config->gridDim.x == 0 || config->blockDim.x == 0 ||
      config->blockDim.x > 1024) {
    return refused(cudaErrorInvalidValue);
  }
  const unsigned cluster_blocks = cluster_blocks_of(*config);
  if (cluster_blocks > (in_wide_clusters.count(kernel) > 0 ? 16u : 8u)) {
    return refused(cudaErrorInvalidClusterSize);
  }
  if (cluster_blocks > 0 && config->gridDim.x % cluster_blocks != 0) {
    return refused(cudaErrorInvalidValue);
  }
  const emulated::launch_shape shape{config->gridDim.x, config->blockDim.x,
                                     config->dynamicSmemBytes, cluster_blocks};
  return emulated::run(
             shape, [&] { known.call(arguments); }, known.name)
             ? cudaSuccess
             : refused(cudaErrorLaunchFailure);
}

}  // extern "C"
