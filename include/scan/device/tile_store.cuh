// The second pass over a tile in registers: its items are scanned from their prefixes on, and
// stored.
#ifndef SCAN_DEVICE_TILE_STORE_CUH
#define SCAN_DEVICE_TILE_STORE_CUH

#include <cstdint>

#include "scan/device/packed.cuh"
#include "scan/device/register_problem.cuh"
#include "scan/device/scan_items.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Scans a vector's first `num_valid` items after `running`; returns the fold of both. `Problem` is
/// a register_problem, here and below.
template <class Problem>
__device__ prefix<typename Problem::T> scan_vector(const Problem& scan,
                                                   const typename Problem::io_in::vector& vector,
                                                   int num_valid,
                                                   prefix<typename Problem::T> running,
                                                   typename Problem::io_out::vector& results) {
  if constexpr (packed<Problem>::scans && sizeof(vector) % 4 == 0) {
    packed_scan<Problem> words(scan, running);
    results = words.scan(num_valid >= Problem::vector_items
                             ? vector
                             : packed<Problem>::first_items(scan, vector, num_valid),
                         scan.exclusive);
    return {words.value(), true};
  } else {
    const auto items = Problem::io_in::items::unpack(vector);
    typename Problem::io_out::items scanned;
#pragma unroll
    for (int i = 0; i < Problem::vector_items; ++i) {
      if (i >= num_valid) break;
      scanned[i] = scan_item(scan, items[i], running);
    }
    results = scanned.pack();
    return running;
  }
}

/// Scans each of the thread's vectors from its exclusive prefix on, and stores the results. The
/// tile starts at item `first`; `before_vector(row)`: warp_part::before; `before_warp`: the fold of
/// all items before the warp's; `mostly_partial`: see tile_io.
template <bool mostly_partial, class Problem, class BeforeVector>
__device__ void store_scanned(const Problem& scan, std::int64_t first, int num_valid,
                              const typename Problem::io_in::share& share,
                              BeforeVector&& before_vector,
                              const prefix<typename Problem::T>& before_warp,
                              typename Problem::staging& stage) {
  using T = typename Problem::T;
  const bool is_last = first + num_valid == scan.num_items;
#pragma unroll
  for (int row = 0; row < Problem::rows; ++row) {
    const int num_left = num_valid - Problem::io_in::first_item(row);
    typename Problem::io_out::vector results;
    if (num_left > 0) {
      const prefix<T> before = Problem::blocks::before_vector(before_vector(row), row);
      const prefix<T> end =
          scan_vector(scan, share.row[row], num_left, join(before_warp, before, scan.op), results);
      if (num_left <= Problem::vector_items && is_last) scan.write_end(end);
    }
    Problem::io_out::template store_row<mostly_partial>(scan.output(first), num_valid,
                                                        scan.out_aligned, row, results, stage);
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
