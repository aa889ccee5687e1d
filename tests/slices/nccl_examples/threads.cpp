// One sequence over all GPUs of this machine, by one process: a thread and a rank for each GPU.
// Offsets from lengths, each GPU having as many as the others.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdint>
#include <cstdio>
#include <scan/nccl.hpp>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t local_n = 1'000'000;  // lengths a GPU, each of them 3

/// Whether rank `rank`'s slice is what it should be.
bool scan_slice(int rank, ncclComm_t comm) {
  cudaSetDevice(rank);
  cudaStream_t stream = nullptr;
  std::uint32_t* data = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) return false;
  if (cudaMalloc(&data, local_n * sizeof(*data)) != cudaSuccess) return false;
  std::vector<std::uint32_t> lengths(local_n, 3);
  cudaMemcpyAsync(data, lengths.data(), local_n * sizeof(*data), cudaMemcpyHostToDevice, stream);

  scan::across ranks{comm};  // once a communicator, by all ranks at the same time
  scan::options<std::uint32_t> opts;
  opts.stream = stream;
  const scan::status called = scan::exclusive(ranks, data, data, local_n, scan::plus{}, opts);

  cudaMemcpyAsync(lengths.data(), data, local_n * sizeof(*data), cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return false;
  const scan::status all = ranks.error();  // what the other ranks have had to say
  for (const scan::status& status : {called, all}) {
    if (!status.ok()) return std::fprintf(stderr, "rank %d: %s\n", rank, status.message()), false;
  }
  cudaFree(data);
  cudaStreamDestroy(stream);
  const auto before = static_cast<std::uint32_t>(rank * local_n * 3);
  return lengths.front() == before && lengths.back() == before + (local_n - 1) * 3;
}

}  // namespace

int main() {
  int num_gpus = 0;
  if (cudaGetDeviceCount(&num_gpus) != cudaSuccess || num_gpus == 0) return 77;
  const auto count = static_cast<std::size_t>(num_gpus);
  std::vector<ncclComm_t> comms(count);
  if (ncclCommInitAll(comms.data(), num_gpus, nullptr) != ncclSuccess) return 1;
  std::vector<char> right(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < num_gpus; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    threads.emplace_back([&, rank, at] { right[at] = scan_slice(rank, comms[at]) ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  bool all_right = true;
  for (std::size_t i = 0; i < count; ++i) {
    all_right = all_right && right[i] != 0;
    ncclCommDestroy(comms[i]);
  }
  std::printf("%d GPUs: %s\n", num_gpus, all_right ? "right" : "wrong");
  return all_right ? 0 : 1;
}
