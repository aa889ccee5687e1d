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

/// What is timed: so many calls one after another.
struct timed_calls {
  int num_calls;
  std::function<void(int)> enqueue;  // call i
  bool in_graph = true;              // captured; else enqueued each time
};
/// Microseconds a call of the rank that takes longest, by round.
using round_times = std::vector<double>;

inline double median(round_times times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// One of them; its thread's current device is its own.
struct gpu_rank {
  int rank;
  ncclComm_t comm;
  cudaStream_t stream;
  gpu_team& team;

  void meet() const { team.all.arrive_and_wait(); }

  /// The times of each of `contenders`; all ranks call it. They take turns, each round in another
  /// order, so that none is always the one that comes first or after the same other one.
  std::vector<round_times> time_us(const std::vector<timed_calls>& contenders) const {
    constexpr std::size_t num_rounds = 20;
    std::vector<cudaGraphExec_t> graphs;
    for (const timed_calls& calls : contenders) graphs.push_back(captured(calls));
    std::vector<round_times> times(contenders.size());
    for (std::size_t round = 0; round <= num_rounds; ++round) {
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        const std::size_t turn = (i + round) % contenders.size();
        const double us = time_once(contenders[turn], graphs[turn]);
        if (round > 0) times[turn].push_back(us);  // (The first is not counted.)
      }
    }
    for (const cudaGraphExec_t graph : graphs) {
      if (graph != nullptr) check(cudaGraphExecDestroy(graph));
    }
    return times;
  }

 private:
  /// Null: not to be captured.
  cudaGraphExec_t captured(const timed_calls& calls) const {
    if (!calls.in_graph) return nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replayed = nullptr;
    meet();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < calls.num_calls; ++i) calls.enqueue(i);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&replayed, graph, 0));
    check(cudaGraphDestroy(graph));
    return replayed;
  }
  double time_once(const timed_calls& calls, cudaGraphExec_t graph) const {
    cudaEvent_t begin = nullptr, end = nullptr;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    check(cudaStreamSynchronize(stream));
    meet();
    check(cudaEventRecord(begin, stream));
    if (graph != nullptr) {
      check(cudaGraphLaunch(graph, stream));
    } else {
      for (int i = 0; i < calls.num_calls; ++i) calls.enqueue(i);
    }
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    team.times[static_cast<std::size_t>(rank)] = 1e3 * static_cast<double>(ms) / calls.num_calls;
    meet();
    const double longest = *std::max_element(team.times.begin(), team.times.end());
    meet();
    return longest;
  }
};

}  // namespace bench

#endif
