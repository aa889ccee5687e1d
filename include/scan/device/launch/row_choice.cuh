// The launches of rows of scans, and of short rows of any kind.
#ifndef SCAN_DEVICE_LAUNCH_ROW_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_ROW_CHOICE_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/held_choice.cuh"
#include "scan/device/launch/round_choice.cuh"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/row_kernel.cuh"
#include "scan/device/walk/short_row_tile.cuh"
#include "scan/device/walk/short_row_walk.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp a stretch of rows, which takes so much of shared memory.
template <auto kernel, class Launch, class Cut>
status choose_stretches(Launch& to, const Cut& cut, int warp_bytes) {
  if (cut.num_blocks() > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  to.template set<kernel>(
      {cut.num_blocks(), cut.warps * warp_size, static_cast<std::size_t>(cut.warps) * warp_bytes},
      cut);
  return {};
}

/// In shared memory. `extra_output`: each row has one result more.
template <class Launch, class Tensor>
status choose_row_stretches(Launch& to, const Tensor& scan, bool extra_output,
                            const device_limits& limits) {
  using tile = short_row_tile_cut<Tensor>;
  const tile cut(scan, extra_output, limits.sm_count);
  return choose_stretches<short_row_tile_kernel<tile>>(to, cut, cut.warp_bytes);
}
/// In registers, which short_row_walk_cut says whether it takes.
template <class Launch, class Tensor>
status choose_row_vectors(Launch& to, const Tensor& scan, bool extra_output,
                          const device_limits& limits) {
  using walk = short_row_walk_cut<Tensor>;
  const walk cut(scan, extra_output, limits.sm_count);
  return choose_stretches<short_row_walk_kernel<walk>>(to, cut, 0);
}

/// A block a row; of rows that are one tile, of one vector a thread.
template <int element_bytes, class Launch, class Tensor>
void choose_row_waves(Launch& to, const Tensor& scan, const row_plan& plan) {
  to.template set<row_wave_kernel<row_wave_tuning<element_bytes>, Tensor>>(
      {scan.shape.outer, whole_warps(plan.tile_vectors)}, scan, plan.tile_vectors);
}

/// A block a group of tiles.
template <int element_bytes, int stripes, class Launch, class Tensor>
status choose_row_groups(Launch& to, const Tensor& scan, const row_plan& plan,
                         const device_limits& limits) {
  using tiled = row_cut<element_bytes, stripes, Tensor>;
  using tiles = row_tiles<tiled>;
  constexpr auto kernel = row_kernel<tiled>;
  // Large blocks are for devices that have a ring, and so room enough.
  const int most_threads = limits.ring_bytes_of_block > 0 ? tiled::most_threads : row_block_threads;
  const std::size_t most_bytes = tiles::required_bytes(most_threads);
  if (const cudaError_t code = record_of<kernel>().allow(limits, most_bytes)) {
    return {code, "preparing the row kernel failed"};
  }
  const std::int64_t num_states = plan.num_states(scan.shape.outer);
  const grid blocks{plan.num_groups, plan.threads_per_block,
                    static_cast<std::size_t>(tiles::required_bytes(plan.threads_per_block)),
                    most_bytes};
  to.template set_with_states<kernel>(
      blocks, num_states > 0 ? tile_states<typename Tensor::T>::required_bytes(num_states) : 0,
      tiled(scan, plan));
  return {};
}

template <class Tensor>
constexpr int most_row_stripes(int element_bytes) {
  return in_rounds<Tensor> ? 1 : most_wave_stripes(element_bytes);
}
/// By one of these two, with as many stripes as the plan says: `stripes`, or more.
template <class Tuned, int stripes = 1, class Launch, class Tensor>
status choose_row_tiles(Launch& to, const Tensor& scan, const row_plan& plan,
                        const device_limits& limits) {
  constexpr int bytes = Tuned::element_bytes;
  if constexpr (stripes > most_row_stripes<Tensor>(bytes)) {
    return {cudaErrorUnknown, "row plan: no kernel has so many rows"};
  } else {
    if constexpr (stripes == 1) {
      if (is_row_wave(plan, scan.shape.outer, limits.sm_count)) {
        choose_row_waves<bytes>(to, scan, plan);
        return {};
      }
    }
    if constexpr (has_wave_stripes(bytes, stripes)) {
      if (plan.stripes == stripes) return choose_row_groups<bytes, stripes>(to, scan, plan, limits);
    }
    return choose_row_tiles<Tuned, 2 * stripes>(to, scan, plan, limits);
  }
}

/// The kernel of rows. `part`: see slice_problem.cuh, or null.
template <class Tuned, class Launch, class Tensor>
status choose_rows(Launch& to, const Tensor& scan, bool extra_output, const device_limits& limits,
                   const slice_part* part) {
  const bool is_long = part != nullptr && part->is_long;
  const auto plan_with = [&](bool has_ring) {
    return plan_rows(scan.shape.outer, scan.shape.length, Tuned::element_bytes, has_ring,
                     limits.sm_count, is_long);
  };
  bool has_ring = false;
  if constexpr (in_ring<Tensor>) {
    has_ring = limits.ring_bytes_of_block > 0 && (!is_long || part->in_ring);
  }
  row_plan plan = plan_with(has_ring);
  if (part == nullptr && gains_by_ring<Tuned>(scan, limits)) plan.kernel = row_kernel_kind::ring;
  if (plan.kernel == row_kernel_kind::short_rows) {
    if (short_row_walk_cut<Tensor>::takes(scan, extra_output)) {
      return choose_row_vectors(to, scan, extra_output, limits);
    }
    if (!is_short_row_wave(scan.shape.outer, plan.tile_vectors, Tuned::element_bytes,
                           rows_are_whole(scan), limits.sm_count)) {
      return choose_row_stretches(to, scan, extra_output, limits);
    }
    choose_row_waves<Tuned::element_bytes>(to, scan, plan);
    return {};
  }
  if constexpr (in_ring<Tensor>) {
    if (plan.kernel == row_kernel_kind::ring) {
      using tiled = ring_rows<Tuned, Tensor>;
      ring_room room;
      if (const status found = find_room<tiled>(limits, room); !found.ok()) return found;
      if (room.num_stages > 0) {
        choose_ring(to, tiled(scan), limits.sm_count, room);
        return {};
      }
      plan = plan_with(false);  // (of the ring it says no more than that)
    }
  }
  if constexpr (in_rounds<Tensor>) {
    if (plan.stripes > 1 ||
        (part == nullptr && gains_by_rounds(scan, plan, limits.ring_bytes_of_block > 0))) {
      return choose_exact_rounds(to, scan, limits);
    }
  }
  if constexpr (in_held_shares<Tuned::element_bytes, Tensor>()) {
    const bool is_wave = is_row_wave(plan, scan.shape.outer, limits.sm_count) &&
                         !are_many_for_row_waves(plan, scan.shape.outer, limits.sm_count);
    if (part == nullptr && !is_wave && plan.stripes <= most_held_stripes) {
      bool chosen = false;
      const auto choose = [&](auto stripes) {
        using block = held_shares_cut<Tensor, stripes.value, row_blocks::one>;
        constexpr int bytes = Tuned::element_bytes;
        static_assert(block::element_bytes == bytes);
        const held_shares_plan held = hold_shares(plan, scan.shape.length, bytes);
        if (held.warps() <= most_held_warps(bytes, limits)) {
          return choose_held_shares<block, Tuned::widens>(to, scan, held, limits, chosen);
        }
        return choose_spread_shares<Tensor, stripes.value, Tuned::widens>(to, scan, plan, held,
                                                                          limits, chosen);
      };
      status found;
      if (plan.stripes == 1) {
        found = choose(std::integral_constant<int, 1>{});
      } else if constexpr (!in_rounds<Tensor>) {  // (which have pairs)
        found = choose(std::integral_constant<int, most_held_stripes>{});
      }
      if (chosen || !found.ok()) return found;
    }
  }
  if (part == nullptr && are_two_shares(plan) &&
      !is_row_wave(plan, scan.shape.outer, limits.sm_count) &&
      !short_row_walk_cut<Tensor>::takes(scan, extra_output)) {
    return choose_row_stretches(to, scan, extra_output, limits);
  }
  return choose_row_tiles<Tuned>(to, scan, plan, limits);
}

/// Loads their kernels: see kernel_record.
template <class Tuned, class Tensor, int stripes = 1>
void load_rows(const device_limits& limits) noexcept {
  constexpr int bytes = Tuned::element_bytes;
  if constexpr (stripes == 1) {
    record_of<short_row_walk_kernel<short_row_walk_cut<Tensor>>>().load(limits);
    record_of<short_row_tile_kernel<short_row_tile_cut<Tensor>>>().load(limits);
    record_of<row_wave_kernel<row_wave_tuning<bytes>, Tensor>>().load(limits);
    if constexpr (in_rounds<Tensor>) {
      using rounds = row_round_cut<Tensor, most_round_run(1), true>;
      record_of<row_round_kernel<rounds>>().load(limits);
    }
    if constexpr (in_ring<Tensor>) {
      ring_room room;
      static_cast<void>(find_room<ring_rows<Tuned, Tensor>>(limits, room));
    }
  }
  if constexpr (stripes <= most_row_stripes<Tensor>(bytes)) {
    if constexpr (has_wave_stripes(bytes, stripes)) {
      record_of<row_kernel<row_cut<bytes, stripes, Tensor>>>().load(limits);
    }
    load_rows<Tuned, Tensor, 2 * stripes>(limits);
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
