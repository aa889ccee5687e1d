// One call many times, timed with an L2 as cold or warm as the pool is: in a captured graph, or
// launched one by one.
#ifndef SCAN_BENCH_MEASURE_CALL_GRAPH_HPP
#define SCAN_BENCH_MEASURE_CALL_GRAPH_HPP

#include <cuda_runtime_api.h>

#include <functional>

#include "bench/measure/gpu_pool.hpp"

namespace bench {

/// Enqueues one call of an algorithm.
using enqueue_call = std::function<cudaError_t(const void* in, void* out, cudaStream_t stream)>;

/// Enqueues `num_calls` calls, which go round the pool's slots.
void enqueue_calls(const gpu_pool& pool, const enqueue_call& enqueue, int num_calls);

/// A captured graph of the pool's `num_calls` calls, or fewer where that would take longer than a
/// tenth of a second, but one for each slot. Keeps `enqueue`, and so the device memory that
/// it holds and the graph refers to.
class call_graph {
 public:
  call_graph(const gpu_pool& pool, enqueue_call enqueue);
  ~call_graph();
  call_graph(const call_graph&) = delete;
  call_graph& operator=(const call_graph&) = delete;

  void run() const;
  /// Microseconds per call of one launch of the graph.
  double time_us() const;

 private:
  cudaGraph_t capture() const;
  void launch() const;

  const gpu_pool& pool_;
  enqueue_call enqueue_;
  int num_calls_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

/// Microseconds per call of the pool's `num_calls` calls, launched one by one in an idle stream:
/// of the GPU or of the host, whichever is slower.
double stream_time_us(const gpu_pool& pool, const enqueue_call& enqueue);

/// Microseconds of CPU time that enqueueing takes, per call: the median of several batches that are
/// short enough to leave room in the stream's queue.
double host_time_us(const gpu_pool& pool, const enqueue_call& enqueue);

}  // namespace bench

#endif
