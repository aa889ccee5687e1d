// A scan as the ring kernel takes it: which chunks its tiles are made of.
#ifndef SCAN_DEVICE_RING_PROBLEM_CUH
#define SCAN_DEVICE_RING_PROBLEM_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/chunk_io.cuh"
#include "scan/device/launch_plan.hpp"
#include "scan/device/scan_items.cuh"
#include "scan/device/tuning.hpp"
#include "scan/problem.hpp"

namespace scan::device {

/// One scan with one ring shape. Item numbers are those of `problem`.
template <class Tuned, class Problem>
struct ring_problem : Problem {
  using typename Problem::in_type;
  using typename Problem::out_type;
  using typename Problem::T;
  static constexpr ring_tuning shape = Tuned::ring;
  static constexpr int element_bytes = Tuned::element_bytes;
  static constexpr int run_items = shape.run_items();
  static constexpr int warp_items = shape.warp_items();
  static constexpr int tile_items = shape.tile_items();
  static constexpr bool one_slot = sizeof(in_type) == sizeof(out_type);  // results replace items

  std::int64_t num_tiles;

  explicit ring_problem(const Problem& scan)
      : Problem(scan), num_tiles(tiles_of(scan.num_items, tile_items)) {}

  /// Items of the `most` from item `first` on, which begin in a tile with items: maybe none.
  __device__ int valid_items(std::int64_t first, int most) const {
    return max(valid_of(this->num_items - first, most), 0);
  }

  /// The chunk that starts at item `first`, of the input or the output, in parts of elements.
  template <class U>
  __device__ auto chunk_of(U* data, std::int64_t first) const {
    constexpr int size = static_cast<int>(sizeof(U));
    const int num_valid = valid_items(first, warp_items);
    const int offset = Problem::reversed ? (warp_items - num_valid) * size : 0;
    auto* const begin =
        parts_at(data + (Problem::reversed ? this->num_items - first - num_valid : first));
    return chunk<std::remove_pointer_t<decltype(parts_at(data))>>{begin, num_valid * size, offset};
  }
};

/// Whether the ring kernel takes a problem's types.
template <class Problem>
inline constexpr bool in_ring = ring_takes(sizeof(typename Problem::in_type),
                                           sizeof(typename Problem::out_type),
                                           sizeof(typename Problem::T));

}  // namespace scan::device

#endif
