// The launches of walks along a tensor's rows, and its columns.
#ifndef SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/tensor_choice.cuh"
#include "scan/device/walk/column_walk.cuh"
#include "scan/device/walk/column_wave.cuh"
#include "scan/device/walk/row_relay.cuh"
#include "scan/device/walk/row_round.cuh"
#include "scan/device/walk/row_walk.cuh"
#include "scan/device/walk/row_wave.cuh"
#include "scan/device/walk/short_row_walk.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block a row, or of short ones several.
template <int element_bytes, class Launch, class Tensor>
void choose_row_walk(Launch& to, const Tensor& scan, const device_limits& limits) {
  using rows = row_walk_cut<Tensor, element_bytes>;
  const std::int64_t vectors = vectors_of(scan.shape.length, rows::element_bytes);
  const int warps = walk_warps_for(vectors, scan.shape.outer, limits.sm_count);
  const int block_rows = walk_block_rows(scan.shape.outer, vectors, warps, limits.sm_count);
  to.template set<row_walk_kernel<rows>>(
      {(scan.shape.outer - 1) / block_rows + 1, warps * warp_size, queue_bytes<rows>(warps)},
      rows(scan, block_rows));
}

/// A block a tile.
template <class Launch, class Tensor>
void choose_row_wave(Launch& to, const Tensor& scan) {
  using rows = row_walk_cut<Tensor>;
  constexpr auto kernel = row_wave_kernel<rows>;
  const std::int64_t vectors = vectors_of(scan.shape.length, rows::element_bytes);
  const relay_plan plan = plan_wave_rows(scan.shape.outer, vectors);
  const std::int64_t num_states = scan.shape.outer * plan.words_per_row();
  to.template set_with_states<kernel>(
      {plan.num_blocks, walk_warps_of(vectors) * warp_size},
      num_states > 0 ? tile_states<typename Tensor::T>::required_bytes(num_states) : 0,
      rows(scan, 1), plan);
}

/// Blocks that hold parts of rows, as planned.
template <bool looks_back, class Launch, class Tensor>
status choose_row_parts(Launch& to, const Tensor& scan, const relay_plan& plan,
                        const device_limits& limits) {
  using rows = row_relay_cut<Tensor>;
  using arrays = row_arrays<rows, relay_part<looks_back>>;
  constexpr auto kernel = row_relay_kernel<rows, looks_back>;
  const std::size_t most_bytes = arrays::required_bytes(rows::most_threads);
  if (const cudaError_t code = record_of<kernel>().allow(limits, most_bytes)) {
    return {code, "preparing the row kernel failed"};
  }
  const int threads = whole_warps(plan.threads(rows::chunk_threads));
  const std::int64_t num_states = scan.shape.outer * plan.words_per_row();
  to.template set_with_states<kernel>(
      {plan.num_blocks, threads, static_cast<std::size_t>(arrays::required_bytes(threads)),
       most_bytes},
      num_states > 0 ? tile_states<typename Tensor::T>::required_bytes(num_states) : 0,
      rows(scan, plan));
  return {};
}
template <class Launch, class Tensor>
status choose_row_relay(Launch& to, const Tensor& scan, const device_limits& limits) {
  using rows = row_relay_cut<Tensor>;
  const std::int64_t vectors = vectors_of(scan.shape.length, rows::element_bytes);
  const relay_plan plan = plan_relay(scan.shape.outer, vectors, rows::most_chunks, limits.sm_count);
  if (plan.num_blocks > INT32_MAX || plan.tiles_per_row == INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more parts of rows than a kernel has blocks"};
  }
  return plan.looks_back() ? choose_row_parts<true>(to, scan, plan, limits)
                           : choose_row_parts<false>(to, scan, plan, limits);
}

/// Whether rows go in parts, too. Sums walk where they are asked to alone: of those that libscan.a
/// holds, with the same bits, a block a row, which is half of the kernels.
template <class Tensor>
inline constexpr bool has_row_parts =
    Tensor::is_recurrence ||
    !is_tensor_kernel_held<typename Tensor::in_type, typename Tensor::out_type,
                           typename bare<typename Tensor::op_type>::type>;

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

/// The kernel of a tensor of sequences that are there, which goes along each of them.
template <class Launch, class Tensor>
status choose_walk(Launch& to, const Tensor& scan, bool extra_output, const device_limits& limits) {
  constexpr int bytes = static_cast<int>(
      std::max(sizeof(typename Tensor::in_type), sizeof(typename Tensor::out_type)));
  if (scan.shape.inner > 1 && scan.shape.length > most_walked_rows) {
    return {cudaErrorNotSupported, "options.algorithm: walk takes columns of less than 2^30 steps"};
  }
  const bool is_short =
      scan.shape.inner == 1 &&
      vectors_of(scan.shape.length, short_row_cut<Tensor>::element_bytes) <= short_row_vectors;
  if (is_short) {
    if constexpr (Tensor::num_outputs > 1) {
      if (!short_row_walk_cut<Tensor>::takes(scan, extra_output)) {
        // (As rows of one chunk, in the same order.)
        choose_row_walk<short_row_cut<Tensor>::element_bytes>(to, scan, limits);
        return {};
      }
    }
    return choose_short_rows(to, scan, extra_output, limits);
  }
  const std::int64_t strips =
      scan.shape.inner == 1 ? 1 : walk_strips_of(scan.shape.inner, bytes, 1).per_slab;
  if (scan.shape.outer > INT32_MAX / strips) {
    return {cudaErrorInvalidValue, "extents: more rows or strips than a kernel has blocks"};
  }
  if (scan.shape.inner > 1) {
    // (One kernel for both directions, if the operator is the same.)
    return choose_walked_columns(to, scan.forwards(), Tensor::reversed, limits);
  }
  if constexpr (has_row_parts<Tensor>) {
    // (Of two outputs a relay has no room.)
    constexpr bool has_relay = Tensor::num_outputs == 1;
    switch (row_carrier_for(
        scan.shape.outer, vectors_of(scan.shape.length, bytes), Tensor::num_inputs,
        !row_relay_cut<Tensor>::one_place || rows_are_alike(scan), has_relay, limits.sm_count)) {
      case row_carrier::walk:
        break;
      case row_carrier::wave:
        choose_row_wave(to, scan);
        return {};
      case row_carrier::relay:
        if constexpr (has_relay) return choose_row_relay(to, scan, limits);
    }
  }
  if (vectors_of(scan.shape.length, bytes) >= INT32_MAX / 2) {
    return {cudaErrorNotSupported, "extents: what walks takes rows of less than 2^30 vectors"};
  }
  choose_row_walk<bytes>(to, scan, limits);
  return {};
}

// ---- Long rows of recurrences: see is_long_row. ----

template <class Tensor>
struct tuned_for_recurrences {
  static constexpr int element_bytes = static_cast<int>(
      std::max(sizeof(typename Tensor::in_type), sizeof(typename Tensor::out_type)));
  static constexpr ring_tuning ring = recurrence_ring_tuning_for(element_bytes, Tensor::num_inputs);
};
/// By the ring. `chosen`: whether there was room.
template <class Launch, class Tensor>
status choose_ring_rows(Launch& to, const Tensor& scan, const device_limits& limits, bool& chosen) {
  using tiled = ring_rows<tuned_for_recurrences<Tensor>, Tensor>;
  ring_room room;
  const status found = find_room<tiled>(limits, room);
  chosen = found.ok() && room.num_stages > 0;
  if (chosen) choose_ring(to, tiled(scan), limits.sm_count, room);
  return found;
}
/// A block a tile.
template <class Launch, class Tensor>
status choose_row_rounds(Launch& to, const Tensor& scan, const round_plan& plan,
                         const device_limits& limits) {
  using rounds = row_round_cut<tuned_for_recurrences<Tensor>, Tensor>;
  constexpr auto kernel = row_round_kernel<rounds>;
  constexpr std::size_t warp_bytes = rounds::row::warp_bytes;
  constexpr std::size_t most_bytes = rounds::most_warps * warp_bytes;
  if (const cudaError_t code = record_of<kernel>().allow(limits, most_bytes)) {
    return {code, "preparing the row kernel failed"};
  }
  const std::int64_t num_tiles = scan.shape.outer * plan.tiles_per_row;
  if (num_tiles > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  const std::size_t states_bytes =
      plan.tiles_per_row > 1 ? tile_states<typename Tensor::T>::required_bytes(num_tiles) : 0;
  to.template set_with_states<kernel>(
      {num_tiles, plan.warps * warp_size, plan.warps * warp_bytes, most_bytes}, states_bytes,
      rounds(scan, plan));
  return {};
}
/// By one of these two, which have one order; `chosen`: whether these rows are theirs here.
template <class Launch, class Tensor>
status choose_long_rows(Launch& to, const Tensor& scan, const device_limits& limits, bool& chosen) {
  using tuned = tuned_for_recurrences<Tensor>;
  constexpr int bytes = tuned::element_bytes;
  const std::int64_t length = scan.shape.length;
  chosen = limits.ring_bytes_of_block > 0 && scan.shape.inner == 1 && is_long_row(length, bytes) &&
           record_of<row_round_kernel<row_round_cut<tuned, Tensor>>>().is_for_90(limits);
  if (!chosen) return {};
  const round_plan plan = plan_rounds(vectors_of(length, bytes), bytes);
  if (is_ring_faster_for_long(plan, scan.shape.outer * length * bytes, bytes,
                              rows_are_whole(scan))) {
    bool has_room = false;
    const status found = choose_ring_rows(to, scan, limits, has_room);
    if (has_room || !found.ok()) return found;
  }
  return choose_row_rounds(to, scan, plan, limits);
}

/// Whether rows that have a kernel of their own are better walked: where results do not lie as
/// items do, so that they cannot take their place, and rows are many; of integers. (Minima and
/// maxima of floats lose as much as they gain: bench/NOTES.md, "Rows in the ring".)
template <class Tensor>
bool gains_by_walk(const Tensor& scan, const device_limits& limits) noexcept {
  using in_type = typename Tensor::in_type;
  if constexpr (!is_exact<Tensor> || !std::is_integral_v<typename Tensor::T> ||
                !in_arrays<Tensor> || sizeof(in_type) != sizeof(typename Tensor::out_type)) {
    return false;
  } else {
    const std::int64_t vectors = vectors_of(scan.shape.length, sizeof(in_type));
    return scan.shape.outer >= std::int64_t{least_walked_rows} * limits.sm_count &&
           scan.shape.outer <= INT32_MAX && vectors > short_row_vectors &&
           vectors < INT32_MAX / 2 && !rows_are_alike(scan);
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
