// What tests of errors and streams of odd places share.
#ifndef SCAN_TESTS_ODD_STREAMS_HPP
#define SCAN_TESTS_ODD_STREAMS_HPP

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

#include "scan/status.hpp"
#include "tests/support/call_checks.hpp"

namespace tests {

inline bool says(const scan::status& result, cudaError_t code, const char* words) {
  INFO(std::string(result.message()));
  CHECK(cudaError_t(result) == code);
  const bool named = std::string(result.message()).find(words) != std::string::npos;
  CHECK(named);
  CHECK(none_pending());
  return result == code && named;
}

inline int num_devices() {
  int count = 0;
  cuda_check(cudaGetDeviceCount(&count));
  return count;
}

/// A function of the driver's, or null.
template <class Function>
Function driver_function(const char* name, Function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  if (cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &result) !=
          cudaSuccess ||
      result != cudaDriverEntryPointSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return reinterpret_cast<Function>(found);
}
#define SCAN_TESTS_DRIVER(name) const auto name##_ = driver_function(#name, &name)

/// A stream of so many multiprocessors, or null where the driver or the device has none.
inline cudaStream_t stream_of_few(unsigned num_sms, unsigned& granted) {
  SCAN_TESTS_DRIVER(cuDeviceGetDevResource);
  SCAN_TESTS_DRIVER(cuDevSmResourceSplitByCount);
  SCAN_TESTS_DRIVER(cuDevResourceGenerateDesc);
  SCAN_TESTS_DRIVER(cuGreenCtxCreate);
  SCAN_TESTS_DRIVER(cuGreenCtxStreamCreate);
  if (!cuDeviceGetDevResource_ || !cuDevSmResourceSplitByCount_ || !cuDevResourceGenerateDesc_ ||
      !cuGreenCtxCreate_ || !cuGreenCtxStreamCreate_) {
    return nullptr;
  }
  CUdevResource all{}, few{};
  unsigned num_groups = 1;
  CUdevResourceDesc description{};
  CUgreenCtx context{};  // as long as the process
  CUstream made = nullptr;
  if (cuDeviceGetDevResource_(0, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
      cuDevSmResourceSplitByCount_(&few, &num_groups, &all, nullptr, 0, num_sms) != CUDA_SUCCESS ||
      cuDevResourceGenerateDesc_(&description, &few, 1) != CUDA_SUCCESS ||
      cuGreenCtxCreate_(&context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS ||
      cuGreenCtxStreamCreate_(&made, context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) {
    return nullptr;
  }
  granted = few.sm.smCount;
  return made;
}

inline bool ends_in_time(cudaStream_t stream) {
  const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  cudaError_t state = cudaErrorNotReady;
  while (state == cudaErrorNotReady && std::chrono::steady_clock::now() < stop) {
    state = cudaStreamQuery(stream);
    std::this_thread::yield();
  }
  static_cast<void>(cudaGetLastError());  // cudaErrorNotReady
  return state == cudaSuccess;
}

}  // namespace tests

#endif
