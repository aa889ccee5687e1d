#include "bench/measure/call_graph.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace bench {

void enqueue_calls(const gpu_pool& pool, const enqueue_call& enqueue, int num_calls) {
  for (int call = 0; call < num_calls; ++call) {
    const int slot = call % pool.num_slots();
    check_cuda(enqueue(pool.in(slot), pool.out(slot), pool.stream()), "enqueueing a call");
  }
}

call_graph::call_graph(const gpu_pool& pool, enqueue_call enqueue)
    : pool_(pool), enqueue_(std::move(enqueue)) {
  // Once outside of the capture: a kernel's first launch may load its code.
  enqueue_calls(pool, enqueue_, 1);
  pool.wait("running a call");
  constexpr double longest_us = 1e5;
  const double call_us = pool.time_us([&] { enqueue_calls(pool, enqueue_, 1); });
  const double most_calls = std::max(1.0, longest_us / std::max(call_us, 1.0));
  num_calls_ =
      std::max(pool.num_slots(), static_cast<int>(std::min<double>(pool.num_calls(), most_calls)));
  const cudaGraph_t graph = capture();
  check_cuda(cudaGraphInstantiate(&exec_, graph, 0), "instantiating a graph");
  check_cuda(cudaGraphDestroy(graph), "destroying a graph");
}

cudaGraph_t call_graph::capture() const {
  check_cuda(cudaStreamBeginCapture(pool_.stream(), cudaStreamCaptureModeThreadLocal),
             "capturing a graph");
  cudaGraph_t graph = nullptr;
  try {
    enqueue_calls(pool_, enqueue_, num_calls_);
  } catch (...) {  // end the capture: the stream is of use to others
    static_cast<void>(cudaStreamEndCapture(pool_.stream(), &graph));
    throw;
  }
  check_cuda(cudaStreamEndCapture(pool_.stream(), &graph), "capturing a graph");
  return graph;
}

call_graph::~call_graph() { static_cast<void>(cudaGraphExecDestroy(exec_)); }

void call_graph::launch() const {
  check_cuda(cudaGraphLaunch(exec_, pool_.stream()), "launching a graph");
}

void call_graph::run() const {
  launch();
  pool_.wait("running a graph");
}

double call_graph::time_us() const {
  pool_.flush_l2();
  if (pool_.warm()) launch();  // brings back what the L2 then keeps
  return pool_.time_us([&] { launch(); }) / num_calls_;
}

double stream_time_us(const gpu_pool& pool, const enqueue_call& enqueue) {
  pool.flush_l2();
  pool.wait("flushing the L2");
  return pool.time_us([&] { enqueue_calls(pool, enqueue, pool.num_calls()); }) / pool.num_calls();
}

double host_time_us(const gpu_pool& pool, const enqueue_call& enqueue) {
  using clock = std::chrono::steady_clock;
  constexpr int calls = 64;
  std::array<double, 9> batches;
  for (double& batch : batches) {
    const auto started = clock::now();
    enqueue_calls(pool, enqueue, calls);
    batch = std::chrono::duration<double, std::micro>(clock::now() - started).count() / calls;
    pool.wait("running calls");
  }
  std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
  return batches[batches.size() / 2];
}

}  // namespace bench
