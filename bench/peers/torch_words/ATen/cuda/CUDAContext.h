// Stands in for PyTorch's header of that name: see bench/peers/torch_words/torch/extension.h.
#ifndef SCAN_BENCH_PEERS_TORCH_WORDS_CUDA_CONTEXT_H
#define SCAN_BENCH_PEERS_TORCH_WORDS_CUDA_CONTEXT_H

#include <cuda_runtime_api.h>

namespace at::cuda {

/// The stream that this thread's next calls are enqueued in.
struct current_stream {
  cudaStream_t handle = nullptr;
  cudaStream_t stream() const { return handle; }
};
inline thread_local current_stream chosen_stream;
inline current_stream getCurrentCUDAStream() { return chosen_stream; }

}  // namespace at::cuda

#endif
