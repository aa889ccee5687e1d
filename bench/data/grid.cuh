// How the kernels that make and judge data share out their indices.
#ifndef SCAN_BENCH_DATA_GRID_CUH
#define SCAN_BENCH_DATA_GRID_CUH

#include <algorithm>
#include <cstdint>

namespace bench {

inline constexpr int threads_per_block = 256;

/// Blocks for as many indices, of which there may be none.
inline int blocks_for(std::int64_t count) {
  constexpr std::int64_t most_blocks = 4096;
  const std::int64_t num_blocks = (count + threads_per_block - 1) / threads_per_block;
  return static_cast<int>(std::clamp<std::int64_t>(num_blocks, 1, most_blocks));
}

/// The threads of the grid share the indices.
template <class Body>
__device__ void for_each_index(std::int64_t count, const Body& body) {
  const std::int64_t stride = std::int64_t{gridDim.x} * threads_per_block;
  std::int64_t i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  for (; i < count; i += stride) body(i);
}

}  // namespace bench

#endif
