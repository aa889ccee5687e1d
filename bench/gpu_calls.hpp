// Calls of what the library is compared with on the GPU, ready to be enqueued.
#ifndef SCAN_BENCH_GPU_CALLS_HPP
#define SCAN_BENCH_GPU_CALLS_HPP

#include <cstdint>

#include "bench/call_graph.hpp"
#include "bench/cub_scan.hpp"

namespace bench {

/// A scan by CUB with the device memory that it asks for.
enqueue_call cub_call(cub_scan scan, std::int64_t num_items);

/// The two copies: the fastest kernel, and CUDA's own.
enqueue_call copy_kernel_call(std::int64_t num_bytes);
enqueue_call memcpy_call(std::int64_t num_bytes);

}  // namespace bench

#endif
