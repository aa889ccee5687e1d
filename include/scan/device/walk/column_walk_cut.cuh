// Scans of a tensor's columns as those take them who walk: in strips of a warp's lanes.
#ifndef SCAN_DEVICE_WALK_COLUMN_WALK_CUT_CUH
#define SCAN_DEVICE_WALK_COLUMN_WALK_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/plan/column_walk_plan.hpp"
#include "scan/device/plan/walk_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether rows of results begin and end with sectors of memory.
template <class Tensor>
bool rows_fill_sectors(const Tensor& scan) noexcept {
  constexpr std::int64_t bytes = sizeof(typename Tensor::out_type), sector = 32;
  return reinterpret_cast<std::uintptr_t>(scan.output(0)) % sector == 0 &&
         scan.shape.inner * bytes % sector == 0 && scan.shape.out_pitch * bytes % sector == 0;
}

/// Whether a tensor's columns lie so that a lane may have so many beside each other: at multiples
/// of their size together.
template <int lane_columns, class Tensor>
bool columns_lie_together(const Tensor& scan) {
  if constexpr (lane_columns == 1) return true;
  const auto lies = [&](auto* data, std::int64_t pitch) {
    return vector_aligned(data, lane_columns) && pitch % lane_columns == 0;
  };
  bool all = scan.shape.inner % lane_columns == 0;
  for (int i = 0; i < Tensor::num_outputs; ++i) {
    all = all && lies(scan.output(i), scan.shape.out_pitch);
  }
  for (int i = 0; i < Tensor::num_inputs; ++i) {
    all = all && lies(scan.input(i), scan.shape.in_pitch);
  }
  return all;
}

/// The sequences of a tensor with inner from 2 on; `Tensor` is a tensor_problem. A lane has
/// `lane_columns` columns beside each other: more than one where these lie at multiples of their
/// size together. Or it has some lines of one each, a warp's lanes apart, of inner > 32.
template <class Tensor, int lane_columns_, int lane_lines_ = 1>
struct column_walk_cut : Tensor {
  using Tensor::num_inputs;
  using Tensor::num_outputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int element_bytes =
      static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  static constexpr int lane_columns = lane_columns_, lane_lines = lane_lines_;
  static_assert(lane_columns == 1 || lane_lines == 1);
  static constexpr int run_rows = walk_run_rows(element_bytes, Tensor::run_inputs);
  static constexpr int most_warps = most_column_warps(static_cast<int>(sizeof(T)));
  static constexpr int most_threads = most_warps * warp_size;
  static constexpr int most_columns = warp_size * lane_columns * lane_lines;
  static constexpr int blocks_per_sm = std::max(
      walk_threads_per_sm(std::max(num_inputs, 2), lane_columns* static_cast<int>(sizeof(T))) /
          most_threads,
      1);

  walk_strips strips;
  bool backwards;  // whatever `Tensor` says: from the last row in memory on

  column_walk_cut(const Tensor& scan, bool backwards)
      : Tensor(scan),
        strips(walk_strips_of(scan.shape.inner, element_bytes, lane_columns * lane_lines)),
        backwards(backwards) {}

  std::int64_t num_strips() const { return this->shape.outer * strips.per_slab; }
  /// Warps of a block: as many as have rows.
  int num_warps() const {
    const std::int64_t runs = (this->shape.length - 1) / run_rows + 1;
    return static_cast<int>(std::min<std::int64_t>((runs - 1) / strips.lane_runs + 1, most_warps));
  }
  /// Rows of a tile of so many warps.
  SCAN_HOST_DEVICE int tile_rows(int num_warps) const {
    return num_warps * strips.lane_runs * run_rows;
  }
  /// Whether a tensor's columns lie so that a lane may have these.
  static bool fits(const Tensor& scan) {
    return lane_columns == 1 ||
           (scan.shape.inner > warp_size && columns_lie_together<lane_columns>(scan));
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
