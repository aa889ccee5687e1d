// Compiled with --default-stream per-thread.
#include "scan/scan.cuh"
#include "tests/calls/call_kernels.hpp"
#include "tests/support/device_memory.hpp"

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "null is to be another stream here than in libscan.a"
#endif

namespace tests {
namespace {

/// A sum that libscan.a does not hold.
struct own_plus {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

/// Its scan, as the library describes and launches it.
using input = scan::transform_input<int>;
using output = scan::transform_output<int>;
using own_sum =
    decltype(scan::describe<false>(false, input{}, output{}, 0, own_plus{}, scan::options<int>{}));
using shape = scan::device::tuned_for<input, output>;
constexpr auto own_ring = scan::device::ring_kernel<scan::device::ring_cut<shape, own_sum>>;

}  // namespace

cudaError_t unprepare_ring() {
  return cudaFuncSetAttribute(own_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
}

int ring_bytes_prepared() {
  cudaFuncAttributes attributes = {};
  cuda_check(cudaFuncGetAttributes(&attributes, own_ring));
  return attributes.maxDynamicSharedSizeBytes;
}

scan::status sum_by_own_kernels(const int* in, int* out, std::int64_t n, scan::workspace* space) {
  scan::options<int> opts;
  opts.workspace = space;
  return scan::inclusive(in, out, n, own_plus{}, opts);
}

scan::status sum_by_prebuilt_kernels(const int* in, int* out, std::int64_t n,
                                     scan::workspace* space) {
  scan::options<int> opts;
  opts.workspace = space;
  return scan::inclusive(in, out, n, scan::plus{}, opts);
}

}  // namespace tests
