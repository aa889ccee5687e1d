// The launches of walks along a tensor's rows, and its columns.
#ifndef SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH

#include <cstdint>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/tensor_choice.cuh"
#include "scan/device/walk/column_walk.cuh"
#include "scan/device/walk/row_walk.cuh"
#include "scan/device/walk/short_row_walk.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block a row.
template <bool aligned, class Launch, class Tensor>
void choose_row_walk(Launch& to, const Tensor& scan) {
  using rows = row_walk_cut<Tensor, aligned>;
  const int warps = walk_warps_for(vectors_of(scan.shape.length, rows::element_bytes));
  to.template set<row_walk_kernel<rows>>({scan.shape.outer, warps * warp_size}, rows(scan));
}

/// Parts of warps, or tiles in shared memory where rows begin anywhere: in the same order.
template <class Launch, class Tensor>
status choose_short_row_walk(Launch& to, const Tensor& scan, bool extra_output,
                             const device_limits& limits) {
  using rows = short_row_walk_cut<Tensor>;
  if (scan.shape.length % rows::vector_items != 0 ||
      !row_walk_cut<Tensor, true>::are_aligned(scan)) {
    return choose_short_rows(to, scan, extra_output, limits);
  }
  const rows cut(scan);
  if (cut.num_blocks() > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  to.template set<short_row_walk_kernel<rows>>({cut.num_blocks(), rows::num_threads}, cut);
  return {};
}

/// A block a strip of columns.
template <int lane_columns, class Launch, class Tensor>
void choose_column_walk(Launch& to, const Tensor& scan) {
  using columns = column_walk_cut<Tensor, lane_columns>;
  const columns cut(scan);
  to.template set<column_walk_kernel<columns>>({cut.num_blocks(), cut.num_warps() * warp_size},
                                               cut);
}

/// The kernel of a tensor of sequences that are there, which goes along each of them.
template <class Launch, class Tensor>
status choose_walk(Launch& to, const Tensor& scan, bool extra_output, const device_limits& limits) {
  constexpr int bytes = static_cast<int>(
      std::max(sizeof(typename Tensor::in_type), sizeof(typename Tensor::out_type)));
  constexpr int lane_columns =
      walk_lane_columns(bytes, static_cast<int>(sizeof(typename Tensor::T)));
  if (scan.shape.length > INT32_MAX / 2) {
    return {cudaErrorNotSupported, "options.algorithm: walk takes fewer than 2^30 steps"};
  }
  const bool is_short =
      scan.shape.inner == 1 &&
      vectors_of(scan.shape.length, short_row_walk_cut<Tensor>::element_bytes) <= short_row_vectors;
  if (is_short) return choose_short_row_walk(to, scan, extra_output, limits);
  const std::int64_t strips =
      scan.shape.inner == 1 ? 1 : walk_strips_of(scan.shape.inner, bytes, 1).per_slab;
  if (scan.shape.outer > INT32_MAX / strips) {
    return {cudaErrorInvalidValue, "extents: more rows or strips than a kernel has blocks"};
  }
  if (scan.shape.inner > 1) {
    if (lane_columns > 1 && column_walk_cut<Tensor, lane_columns>::fits(scan)) {
      choose_column_walk<lane_columns>(to, scan);
    } else {
      choose_column_walk<1>(to, scan);
    }
  } else if (row_walk_cut<Tensor, true>::are_aligned(scan)) {
    choose_row_walk<true>(to, scan);
  } else {
    choose_row_walk<false>(to, scan);
  }
  return {};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
