// The functions of NCCL that the library and these tests call, for ranks that are threads of one
// process: on one GPU, which NCCL refuses, or on several. So the whole of a scan across ranks is
// tested where there is one GPU. Says that it is version 0.
//
// An all-gather is copies between the ranks' streams, after events of all of them. (It cannot be
// captured.)
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <barrier>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace {

/// Ranks that have the same id.
struct clique {
  explicit clique(int count)
      : all(count),
        sent(static_cast<std::size_t>(count)),
        ready(static_cast<std::size_t>(count)),
        done(static_cast<std::size_t>(count)) {}
  std::barrier<> all;
  std::vector<const void*> sent;
  std::vector<cudaEvent_t> ready, done;
};

std::mutex mutex;
std::map<int, std::weak_ptr<clique>> cliques;
int last_id = 0;

std::shared_ptr<clique> clique_of(const ncclUniqueId& id, int count) {
  const std::lock_guard<std::mutex> lock(mutex);
  int number = 0;
  std::memcpy(&number, id.internal, sizeof(number));
  std::shared_ptr<clique> found = cliques[number].lock();
  if (found == nullptr) cliques[number] = found = std::make_shared<clique>(count);
  return found;
}

}  // namespace

struct ncclComm {
  int rank, count, device;
  std::shared_ptr<clique> others;
};

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 0;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard<std::mutex> lock(mutex);
  ++last_id;
  *id = {};
  std::memcpy(id->internal, &last_id, sizeof(last_id));
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int count, ncclUniqueId id, int rank) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return ncclUnhandledCudaError;
  *comm = new ncclComm{rank, count, device, clique_of(id, count)};
  const auto at = static_cast<std::size_t>(rank);
  for (std::vector<cudaEvent_t>* events : {&(*comm)->others->ready, &(*comm)->others->done}) {
    if (cudaEventCreateWithFlags(&(*events)[at], cudaEventDisableTiming) != cudaSuccess) {
      return ncclUnhandledCudaError;
    }
  }
  (*comm)->others->all.arrive_and_wait();
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  comm->others->all.arrive_and_wait();
  const auto at = static_cast<std::size_t>(comm->rank);
  static_cast<void>(cudaEventDestroy(comm->others->ready[at]));
  static_cast<void>(cudaEventDestroy(comm->others->done[at]));
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  if (comm == nullptr) return ncclInvalidArgument;
  *count = comm->count;
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
  *device = comm->device;
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* state) {
  *state = ncclSuccess;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) { return "an error of the stand-in"; }

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  if (type != ncclUint8) return ncclInvalidArgument;
  clique& others = *comm->others;
  const auto mine = static_cast<std::size_t>(comm->rank);
  bool ok = cudaEventRecord(others.ready[mine], stream) == cudaSuccess;
  others.sent[mine] = send;
  others.all.arrive_and_wait();
  for (std::size_t i = 0; i < others.sent.size(); ++i) {
    char* const to = static_cast<char*>(receive) + i * count;
    ok &= cudaStreamWaitEvent(stream, others.ready[i], 0) == cudaSuccess;
    if (to != others.sent[i]) {
      ok &= cudaMemcpyAsync(to, others.sent[i], count, cudaMemcpyDefault, stream) == cudaSuccess;
    }
  }
  ok &= cudaEventRecord(others.done[mine], stream) == cudaSuccess;
  others.all.arrive_and_wait();
  for (const cudaEvent_t done : others.done) {
    ok &= cudaStreamWaitEvent(stream, done, 0) == cudaSuccess;
  }
  others.all.arrive_and_wait();  // an event is recorded anew when all wait for it
  return ok ? ncclSuccess : ncclUnhandledCudaError;
}

}  // extern "C"
