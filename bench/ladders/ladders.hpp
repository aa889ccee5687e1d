// Two ladders of kernels, each rung faster than the last for one reason: how scan_then_fan was
// made, and how the scan inside a block was. For int32, to be measured and read.
#ifndef SCAN_BENCH_LADDERS_LADDERS_HPP
#define SCAN_BENCH_LADDERS_LADDERS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

namespace bench {

/// Enqueues inclusive scans of int32; `scratch` is device memory of fan_scratch_bytes(num_items).
struct rung {
  const char* name;
  cudaError_t (*enqueue)(const void* in, void* out, std::int64_t num_items, void* scratch,
                         cudaStream_t stream);
};

/// The rungs of scan_then_fan, slowest first.
std::vector<rung> fan_rungs();
std::int64_t fan_scratch_bytes(std::int64_t num_items);

/// The rungs of the block scan, slowest first, which need no scratch. They scan slices of
/// `slice_items` elements, each by itself: no scan of the whole, which needs what blocks tell each
/// other.
std::vector<rung> block_rungs();
inline constexpr int slice_items = 1024;

/// Enqueues the comparison of `out` with the scans of the slices of `in`, by induction. Lowers
/// `*first_wrong`, in device memory, to the index of the first element that is wrong.
cudaError_t check_slices(const void* in, const void* out, std::int64_t num_items,
                         unsigned long long* first_wrong, cudaStream_t stream);

}  // namespace bench

#endif
