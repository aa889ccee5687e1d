// The launches of rows of scans, and of short rows of any kind.
#ifndef SCAN_DEVICE_LAUNCH_ROW_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_ROW_CHOICE_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/round_choice.cuh"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/held_shares.cuh"
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

/// Rows that fit a warp's lanes. `extra_output`: each has one result more.
template <class Launch, class Tensor>
status choose_short_rows(Launch& to, const Tensor& scan, bool extra_output,
                         const device_limits& limits) {
  using walk = short_row_walk_cut<Tensor>;
  using tile = short_row_tile_cut<Tensor>;
  if (Tensor::num_outputs > 1 || walk::takes(scan, extra_output)) {
    const walk cut(scan, extra_output, limits.sm_count);
    return choose_stretches<short_row_walk_kernel<walk>>(to, cut, 0);
  }
  if constexpr (Tensor::num_outputs == 1) {
    const tile cut(scan, extra_output, limits.sm_count);
    return choose_stretches<short_row_tile_kernel<tile>>(to, cut, cut.warp_bytes);
  }
  return {};
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

template <class T>
inline constexpr bool is_plain_number = is_number<T> || is_narrow_float<T>;
/// Whether kernels take a tensor's types that hold shares in registers: numbers as they lie there,
/// of which vectors are words. By the library's operators alone, which may see what lies behind a
/// row's items; and cut as rows are, whose elements may have wider values.
template <int element_bytes, class Tensor>
constexpr bool in_held_shares() {
  if constexpr (in_arrays<Tensor>) {
    using in_type = typename Tensor::in_type;
    return is_own_operator<typename bare<typename Tensor::op_type>::type> &&
           is_plain_number<typename Tensor::T> && is_plain_number<in_type> &&
           is_plain_number<typename Tensor::out_type> &&
           std::is_same_v<std::decay_t<decltype(Tensor::in.function)>, as_is> &&
           std::is_same_v<std::decay_t<decltype(Tensor::out.function)>, as_is> &&
           walked_bytes<Tensor> == element_bytes &&
           sizeof(in_type) * vector_items_for(element_bytes) >= 4;
  } else {
    return false;
  }
}
template <class Tensor>
rows_lie how_rows_lie(const Tensor& scan) noexcept {
  if (rows_are_whole(scan)) return rows_lie::whole;
  return rows_are_alike(scan) ? rows_lie::alike : rows_lie::anywhere;
}
/// Warps of their blocks at most.
inline int most_held_warps(int element_bytes, const device_limits& limits) noexcept {
  return limits.ring_bytes_of_block > 0 ? most_round_warps(element_bytes) : tile_warps;
}
/// The launch of rows in registers, of which a block has `rows`, or a part of one.
template <class Cut, class Launch, class Tensor>
status set_held_shares(Launch& to, const Tensor& scan, const held_shares_plan& held, int rows) {
  const std::int64_t num_blocks = tiles_of(scan.shape.outer, rows) * held.blocks;
  if (num_blocks > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more rows than a kernel has blocks"};
  }
  const int warps = rows * held.warps();
  to.template set<held_shares_kernel<Cut>>(
      {num_blocks, warps * warp_size, warps * Cut::warp_bytes, Cut::most_warps * Cut::warp_bytes,
       Cut::is_spread ? held.blocks : 0},
      Cut(scan, held, rows));
  return {};
}
/// In registers, if that is faster, which `chosen` becomes: a block a row, or some.
template <class Cut, bool widens, class Launch, class Tensor>
status choose_held_shares(Launch& to, const Tensor& scan, const held_shares_plan& held,
                          const device_limits& limits, bool& chosen) {
  const std::int64_t num_rows = scan.shape.outer;
  chosen = are_shares_held(held, num_rows, scan.shape.length, Cut::element_bytes, widens,
                           how_rows_lie(scan));
  if (!chosen) return {};
  // (Without the ring blocks are smaller.)
  if (limits.ring_bytes_of_block > 0) {
    if (const cudaError_t code =
            record_of<held_shares_kernel<Cut>>().allow(limits, Cut::most_warps * Cut::warp_bytes)) {
      return {code, "preparing the row kernel failed"};
    }
  }
  return set_held_shares<Cut>(
      to, scan, held,
      round_block_rows({held_share_vectors, held.warps(), 1}, num_rows, limits.sm_count));
}
/// The same of a cluster a row.
template <class Cut, bool widens, class Launch, class Tensor>
status choose_spread_shares(Launch& to, const Tensor& scan, const row_plan& plan,
                            held_shares_plan& held, const device_limits& limits, bool& chosen) {
  const kernel_record record = record_of<held_shares_kernel<Cut>>();
  constexpr int most_warps = Cut::most_warps;
  constexpr std::size_t most_bytes = most_warps * Cut::warp_bytes;
  const std::int64_t num_bytes = scan.shape.outer * scan.shape.length * Cut::element_bytes;
  chosen = limits.ring_bytes_of_block > 0 && limits.waits_for_room &&
           are_rows_spread(plan, num_bytes, Cut::element_bytes, widens, how_rows_lie(scan)) &&
           record.is_for_90(limits);
  if (!chosen) return {};
  if (const cudaError_t code = record.allow(limits, most_bytes)) {
    return {code, "preparing the row kernel failed"};
  }
  if (!spread(held, least_spread_warps, some_spread_warps, most_cluster_blocks)) {
    const auto is_wide = [&] {
      if (!spread(held, some_spread_warps, most_warps, most_wide_cluster_blocks)) return false;
      const int at_once = record.allow_wide_clusters(
          limits, {held.blocks, held.warps() * warp_size, held.warps() * Cut::warp_bytes,
                   most_bytes, held.blocks});
      // (Of large ones a second round would take as long as the first, however few are left.)
      return at_once > 0 && (held.warps() <= some_spread_warps || scan.shape.outer <= at_once);
    };
    chosen = num_bytes < most_clustered_bytes &&
             (is_wide() || spread(held, least_spread_warps, most_warps, most_cluster_blocks));
    if (!chosen) return {};
  }
  return set_held_shares<Cut>(to, scan, held, 1);
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
    if (short_row_walk_cut<Tensor>::takes(scan, extra_output) ||
        !is_short_row_wave(scan.shape.outer, plan.tile_vectors, Tuned::element_bytes,
                           rows_are_whole(scan), limits.sm_count)) {
      return choose_short_rows(to, scan, extra_output, limits);
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
        using block = held_shares_cut<Tensor, stripes.value, false>;
        using cluster = held_shares_cut<Tensor, stripes.value, true>;
        constexpr int bytes = Tuned::element_bytes;
        static_assert(block::element_bytes == bytes);
        held_shares_plan held = hold_shares(plan, scan.shape.length, bytes);
        if (held.warps() <= most_held_warps(bytes, limits)) {
          return choose_held_shares<block, Tuned::widens>(to, scan, held, limits, chosen);
        }
        return choose_spread_shares<cluster, Tuned::widens>(to, scan, plan, held, limits, chosen);
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
