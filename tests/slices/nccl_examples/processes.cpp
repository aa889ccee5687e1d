// One sequence over several processes, a GPU each, which find each other by NCCL's unique id in a
// file that all of them see (MPI_Bcast does as well). Waits in a way that notices a peer that has
// died, and aborts the communicator then, after which all ends as usual: otherwise it would wait
// for ever.
//
// usage: processes RANK NUM_RANKS ID_FILE [die]    exit status 3: a peer has died
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <scan/nccl.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Rank 0 makes the id; the file gets its name when it is complete.
bool exchange_id(int rank, const std::string& path, ncclUniqueId& id) {
  if (rank == 0) {
    if (ncclGetUniqueId(&id) != ncclSuccess) return false;
    const std::string unfinished = path + ".part";
    std::ofstream(unfinished, std::ios::binary).write(id.internal, sizeof(id.internal));
    return std::rename(unfinished.c_str(), path.c_str()) == 0;
  }
  for (int i = 0; i < 300; ++i) {
    std::ifstream file(path, std::ios::binary);
    if (file.read(id.internal, sizeof(id.internal))) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

/// Waits for the stream, but not for ever: for so long, or until NCCL knows of an error.
scan::status wait_for(cudaStream_t stream, scan::across& ranks) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    if (const scan::status failed = ranks.error(); !failed.ok()) return failed;
    if (std::chrono::steady_clock::now() > end) return {cudaErrorTimeout, "a peer does not answer"};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ranks.error();
}

}  // namespace

int main(int argc, char** argv) {
  int num_gpus = 0;
  if (argc < 4 || cudaGetDeviceCount(&num_gpus) != cudaSuccess || num_gpus == 0) return 77;
  const int rank = std::atoi(argv[1]), num_ranks = std::atoi(argv[2]);
  const bool dies = argc > 4;
  if (num_ranks > num_gpus) return std::puts("too few GPUs"), 77;
  ncclUniqueId id;
  ncclComm_t comm = nullptr;
  cudaSetDevice(rank);
  if (!exchange_id(rank, argv[3], id)) return 1;
  if (ncclCommInitRank(&comm, num_ranks, id, rank) != ncclSuccess) return 1;

  const std::int64_t local_n = 1000 + 1000 * rank;  // slices need not be alike
  std::vector<float> items(static_cast<std::size_t>(local_n), 1.0f);
  const std::size_t num_bytes = items.size() * sizeof(float);
  float* data = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMalloc(&data, num_bytes) != cudaSuccess) return 1;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 1;
  cudaMemcpyAsync(data, items.data(), num_bytes, cudaMemcpyHostToDevice, stream);
  scan::status done;
  {
    scan::across ranks{comm, 100'000, 4};
    if (dies) std::_Exit(0);
    scan::options<float> opts;
    opts.stream = stream;
    done = scan::inclusive(ranks, data, data, local_n, scan::plus{}, opts);
    if (done.ok()) done = wait_for(stream, ranks);
    if (!done.ok()) {
      std::fprintf(stderr, "rank %d: %s\n", rank, done.message());
      // What waits for the peer ends, and with it all that would wait for that: `ranks`' destructor
      // at the end of this scope, the memory's and the stream's release. (Each rank that lives does
      // this; then those that are left may make another communicator.)
      ncclCommAbort(comm);
      comm = nullptr;
    }
  }
  cudaMemcpyAsync(items.data(), data, num_bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaFree(data);
  cudaStreamDestroy(stream);
  if (comm == nullptr) return 3;
  ncclCommDestroy(comm);
  const auto before = static_cast<float>(1000 * rank + 1000 * rank * (rank - 1) / 2);
  const bool right =
      items.front() == before + 1 && items.back() == before + static_cast<float>(local_n);
  std::printf("rank %d of %d: %s\n", rank, num_ranks, right ? "right" : "wrong");
  return right ? 0 : 1;
}
