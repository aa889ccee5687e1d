// A scan as the kernels take it whose blocks hold one tile each.
#ifndef SCAN_DEVICE_WAVE_PROBLEM_CUH
#define SCAN_DEVICE_WAVE_PROBLEM_CUH

#include <cstdint>

#include "scan/device/block_scan.cuh"
#include "scan/device/launch_plan.hpp"
#include "scan/device/tile_io.cuh"
#include "scan/device/vector_scan.cuh"
#include "scan/problem.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block does with the vectors of a tile: of a single sequence wherever they are. They are
/// told a vector's row and which of the tile's it is, or of an item which.
template <class Problem>
struct wave_vectors : vector_scan<Problem, Problem::vector_items> {
  using base = vector_scan<Problem, Problem::vector_items>;
  using T = typename Problem::T;
  using in_vectors = typename base::vectors;

  __device__ void enter(const Problem&, std::int64_t, int) {}
  __device__ T fold(const Problem& scan, const in_vectors& from, bool exists, int, int) const {
    return base::fold(scan, from, exists);
  }
  __device__ prefix<T> scan(const Problem& scan, const in_vectors& from, const prefix<T>& before,
                            typename base::out_vector& results, int, int) const {
    return base::scan(scan, from, before, results);
  }
  __device__ auto scan_item(const Problem& scan, const typename Problem::in_type& item,
                            prefix<T>& running, int) const {
    return device::scan_item(scan, item, running);
  }
};

/// One scan in tiles of `tile_vectors` vectors; `Shape` is a tuned::wave. Item numbers are those of
/// `problem`.
template <class Shape, class Problem>
struct wave_problem : Problem {
  static constexpr int rows = Shape::rows;
  static constexpr int vector_items = Shape::vector_items;
  static constexpr int most_threads = Shape::most_threads;
  static constexpr int lone_bytes = Shape::lone_bytes;
  using lanes = block_lanes<typename Problem::T, most_threads / 32>;
  using vectors = wave_vectors<wave_problem>;
  using vector_index = int;
  static constexpr int halo_warps = 0;
  /// The barrier of those who hold a tile: all.
  __device__ static void meet() { __syncthreads(); }

  int tile_vectors;
  int whole_vectors;
  int rest_items;   // at the end, fewer than a vector
  bool in_aligned;  // see vector_aligned
  bool out_aligned;

  __host__ __device__ wave_problem(const Problem& scan, int tile_vectors)
      : Problem(scan),
        tile_vectors(tile_vectors),
        whole_vectors(static_cast<int>(scan.num_items / vector_items)),
        rest_items(static_cast<int>(scan.num_items % vector_items)),
        in_aligned(vector_aligned(boundary(scan.in.data), vector_items)),
        out_aligned(vector_aligned(boundary(scan.out.data), vector_items)) {}

  /// Vectors are counted from here.
  template <class Data>
  __host__ __device__ Data boundary(Data data) const {
    return Problem::reversed ? data + this->num_items : data;
  }
  /// Item `i` of those after the last whole vector.
  template <class Data>
  __device__ Data rest_item(Data boundary, int i) const {
    const std::int64_t item = static_cast<std::int64_t>(whole_vectors) * vector_items + i;
    return Problem::reversed ? boundary - 1 - item : boundary + item;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
