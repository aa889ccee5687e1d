// The launches of what goes along its sequences: recurrences along rows, columns that are walked,
// and those that are a lane's each.
#ifndef SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH

#include <cstdint>

#include "scan/device/launch/column_choice.cuh"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/round_choice.cuh"
#include "scan/device/launch/row_choice.cuh"
#include "scan/device/walk/column_walk.cuh"
#include "scan/device/walk/column_wave.cuh"
#include "scan/device/walk/lane_columns.cuh"
#include "scan/device/walk/walk_vectors.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A strip of columns, and blocks that walk down it, of lanes that have so many beside each other.
template <class Tensor, int lane_columns>
using walked_columns =
    column_walk_cut<Tensor, lane_columns, 1,
                    most_walk_width(static_cast<int>(sizeof(typename Tensor::T)))>;
template <int lane_columns, class Launch, class Tensor>
void choose_column_walk(Launch& to, const Tensor& scan, bool backwards,
                        const device_limits& limits) {
  using columns = walked_columns<Tensor, lane_columns>;
  const columns cut = columns::planned(scan, backwards, limits.sm_count);
  to.template set<column_walk_kernel<columns>>({cut.num_strips(), cut.num_threads()}, cut);
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

/// Columns, by blocks that walk or, of few strips, a wave of them. (Many may be lanes': see
/// choose_lanes.) Who has them makes no difference to their bits. `backwards`: see column_walk_cut.
template <class Launch, class Tensor>
status choose_walked_columns(Launch& to, const Tensor& scan, bool backwards,
                             const device_limits& limits) {
  if constexpr (Tensor::is_recurrence) {
    constexpr int bytes = static_cast<int>(
        std::max(sizeof(typename Tensor::in_type), sizeof(typename Tensor::out_type)));
    constexpr int wide = walk_lane_columns(bytes);
    if constexpr (wide > 1) {
      const std::int64_t strips =
          scan.shape.outer * walk_strips_of(scan.shape.inner, bytes, wide).per_slab;
      // (Where that leaves a strip of a warp and a quarter a multiprocessor; the walk may have
      // wider ones.)
      if (walked_columns<Tensor, wide>::fits(scan) && 4 * strips >= 5 * limits.sm_count) {
        choose_column_walk<wide>(to, scan, backwards, limits);
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
  choose_column_walk<1>(to, scan, backwards, limits);
  return {};
}

/// Loads their kernels, of other scans than recurrences: see kernel_record. `Tensor` goes forwards.
template <class Tensor>
void load_walked_columns(const device_limits& limits) noexcept {
  if constexpr (may_walk_sums(sizeof(typename Tensor::in_type), sizeof(typename Tensor::out_type),
                              sizeof(typename Tensor::T))) {
    record_of<column_walk_kernel<walked_columns<Tensor, 1>>>().load(limits);
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
  if (short_row_walk_cut<Tensor>::takes(scan, extra_output)) {
    return choose_row_vectors(to, scan, extra_output, limits);
  }
  const bool has_gaps = shape.in_pitch != shape.length || shape.out_pitch != shape.length;
  if (is_warp_row(shape.outer, static_cast<int>(shape.length / vector_items_for(bytes)), has_gaps,
                  Tensor::num_inputs, bytes, limits.sm_count)) {
    return choose_row_rounds<1, false>(to, scan, {1, 1, 1}, limits);
  }
  return choose_row_stretches(to, scan, extra_output, limits);
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

// ---- Columns that are a lane's each: short ones, and many. ----

/// Columns of a lane: of narrow elements a word, where these are many, and lie so; else one.
template <class Tensor>
constexpr int word_lane_columns = walk_lane_columns(column_cut<Tensor>::sizes.widest());
/// Or 16 bytes of them, if they would have too little to do.
template <class Tensor>
constexpr int wide_lane_columns = columns_of_wide_lanes(column_cut<Tensor>::sizes);

/// Columns of a lane, or 0: of a tensor whose columns are not theirs. (Else those of tiles.)
template <class Tensor>
int lane_columns_of(const Tensor& scan, const device_limits& limits) noexcept {
  using tiled = column_cut<Tensor>;
  constexpr int word = word_lane_columns<Tensor>, wide = wide_lane_columns<Tensor>;
  const auto& shape = scan.shape;
  const std::int64_t all = shape.num_sequences();
  const bool are_many = all / word >= std::int64_t{many_word_lanes} * limits.sm_count;
  int columns = are_many && columns_lie_together<word>(scan) ? word : 1;
  if (are_lanes_brief(tiled::sizes, shape.length, all, columns)) {
    if (!gains_by_wide_lanes(tiled::sizes, shape.length)) return 0;
    if (wide == 1 || !columns_lie_together<wide>(scan)) return 0;
    columns = wide;
  }
  const bool are_theirs = goes_by_lanes(tiled::tuned, tiled::sizes, shape.outer, shape.length,
                                        shape.inner, columns, rows_fill_sectors(scan));
  return are_theirs ? columns : 0;
}
/// The same of columns that are walked.
template <class Tensor>
int walking_lane_columns_of(const Tensor& scan, const device_limits& limits) noexcept {
  constexpr int word = word_lane_columns<Tensor>;
  const auto& shape = scan.shape;
  if (!goes_by_walking_lanes(column_cut<Tensor>::sizes, shape.length, shape.num_sequences(),
                             limits.sm_count)) {
    return 0;
  }
  return columns_lie_together<word>(scan) ? word : 1;
}
/// `columns`: of a lane, as above; `in_runs`: see lane_column_cut.
template <bool in_runs, class Launch, class Tensor>
void choose_lane_columns(Launch& to, const Tensor& scan, int columns, bool backwards,
                         const device_limits& limits) {
  const auto choose = [&](auto lane_columns) {
    using lanes = lane_column_cut<Tensor, lane_columns.value, in_runs>;
    const lanes cut(scan, backwards);
    const bool many = cut.num_lanes >= std::int64_t{many_lanes} * limits.sm_count;
    const int most =
        scan.shape.length > most_lane_rows ? long_lane_column_threads : most_lane_column_threads;
    const int threads = many && !rows_fill_sectors(scan) ? most : lane_column_threads;
    to.template set<lane_column_kernel<lanes>>({(cut.num_lanes - 1) / threads + 1, threads}, cut);
  };
  constexpr int word = word_lane_columns<Tensor>, wide = wide_lane_columns<Tensor>;
  if constexpr (!in_runs) {
    if (columns == wide) return choose(std::integral_constant<int, wide>{});
  }
  if (columns == word) return choose(std::integral_constant<int, word>{});
  choose(std::integral_constant<int, 1>{});
}

/// Columns that are a lane's each, if they are.
template <class Launch, class Tensor>
bool choose_lanes(Launch& to, const Tensor& scan, const device_limits& limits) {
  constexpr bool backwards = Tensor::reversed;
  const bool is_walked = walks(scan);
  const int columns =
      is_walked ? walking_lane_columns_of(scan, limits) : lane_columns_of(scan, limits);
  if (columns == 0) return false;
  if constexpr (most_lane_walk_rows(column_cut<Tensor>::sizes) > 0 && !is_exact<Tensor>) {
    if (is_walked) {
      choose_lane_columns<true>(to, scan.forwards(), columns, backwards, limits);
      return true;
    }
  }
  choose_lane_columns<false>(to, scan.forwards(), columns, backwards, limits);
  return true;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
