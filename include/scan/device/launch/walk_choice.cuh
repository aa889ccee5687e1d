// The launches of what goes along its sequences whatever is asked for: recurrences along rows, and
// columns that are walked.
#ifndef SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH

#include <cstdint>

#include "scan/device/launch/column_choice.cuh"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/round_choice.cuh"
#include "scan/device/launch/row_choice.cuh"
#include "scan/device/walk/column_walk.cuh"
#include "scan/device/walk/column_wave.cuh"
#include "scan/device/walk/walk_vectors.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block a strip of columns.
template <class Columns, class Launch>
void choose_column_walk(Launch& to, const Columns& cut) {
  to.template set<column_walk_kernel<Columns>>({cut.num_strips(), cut.num_warps() * warp_size},
                                               cut);
}
/// A block a tile.
template <class Columns, class Launch>
status choose_column_wave(Launch& to, const Columns& cut) {
  if (cut.cut.num_tiles() > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  to.template set_with_states<column_wave_kernel<Columns>>(
      {cut.cut.num_tiles(), Columns::most_threads},
      cut.cut.states_bytes(sizeof(typename Columns::T)), cut);
  return {};
}

/// Columns, by blocks that walk or, of few strips, a wave of them. Who has them makes no difference
/// to their bits. `backwards`: see column_walk_cut.
template <class Launch, class Tensor>
status choose_walked_columns(Launch& to, const Tensor& scan, bool backwards,
                             const device_limits& limits) {
  if constexpr (Tensor::is_recurrence) {
    constexpr int bytes = static_cast<int>(
        std::max(sizeof(typename Tensor::in_type), sizeof(typename Tensor::out_type)));
    constexpr int wide = walk_lane_columns(bytes);
    if constexpr (wide > 1) {
      using columns = column_walk_cut<Tensor, wide>;
      const columns cut(scan, backwards);
      // (Where that leaves a strip and a quarter a multiprocessor.)
      if (columns::fits(scan) && 4 * cut.num_strips() >= 5 * limits.sm_count) {
        choose_column_walk(to, cut);
        return {};
      }
    }
  }
  if constexpr (sizeof(typename Tensor::T) <= most_wave_value_bytes) {
    const column_wave_cut<Tensor> wave(scan, backwards);
    if (is_column_wave(wave.cut, scan.shape.inner, wave.lane_lines)) {
      return choose_column_wave(to, wave);
    }
  }
  choose_column_walk(to, column_walk_cut<Tensor, 1>(scan, backwards));
  return {};
}

/// Loads their kernels, of other scans than recurrences: see kernel_record. `Tensor` goes forwards.
template <class Tensor>
void load_walked_columns(const device_limits& limits) noexcept {
  if constexpr (may_walk_sums(sizeof(typename Tensor::in_type), sizeof(typename Tensor::out_type),
                              sizeof(typename Tensor::T))) {
    record_of<column_walk_kernel<column_walk_cut<Tensor, 1>>>().load(limits);
    record_of<column_wave_kernel<column_wave_cut<Tensor>>>().load(limits);
  }
}

template <class Launch, class Tensor>
status choose_walked_rows(Launch& to, const Tensor& scan, bool extra_output,
                          const device_limits& limits) {
  constexpr int bytes = walked_bytes<Tensor>;
  const auto& shape = scan.shape;
  if (vectors_of(shape.length, bytes) > short_row_vectors) {
    return choose_long_rows(to, scan, limits);
  }
  const bool has_gaps = shape.in_pitch != shape.length || shape.out_pitch != shape.length;
  if (!short_row_walk_cut<Tensor>::takes(scan, extra_output) &&
      is_warp_row(shape.outer, static_cast<int>(shape.length / vector_items_for(bytes)), has_gaps,
                  Tensor::num_inputs, bytes, limits.sm_count)) {
    return choose_row_rounds<1, false>(to, scan, {1, 1, 1}, limits);
  }
  return choose_short_rows(to, scan, extra_output, limits);
}

/// The kernel of a tensor of sequences that are there, which goes along each of them; rows are
/// those of a recurrence.
template <class Launch, class Tensor>
status choose_walk(Launch& to, const Tensor& scan, bool extra_output, const device_limits& limits) {
  if constexpr (Tensor::is_recurrence) {
    if (scan.shape.inner == 1) return choose_walked_rows(to, scan, extra_output, limits);
  }
  if (scan.shape.length > most_walked_rows) {
    return {cudaErrorNotSupported, "options.algorithm: walk takes columns of less than 2^30 steps"};
  }
  const std::int64_t strips = walk_strips_of(scan.shape.inner, walked_bytes<Tensor>, 1).per_slab;
  if (scan.shape.outer > INT32_MAX / strips) {
    return {cudaErrorInvalidValue, "extents: more strips than a kernel has blocks"};
  }
  // (One kernel for both directions, if the operator is the same.)
  return choose_walked_columns(to, scan.forwards(), Tensor::reversed, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
