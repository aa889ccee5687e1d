#include "tests/slices/faulty_nccl.hpp"

#include <chrono>
#include <cstring>

#include "tests/faults/faulty_cuda.hpp"

namespace tests {

faulty_nccl nccl_calls;

namespace {

ncclResult_t call() {
  if (++cuda_calls.num_calls != cuda_calls.fail_at) return ncclSuccess;
  nccl_calls.has_failed = true;
  return nccl_calls.code;
}

}  // namespace
}  // namespace tests

using tests::cuda_calls;
using tests::nccl_calls;

extern "C" {

cudaError_t __real_cudaMemcpyAsync(void* to, const void* from, std::size_t num_bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t __real_cudaStreamSynchronize(cudaStream_t stream);

ncclResult_t ncclCommCount(const ncclComm_t, int* count) {
  *count = nccl_calls.num_ranks;
  return tests::call();
}
ncclResult_t ncclCommUserRank(const ncclComm_t, int* rank) {
  *rank = nccl_calls.rank;
  return tests::call();
}
ncclResult_t ncclCommCuDevice(const ncclComm_t, int* device) {
  *device = 0;
  return tests::call();
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* state) {
  *state = nccl_calls.num_unfinished-- > 0 ? ncclInProgress : nccl_calls.state;
  return tests::call();
}
const char* ncclGetErrorString(ncclResult_t code) {
  return code == ncclSystemError ? "a system error" : "another error";
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t,
                           ncclComm_t, cudaStream_t stream) {
  const ncclResult_t code = tests::call();
  if (code != ncclSuccess) return code;
  const auto copy = [&](void* to, const void* from) {
    if (cuda_calls.is_made_up) return std::memcpy(to, from, count) != nullptr;
    return __real_cudaMemcpyAsync(to, from, count, cudaMemcpyDefault, stream) == cudaSuccess &&
           __real_cudaStreamSynchronize(stream) == cudaSuccess;
  };
  nccl_calls.sent.resize(count);
  if (!copy(nccl_calls.sent.data(), send)) return ncclUnhandledCudaError;
  std::vector<unsigned char> others = nccl_calls.sent;
  if (nccl_calls.on_peers) nccl_calls.on_peers(others.data());
  for (int rank = 0; rank < nccl_calls.num_ranks; ++rank) {
    if (rank == nccl_calls.rank) continue;
    auto* const to = static_cast<unsigned char*>(receive) + count * static_cast<std::size_t>(rank);
    if (!copy(to, others.data())) return ncclUnhandledCudaError;
  }
  ++nccl_calls.num_gathers;
  return nccl_calls.starts_gathers ? ncclInProgress : ncclSuccess;
}

// The clock, so that tests need not wait (std::chrono::steady_clock::now).
using clock_type = std::chrono::steady_clock;
clock_type::time_point __real__ZNSt6chrono3_V212steady_clock3nowEv();
clock_type::time_point __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  static clock_type::duration ahead{};
  ahead += std::chrono::seconds(nccl_calls.seconds_a_look);
  return __real__ZNSt6chrono3_V212steady_clock3nowEv() + ahead;
}

}  // extern "C"
