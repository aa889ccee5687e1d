// Scans of a tensor's columns as those take them who walk: in strips of a block's threads.
#ifndef SCAN_DEVICE_WALK_COLUMN_WALK_CUT_CUH
#define SCAN_DEVICE_WALK_COLUMN_WALK_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/plan/column_walk_plan.hpp"
#include "scan/device/plan/sequence_plan.hpp"
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
/// `widest_`: threads beside each other at most.
template <class Tensor, int lane_columns_, int lane_lines_ = 1, int widest_ = warp_size>
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
  static constexpr int most_columns = widest_ * lane_columns * lane_lines;
  static constexpr int threads_per_sm =
      walk_threads_per_sm(std::max(num_inputs, 2), lane_columns* static_cast<int>(sizeof(T)));
  static constexpr int blocks_per_sm = std::max(threads_per_sm / most_threads, 1);
  /// Whether a block may have a part of a tile at a time, or always a warp a group of all.
  static constexpr bool in_steps = widest_ > warp_size;

  walk_strips strips;
  int groups;               // of a block: a tile's, or a part of these; no more than have rows
  int tile_steps;           // of a block down a tile
  small_divisor per_group;  // threads beside each other, or a warp
  bool backwards;           // whatever `Tensor` says: from the last row in memory on

  column_walk_cut(const Tensor& scan, bool backwards,
                  const walk_blocks& blocks = {warp_size, most_warps})
      : Tensor(scan),
        strips(walk_strips_of(scan.shape.inner, element_bytes, lane_columns * lane_lines,
                              blocks.beside)),
        groups(blocks.groups),
        tile_steps(most_warps / blocks.groups),
        per_group(group_threads_of(strips, lane_columns * lane_lines)),
        backwards(backwards) {
    // (Of columns of less than a step: as many as have rows.)
    const std::int64_t runs = (scan.shape.length - 1) / run_rows + 1;
    groups = static_cast<int>(std::min<std::int64_t>((runs - 1) / strips.lane_runs + 1, groups));
  }
  /// Of the blocks that fit.
  static column_walk_cut planned(const Tensor& scan, bool backwards, int sm_count) {
    return {scan, backwards,
            plan_walk_blocks(scan.shape, element_bytes, static_cast<int>(sizeof(T)), run_rows,
                             lane_columns, threads_per_sm, sm_count)};
  }

  std::int64_t num_strips() const { return this->shape.outer * strips.per_slab; }
  SCAN_HOST_DEVICE int group_threads() const { return per_group.divisor; }
  int num_threads() const { return whole_warps(groups * group_threads()); }
  /// Rows that a block has at a time.
  SCAN_HOST_DEVICE int step_rows() const { return groups * strips.lane_runs * run_rows; }
  /// The row that is scanned first, of a sequence; from a run to the next step's, of rows that are
  /// `row` apart.
  template <class Element>
  __device__ Element* first_row(Element* data) const {
    return backwards ? data + (this->shape.length - 1) * this->shape.inner : data;
  }
  template <class Element, int count>
  __device__ void to_next_step(Element* (&data)[count], std::int64_t row) const {
#pragma unroll
    for (int i = 0; i < count; ++i) data[i] += step_rows() * row;
  }
  /// Whether a tensor's columns lie so that a lane may have these.
  static bool fits(const Tensor& scan) {
    return lane_columns == 1 ||
           (scan.shape.inner > warp_size && columns_lie_together<lane_columns>(scan));
  }
};

/// Where a thread of a block is that has strip `strip` of all slabs'. `Cut` is a column_walk_cut.
template <class Cut>
struct walk_thread {
  static constexpr int lane_columns = Cut::lane_columns, lane_lines = Cut::lane_lines;
  /// From a line to the next: a warp's lanes.
  static constexpr int line_columns = lane_lines > 1 ? warp_size : Cut::most_columns;

  int group, place;  // of the block, and which of its runs
  int lanes;         // of a run
  int lines;         // that there are; none if it has no columns
  unsigned slab;
  int column;          // its first: of the strip
  std::int64_t inner;  // and of the slab

  __device__ walk_thread(const Cut& scan, unsigned strip)
      : group(Cut::in_steps ? scan.per_group.quotient(static_cast<int>(threadIdx.x))
                            : warp_index()) {
    const bool is_few = scan.strips.lane_runs > 1;
    const int in_group = static_cast<int>(threadIdx.x) - group * scan.group_threads();
    lanes = is_few ? (scan.strips.width - 1) / lane_columns + 1 : scan.group_threads();
    place = is_few ? in_group / lanes : 0;
    column = (in_group - place * lanes) * lane_columns;
    const auto per_slab = static_cast<unsigned>(scan.strips.per_slab);
    slab = strip / per_slab;
    const std::int64_t first = std::int64_t{strip - slab * per_slab} * scan.strips.width;
    inner = first + column;
    const auto width = static_cast<int>(
        min(scan.shape.inner - first, static_cast<std::int64_t>(scan.strips.width)));
    const bool has_run = group < scan.groups && place < scan.strips.lane_runs && column < width;
    lines = has_run ? (width - column - 1) / line_columns + 1 : 0;
  }
  __device__ bool is_there() const { return lines > 0; }
  /// Where column `c` of its is: from its first one on; in the strip.
  __device__ static int beside_first(int c) { return lane_lines > 1 ? c * line_columns : c; }
  __device__ int of(int c) const { return column + beside_first(c); }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
