// Compiled with --default-stream per-thread.
#include "call_kernels.hpp"
#include "scan/scan.cuh"

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "null is to be another stream here than in libscan.a"
#endif

namespace tests {
namespace {

/// A sum that libscan.a does not hold.
struct own_plus {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

using own_sum =
    scan::problem<scan::transform_input<int>, scan::transform_output<int>, own_plus, false>;
using shape = scan::device::tuned_for<scan::transform_input<int>, scan::transform_output<int>>;

}  // namespace

cudaError_t unprepare_ring() {
  const auto kernel = scan::device::ring_kernel<scan::device::ring_problem<shape, own_sum>>;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
}

scan::status sum_by_own_kernels(const int* in, int* out, std::int64_t n, scan::workspace* space) {
  scan::options<int> opts;
  opts.workspace = space;
  return scan::device::launch<shape>(
      scan::describe<false>(false, scan::as_input(in), scan::as_output(out), n, own_plus{}, opts),
      opts);
}

scan::status sum_by_prebuilt_kernels(const int* in, int* out, std::int64_t n,
                                     scan::workspace* space) {
  scan::options<int> opts;
  opts.workspace = space;
  return scan::inclusive(in, out, n, scan::plus{}, opts);
}

}  // namespace tests
