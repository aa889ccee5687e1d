// What the library is compared with on the GPU: what nvcc compiles, and only that.
#ifndef SCAN_BENCH_GPU_PEERS_HPP
#define SCAN_BENCH_GPU_PEERS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bench/problem.hpp"

namespace bench {

/// Enqueues a copy of device memory, both ends aligned to 16 bytes: one-shot blocks of 256 threads
/// that move two 16-byte vectors each, the fastest plain copy kernel measured on an H200.
cudaError_t copy_with_kernel(const void* in, void* out, std::int64_t num_bytes,
                             cudaStream_t stream);

/// Device memory that CUB asks its caller for; with `data` null a call only sets `num_bytes`.
struct cub_memory {
  void* data = nullptr;
  std::size_t num_bytes = 0;
};

/// Which of CUB's scans are compiled: every one would double the time of the whole build.
template <class Op, class T>
inline constexpr bool cub_is_built =
    std::is_same_v<Op, scan::plus> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, float>;

/// Enqueues cub::DeviceScan with CUB's counterpart of the operator `Op` of this library, for which
/// it has its tunings. An exclusive scan starts from the operator's identity.
template <class Op>
cudaError_t cub_scan(const problem& what, cub_memory& memory, const void* in, void* out,
                     std::int64_t num_items, cudaStream_t stream);

}  // namespace bench

#endif
