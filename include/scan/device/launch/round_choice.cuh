// The launches of rounds: of recurrences along rows, or these in the ring, and of rows of any
// order.
#ifndef SCAN_DEVICE_LAUNCH_ROUND_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_ROUND_CHOICE_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/move/row_arrays.cuh"
#include "scan/device/plan/round_plan.hpp"
#include "scan/device/plan/row_plan.hpp"
#include "scan/device/walk/held_row.cuh"
#include "scan/device/walk/row_round.cuh"
#include "scan/device/walk/walk_vectors.cuh"
#include "scan/operators.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The kernel of a row_round_cut.
template <class Cut>
constexpr auto round_kernel_of() {
  if constexpr (Cut::looks_back) {
    return row_round_kernel<Cut>;
  } else {
    return held_row_kernel<Cut>;
  }
}
/// Whether clusters have rows of several tiles, a block a tile.
template <class Cut>
bool has_clusters(const round_plan& plan, const tensor_shape& shape,
                  const device_limits& limits) noexcept {
  const std::int64_t num_bytes = shape.outer * shape.length * Cut::element_bytes;
  const kernel_record record = record_of<round_kernel_of<Cut>()>();
  if (!limits.waits_for_room ||
      !are_clusters_faster(plan, shape.outer, num_bytes, Cut::element_bytes, limits.sm_count)) {
    return false;
  }
  const auto num_blocks = static_cast<int>(plan.tiles_per_row);
  if (num_blocks <= most_cluster_blocks) return record.is_for_90(limits);
  return record.allow_wide_clusters(
             limits, {num_blocks, plan.warps * warp_size, plan.warps * Cut::warp_bytes,
                      Cut::most_warps * Cut::warp_bytes, num_blocks}) > 0;
}
/// A block a tile, or some rows, of runs of so many vectors.
template <int run, bool looks_back, class Launch, class Tensor>
status choose_row_rounds(Launch& to, const Tensor& scan, round_plan plan,
                         const device_limits& limits) {
  using rounds = row_round_cut<Tensor, run, looks_back>;
  constexpr auto kernel = round_kernel_of<rounds>();
  constexpr std::size_t most_bytes = rounds::most_warps * rounds::warp_bytes;
  // (Without the ring blocks are smaller.)
  if (limits.ring_bytes_of_block > 0) {
    if (const cudaError_t code = record_of<kernel>().allow(limits, most_bytes)) {
      return {code, "preparing the row kernel failed"};
    }
  }
  if constexpr (looks_back) {
    plan.in_clusters = has_clusters<rounds>(plan, scan.shape, limits);
  }
  const int rows = round_block_rows(plan, scan.shape.outer, limits.sm_count);
  const std::int64_t most_rows = INT32_MAX / plan.tiles_per_row;
  if (plan.tiles_per_row > INT32_MAX || scan.shape.outer > most_rows * rows) {
    return {cudaErrorInvalidValue, "extents: more rows or tiles than a kernel has blocks"};
  }
  const std::int64_t num_blocks = tiles_of(scan.shape.outer, rows) * plan.tiles_per_row;
  const int warps = rows * plan.warps;
  const grid blocks{num_blocks, warps * warp_size, warps * rounds::warp_bytes, most_bytes,
                    plan.in_clusters ? static_cast<int>(plan.tiles_per_row) : 0};
  const rounds cut(scan, plan, rows);
  if constexpr (looks_back) {
    to.template set_with_states<kernel>(
        blocks,
        plan.tiles_per_row > 1 && !plan.in_clusters
            ? tile_states<typename Tensor::T>::required_bytes(num_blocks)
            : 0,
        cut);
  } else {
    to.template set<kernel>(blocks, cut);
  }
  return {};
}

// ---- Rows of recurrences. ----

template <class Tensor>
struct tuned_for_recurrences {
  static constexpr int element_bytes = walked_bytes<Tensor>;
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
/// By one of these two, which have one order.
template <class Launch, class Tensor>
status choose_long_rows(Launch& to, const Tensor& scan, const device_limits& limits) {
  constexpr int bytes = walked_bytes<Tensor>;
  const bool has_ring = limits.ring_bytes_of_block > 0;
  const round_plan plan =
      plan_rounds(vectors_of(scan.shape.length, bytes), bytes, Tensor::num_inputs, has_ring);
  if constexpr (Tensor::num_outputs == 1) {
    if (has_ring && is_ring_faster_for_long(plan, scan.shape.outer * scan.shape.length * bytes,
                                            bytes, rows_are_whole(scan))) {
      bool chosen = false;
      const status found = choose_ring_rows(to, scan, limits, chosen);
      if (chosen || !found.ok()) return found;
    }
  }
  constexpr int most_run = most_round_run(Tensor::num_inputs);
  if (!are_rows_held(plan, scan.shape.outer, limits.sm_count)) {
    return choose_row_rounds<most_run, true>(to, scan, plan, limits);
  }
  if (plan.run == 2) return choose_row_rounds<2, false>(to, scan, plan, limits);
  if (plan.run < most_run) return choose_row_rounds<3, false>(to, scan, plan, limits);
  return choose_row_rounds<most_run, false>(to, scan, plan, limits);
}

// ---- Rows of which every order gives the same bits. ----

/// Whether rows may have any order: with the library's operators of integers, and minima and maxima
/// of floats (of which the first NaN stays), every one gives the same bits.
template <class T, class Op>
constexpr bool is_exact_operator() {
  constexpr bool selects = std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;
  return (is_own_operator<Op> && std::is_integral_v<T>) ||
         (selects && (std::is_floating_point_v<T> || is_narrow_float<T>));
}
template <class Tensor>
inline constexpr bool is_exact =
    is_exact_operator<typename Tensor::T, typename bare<typename Tensor::op_type>::type>();
/// Whether those that are one-sequence calls of the wave, by their length, are the ring's.
template <class Tuned, class Tensor>
bool gains_by_ring(const Tensor& scan, const device_limits& limits) noexcept {
  if constexpr (is_exact<Tensor> && in_ring<Tensor>) {
    return limits.ring_bytes_of_block > 0 &&
           is_ring_faster(scan.shape.outer, scan.shape.length, Tuned::element_bytes,
                          Tuned::ring.tile_items());
  } else {
    return false;
  }
}

/// Whether they go by rounds where these are faster, or a thread that holds them as the wave would
/// had several stripes.
template <class Tensor>
inline constexpr bool in_rounds = is_exact<Tensor>&& in_ring<Tensor> &&
                                  sizeof(typename Tensor::in_type) ==
                                      sizeof(typename Tensor::out_type);
template <class Tensor>
bool gains_by_rounds(const Tensor& scan, const row_plan& otherwise, bool has_ring) noexcept {
  const bool several = has_ring && otherwise.tiles_per_row > 1;  // (without: not measured)
  return is_round_faster(scan.shape.outer, scan.shape.length, walked_bytes<Tensor>,
                         rows_are_whole(scan), rows_are_alike(scan), several);
}
template <class Launch, class Tensor>
status choose_exact_rounds(Launch& to, const Tensor& scan, const device_limits& limits) {
  constexpr int bytes = walked_bytes<Tensor>;
  const round_plan plan =
      plan_rounds(vectors_of(scan.shape.length, bytes), bytes, 1, limits.ring_bytes_of_block > 0);
  return choose_row_rounds<most_round_run(1), true>(to, scan, plan, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
