// One GPU of `scan_bench --gpus`: its memory, its stream, its rank, and how its calls are timed.
#ifndef SCAN_BENCH_GPUS_RANK_HPP
#define SCAN_BENCH_GPUS_RANK_HPP

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}
inline void check(ncclResult_t code) {
  if (code != ncclSuccess) throw std::runtime_error(ncclGetErrorString(code));
}

/// Device memory for a scope.
class gpu_memory {
 public:
  explicit gpu_memory(std::size_t num_bytes) { check(cudaMalloc(&data_, num_bytes)); }
  ~gpu_memory() { static_cast<void>(cudaFree(data_)); }
  gpu_memory(const gpu_memory&) = delete;
  gpu_memory& operator=(const gpu_memory&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

/// The ranks' threads, which are timed together.
struct gpu_team {
  explicit gpu_team(int count)
      : num_ranks(count), all(count), times(static_cast<std::size_t>(count)) {}
  int num_ranks;
  std::barrier<> all;
  std::vector<double> times;
};

/// One of them; its thread's current device is its own.
struct gpu_rank {
  int rank;
  ncclComm_t comm;
  cudaStream_t stream;
  gpu_team& team;

  void meet() const { team.all.arrive_and_wait(); }

  /// Microseconds a call of `num_calls` calls of `enqueue(i)` in a captured graph, of the rank that
  /// takes longest, the median of several launches; all ranks call it.
  double time_us(int num_calls, const std::function<void(int)>& enqueue) const {
    constexpr int num_rounds = 9;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replayed = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    meet();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < num_calls; ++i) enqueue(i);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&replayed, graph, 0));
    std::vector<double> rounds;
    for (int round = -1; round < num_rounds; ++round) {
      check(cudaStreamSynchronize(stream));
      meet();
      check(cudaEventRecord(begin, stream));
      check(cudaGraphLaunch(replayed, stream));
      check(cudaEventRecord(end, stream));
      check(cudaEventSynchronize(end));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin, end));
      team.times[static_cast<std::size_t>(rank)] = 1e3 * static_cast<double>(ms) / num_calls;
      meet();
      // (The first is not counted.)
      if (round >= 0) rounds.push_back(*std::max_element(team.times.begin(), team.times.end()));
      meet();
    }
    check(cudaGraphExecDestroy(replayed));
    check(cudaGraphDestroy(graph));
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    std::sort(rounds.begin(), rounds.end());
    return rounds[rounds.size() / 2];
  }
};

}  // namespace bench

#endif
