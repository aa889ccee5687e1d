#include "tests/faults/faulty_cuda.hpp"

#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace tests {

faulty_cuda cuda_calls;
thread_local cudaError_t pending_here = cudaSuccess;

namespace {

/// What a call returns whose turn it is to fail; or of `real`, or of the made-up device, success.
template <class Real>
cudaError_t call(Real real) {
  if (++cuda_calls.num_calls == cuda_calls.fail_at) return pending_here = cuda_calls.code;
  return cuda_calls.is_made_up ? cudaSuccess : real();
}

/// Memory as it may come: full of what others have left.
constexpr int garbage = 0xFF;

cudaError_t held(cudaError_t code, void* memory, std::size_t num_bytes) {
  if (code != cudaSuccess) return code;
  ++cuda_calls.num_held;
  cuda_calls.newest = memory;
  cuda_calls.newest_bytes = num_bytes;
  return code;
}
void* made_up_memory(std::size_t num_bytes) {
  void* const memory = std::aligned_alloc(256, (num_bytes + 255) / 256 * 256);
  if (memory != nullptr) std::memset(memory, garbage, num_bytes);
  return memory;
}

memory_facts facts_at(std::uintptr_t address) {
  return cuda_calls.memory_at ? cuda_calls.memory_at(address) : cuda_calls.memory;
}

/// The driver's cuPointerGetAttribute of the made-up device.
CUresult made_up_attribute(void* answer, CUpointer_attribute which, CUdeviceptr address) {
  const memory_facts facts = facts_at(static_cast<std::uintptr_t>(address));
  if (which == CU_POINTER_ATTRIBUTE_ACCESS_FLAGS) {
    *static_cast<unsigned*>(answer) = facts.access;
    return CUDA_SUCCESS;
  }
  if (facts.num_bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (which == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) {
    *static_cast<CUdeviceptr*>(answer) = facts.first;
  } else if (which == CU_POINTER_ATTRIBUTE_RANGE_SIZE) {
    *static_cast<std::size_t*>(answer) = facts.num_bytes;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/// Its cuTensorMapEncodeTiled, of arrays that nobody reads.
CUresult made_up_map(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                     const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                     CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  *map = {};
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace tests

using tests::call;
using tests::cuda_calls;

extern "C" {

cudaError_t __real_cudaGetDevice(int* device);
cudaError_t __wrap_cudaGetDevice(int* device) {
  if (cuda_calls.is_made_up) *device = cuda_calls.device;
  return call([&] { return __real_cudaGetDevice(device); });
}

cudaError_t __real_cudaGetDeviceCount(int* count);
cudaError_t __wrap_cudaGetDeviceCount(int* count) {
  if (cuda_calls.is_made_up) *count = 2;
  return call([&] { return __real_cudaGetDeviceCount(count); });
}

cudaError_t __real_cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t __wrap_cudaStreamGetDevice(cudaStream_t stream, int* device) {
  if (cuda_calls.is_made_up) *device = cuda_calls.stream_device;
  return call([&] { return __real_cudaStreamGetDevice(stream, device); });
}

cudaError_t __real_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (cuda_calls.is_made_up) *status = cuda_calls.capture;
  return call([&] { return __real_cudaStreamIsCapturing(stream, status); });
}

cudaError_t __real_cudaPointerGetAttributes(cudaPointerAttributes* about, const void* pointer);
cudaError_t __wrap_cudaPointerGetAttributes(cudaPointerAttributes* about, const void* pointer) {
  if (cuda_calls.is_made_up) {
    const auto facts = tests::facts_at(reinterpret_cast<std::uintptr_t>(pointer));
    *about = {};
    about->type = facts.type;
    about->device = facts.device;
    if (facts.is_reachable) about->devicePointer = const_cast<void*>(pointer);
  }
  return call([&] { return __real_cudaPointerGetAttributes(about, pointer); });
}

cudaError_t __real_cudaGetDriverEntryPointByVersion(const char* name, void** found, unsigned since,
                                                    unsigned long long flags,
                                                    cudaDriverEntryPointQueryResult* result);
cudaError_t __wrap_cudaGetDriverEntryPointByVersion(const char* name, void** found, unsigned since,
                                                    unsigned long long flags,
                                                    cudaDriverEntryPointQueryResult* result) {
  if (cuda_calls.is_made_up) {
    const std::string wanted = name;
    *found = wanted == "cuPointerGetAttribute" ? reinterpret_cast<void*>(&tests::made_up_attribute)
             : wanted == "cuTensorMapEncodeTiled" ? reinterpret_cast<void*>(&tests::made_up_map)
                                                  : nullptr;
    *result = *found != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return call(
      [&] { return __real_cudaGetDriverEntryPointByVersion(name, found, since, flags, result); });
}

cudaError_t __real_cudaSetDevice(int device);
cudaError_t __wrap_cudaSetDevice(int device) {
  if (device < 0) {  // how tests leave an error pending
    return tests::pending_here = cudaErrorInvalidDevice;
  }
  return call([&] { return __real_cudaSetDevice(device); });
}

cudaError_t __real_cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device);
cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  if (cuda_calls.is_made_up) {
    *value = which == cudaDevAttrMultiProcessorCount            ? 132
             : which == cudaDevAttrComputeCapabilityMajor       ? 9
             : which == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
             : which == cudaDevAttrL2CacheSize                  ? 50 << 20
             : which == cudaDevAttrPageableMemoryAccess         ? cuda_calls.is_pageable_reachable
                                                                : 0;
  }
  return call([&] { return __real_cudaDeviceGetAttribute(value, which, device); });
}

cudaError_t __real_cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  if (cuda_calls.is_made_up) {
    *attributes = {};
    attributes->ptxVersion = attributes->binaryVersion = cuda_calls.ptx_version;
    attributes->sharedSizeBytes = 1024;
  }
  return call([&] { return __real_cudaFuncGetAttributes(attributes, kernel); });
}

cudaError_t __real_cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value);
cudaError_t __wrap_cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value) {
  return call([&] { return __real_cudaFuncSetAttribute(kernel, which, value); });
}

cudaError_t __real_cudaOccupancyMaxActiveClusters(int* at_once, const void* kernel,
                                                  const cudaLaunchConfig_t* config);
cudaError_t __wrap_cudaOccupancyMaxActiveClusters(int* at_once, const void* kernel,
                                                  const cudaLaunchConfig_t* config) {
  if (cuda_calls.is_made_up) *at_once = 1;
  return call([&] { return __real_cudaOccupancyMaxActiveClusters(at_once, kernel, config); });
}

cudaError_t __real_cudaDeviceSynchronize();
cudaError_t __wrap_cudaDeviceSynchronize() {
  return call([&] { return __real_cudaDeviceSynchronize(); });
}

cudaError_t __real_cudaMalloc(void** memory, std::size_t num_bytes);
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t num_bytes) {
  const cudaError_t code = call([&] {
    const cudaError_t real = __real_cudaMalloc(memory, num_bytes);
    if (real != cudaSuccess) return real;
    cudaMemset(*memory, tests::garbage, num_bytes);
    return __real_cudaDeviceSynchronize();  // or it might come after zeros of another stream
  });
  if (code == cudaSuccess && cuda_calls.is_made_up) *memory = tests::made_up_memory(num_bytes);
  return tests::held(code, *memory, num_bytes);
}

cudaError_t __real_cudaFree(void* memory);
cudaError_t __wrap_cudaFree(void* memory) {
  if (memory != nullptr) --cuda_calls.num_held;
  if (!cuda_calls.is_made_up) return __real_cudaFree(memory);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t __real_cudaHostAlloc(void** memory, std::size_t num_bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void** memory, std::size_t num_bytes, unsigned flags) {
  const cudaError_t code = call([&] { return __real_cudaHostAlloc(memory, num_bytes, flags); });
  if (code == cudaSuccess && cuda_calls.is_made_up) *memory = tests::made_up_memory(num_bytes);
  return tests::held(code, *memory, num_bytes);
}
cudaError_t __real_cudaFreeHost(void* memory);
cudaError_t __wrap_cudaFreeHost(void* memory) {
  if (memory != nullptr) --cuda_calls.num_held;
  if (!cuda_calls.is_made_up) return __real_cudaFreeHost(memory);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t __real_cudaMemsetAsync(void* to, int value, std::size_t num_bytes, cudaStream_t stream);
cudaError_t __real_cudaMallocAsync(void** memory, std::size_t num_bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t num_bytes, cudaStream_t stream) {
  cuda_calls.stream = stream;
  const cudaError_t code = call([&] {
    const cudaError_t real = __real_cudaMallocAsync(memory, num_bytes, stream);
    return real != cudaSuccess ? real
                               : __real_cudaMemsetAsync(*memory, tests::garbage, num_bytes, stream);
  });
  if (code == cudaSuccess && cuda_calls.is_made_up) *memory = tests::made_up_memory(num_bytes);
  return tests::held(code, *memory, num_bytes);
}

cudaError_t __real_cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  --cuda_calls.num_held;
  if (!cuda_calls.is_made_up) return __real_cudaFreeAsync(memory, stream);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t __wrap_cudaMemsetAsync(void* to, int value, std::size_t num_bytes,
                                   cudaStream_t stream) {
  cuda_calls.stream = stream;
  const cudaError_t code =
      call([&] { return __real_cudaMemsetAsync(to, value, num_bytes, stream); });
  if (code == cudaSuccess && cuda_calls.is_made_up) std::memset(to, value, num_bytes);
  return code;
}

cudaError_t __real_cudaMemcpyAsync(void* to, const void* from, std::size_t num_bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, std::size_t num_bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t code =
      call([&] { return __real_cudaMemcpyAsync(to, from, num_bytes, kind, stream); });
  if (cuda_calls.is_made_up && cuda_calls.copies) {
    if (code == cudaSuccess) std::memcpy(to, from, num_bytes);
  } else if (cuda_calls.is_made_up) {
    for (std::size_t i = 0; i < num_bytes / 8; ++i) {
      static_cast<std::int64_t*>(to)[i] = cuda_calls.found;
    }
  }
  return code;
}

cudaError_t __real_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const cudaError_t code = call([&] { return __real_cudaStreamCreateWithFlags(stream, flags); });
  if (cuda_calls.is_made_up) *stream = reinterpret_cast<cudaStream_t>(std::uintptr_t{1} << 21);
  if (code == cudaSuccess) ++cuda_calls.num_held;
  return code;
}
cudaError_t __real_cudaStreamDestroy(cudaStream_t stream);
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream) {
  --cuda_calls.num_held;
  return call([&] { return __real_cudaStreamDestroy(stream); });
}
cudaError_t __real_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  if (++cuda_calls.num_waits == cuda_calls.failing_wait) {
    return tests::pending_here = cudaErrorIllegalAddress;
  }
  return call([&] { return __real_cudaStreamSynchronize(stream); });
}

cudaError_t __real_cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const cudaError_t code = call([&] { return __real_cudaEventCreateWithFlags(event, flags); });
  if (cuda_calls.is_made_up) *event = reinterpret_cast<cudaEvent_t>(std::uintptr_t{1} << 22);
  if (code == cudaSuccess) ++cuda_calls.num_held;
  return code;
}
cudaError_t __real_cudaEventDestroy(cudaEvent_t event);
cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event) {
  --cuda_calls.num_held;
  return call([&] { return __real_cudaEventDestroy(event); });
}
cudaError_t __real_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&] { return __real_cudaEventRecord(event, stream); });
}
cudaError_t __real_cudaEventSynchronize(cudaEvent_t event);
cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event) {
  ++cuda_calls.num_event_waits;
  return call([&] { return __real_cudaEventSynchronize(event); });
}
cudaError_t __real_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  cuda_calls.awaiting = stream;
  return call([&] { return __real_cudaStreamWaitEvent(stream, event, flags); });
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  cuda_calls.kernel = kernel;
  cuda_calls.arguments = arguments;
  if (const auto hook = std::exchange(cuda_calls.on_launch, nullptr)) hook();
  cuda_calls.stream = config->stream;
  const cudaError_t code =
      call([&] { return __real_cudaLaunchKernelExC(config, kernel, arguments); });
  if (code == cudaSuccess) ++cuda_calls.num_launches;
  return code;
}

// These do not count: nothing depends on what they return.
cudaError_t __real_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);
cudaError_t __wrap_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  const cudaStreamCaptureMode before = cuda_calls.mode;
  cuda_calls.mode = *mode;
  if (!cuda_calls.is_made_up) return __real_cudaThreadExchangeStreamCaptureMode(mode);
  *mode = before;
  return cudaSuccess;
}
cudaError_t __real_cudaPeekAtLastError();
cudaError_t __wrap_cudaPeekAtLastError() {
  if (tests::pending_here != cudaSuccess || cuda_calls.is_made_up) return tests::pending_here;
  return __real_cudaPeekAtLastError();
}
cudaError_t __real_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError() {
  const cudaError_t pending = tests::pending_here;
  tests::pending_here = cudaSuccess;
  if (cuda_calls.is_made_up) return pending;
  const cudaError_t real = __real_cudaGetLastError();
  return pending != cudaSuccess ? pending : real;
}

}  // extern "C"
