// The launches of columns: of tiles in shared memory, rings, and in registers.
#ifndef SCAN_DEVICE_LAUNCH_COLUMN_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_COLUMN_CHOICE_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/device/fold/packed.cuh"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/tensor/column_kernel.cuh"
#include "scan/device/tensor/column_ring_kernel.cuh"
#include "scan/device/tensor/held_columns.cuh"
#include "scan/device/tensor/strip_ring_kernel.cuh"
#include "scan/device/walk/column_walk_cut.cuh"
#include "scan/operators.hpp"
#include "scan/status.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether kernels take a tensor's types that hold rows in registers, of sizes that these hold.
/// Others than of integers have no functions, operators or types of the caller's: products of
/// theirs might be fused with sums there and not in tiles, and bits are not to depend on who has a
/// column.
template <class Tensor>
constexpr bool fits_registers() {
  constexpr auto fits = [](std::size_t bytes) { return bytes <= 8 && (bytes & (bytes - 1)) == 0; };
  if constexpr (Tensor::num_outputs > 1 || !fits(sizeof(typename Tensor::in_type)) ||
                !fits(sizeof(typename Tensor::out_type))) {
    return false;
  } else if constexpr (Tensor::is_recurrence || std::is_integral_v<typename Tensor::T>) {
    return true;
  } else {
    using T = typename Tensor::T;
    constexpr bool is_plain = is_number<T> || is_narrow_float<T>;
    return is_plain && is_own_operator<typename bare<typename Tensor::op_type>::type> &&
           std::is_same_v<std::decay_t<decltype(Tensor::in.function)>, as_is> &&
           std::is_same_v<std::decay_t<decltype(Tensor::out.function)>, as_is>;
  }
}

/// Whether misaligned lines are better copied by granules, which takes room. Words of 4 bytes are
/// as good for short lines, and whole tiles that are one long line begin and end in few granules.
template <class Problem>
constexpr bool gains_by_room(const Problem& tiled) noexcept {
  if (tiled.cut.strips == 1) return tiled.cut.groups == 1;
  return std::min(Problem::sizes.in, Problem::sizes.out) < 4 ||
         tiled.cut.width * Problem::sizes.in > 128;
}

/// With room for lines where that pays; with it a tile may take more than CUDA grants unasked,
/// which `kernel` is allowed.
template <auto kernel, class Problem>
Problem with_room(const Problem& tiled, const device_limits& limits) noexcept {
  if (tiled.aligned_to_granules() || !gains_by_room(tiled) || limits.ring_bytes_of_block == 0) {
    return tiled;
  }
  Problem roomy = tiled;
  const bool has_room = roomy.make_room() && roomy.shared_bytes() <= most_roomy_bytes &&
                        record_of<kernel>().allow(limits, most_roomy_bytes) == cudaSuccess;
  return has_room ? roomy : tiled;
}

/// A tile a block, through shared memory. `Problem` is a column_cut.
template <class Launch, class Problem>
status choose_column_tiles(Launch& to, const Problem& given, const device_limits& limits) {
  constexpr auto kernel = column_kernel<Problem>;
  const Problem tiled = with_room<kernel>(given, limits);
  const grid blocks{tiled.cut.num_tiles(), Problem::threads, tiled.shared_bytes(),
                    tiled.has_room ? most_roomy_bytes : 0};
  to.template set_with_states<kernel>(blocks, tiled.cut.states_bytes(Problem::sizes.value), tiled);
  return {};
}

/// The sequences of a tensor whose extents are positive, inner 2 or more; a tile a block. `scan` is
/// a tensor_problem. `is_long`: as sequences of any greater length; `backwards`: see column_cut.
template <class Launch, class Tensor>
status choose_columns(Launch& to, const Tensor& scan, const device_limits& limits, bool is_long,
                      bool backwards) {
  using problem = column_cut<Tensor>;
  const problem given(scan, limits.sm_count, is_long, backwards);
  if (given.cut.num_tiles() > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  return choose_column_tiles(to, given, limits);
}

// ---- In the rings: narrow ones, and wide ones. ----

/// Whether the ring takes narrow columns of a tensor's types; then whether a tensor's are its.
template <class Tensor>
constexpr bool fits_column_ring() {
  using in_type = typename Tensor::in_type;
  using out_type = typename Tensor::out_type;
  constexpr bool takes = column_ring_takes(sizeof(in_type), sizeof(out_type),
                                           sizeof(typename Tensor::T), Tensor::run_inputs);
  // (Results that take items' place are to be aligned there.)
  constexpr bool lie = sizeof(in_type) != sizeof(out_type) || alignof(in_type) >= alignof(out_type);
  if constexpr (Tensor::is_recurrence) {
    return takes && Tensor::num_outputs == 1;
  } else {
    return takes && lie && in_ring<Tensor>;
  }
}
template <class Tensor>
bool is_in_column_ring(const Tensor& scan, const device_limits& limits) noexcept {
  return limits.ring_bytes_of_block > 0 && scan.shape.inner > 1 &&
         goes_in_column_ring(scan.shape.length, scan.shape.inner, sizeof(typename Tensor::in_type),
                             sizeof(typename Tensor::out_type));
}
/// Persistent blocks; `scan` goes forwards. `backwards`: see column_ring_cut. `chosen`: whether the
/// kernel has the ring, which code for older GPUs has not.
template <class Launch, class Tensor>
status choose_column_ring(Launch& to, const Tensor& scan, bool backwards,
                          const device_limits& limits, bool& chosen) {
  using tiled = column_ring_cut<Tensor>;
  using block = column_ring<tiled>;
  constexpr auto kernel = column_ring_kernel<tiled>;
  std::size_t most_bytes = 0;
  if (const cudaError_t code = record_of<kernel>().allow_ring(limits, most_bytes)) {
    return {code, "preparing the column kernel failed"};
  }
  const int num_stages = block::stages_in(most_bytes);
  chosen = num_stages > 0;
  if (!chosen) return {};
  const tiled cut(scan, backwards);
  const grid blocks{std::min<std::int64_t>(cut.num_tiles, limits.sm_count),
                    tiled::ring.threads_per_block(),
                    num_stages * sizeof(typename block::stage_type), most_bytes};
  to.template set_with_states<kernel>(
      blocks, column_ring_states_bytes(cut.num_tiles, scan.shape.inner, sizeof(typename tiled::T)),
      cut, num_stages);
  return {};
}

/// The same of wide ones.
template <class Tensor>
bool is_in_strips(const Tensor& scan, const device_limits& limits) noexcept {
  return limits.ring_bytes_of_block > 0 &&
         goes_in_strips(scan.shape.length, scan.shape.inner, sizeof(typename Tensor::in_type),
                        Tensor::run_inputs);
}
template <class Launch, class Tensor>
status choose_strip_ring(Launch& to, const Tensor& scan, bool backwards,
                         const device_limits& limits, bool& chosen) {
  using tiled = strip_cut<Tensor>;
  using block = strip_ring<tiled>;
  constexpr auto kernel = strip_ring_kernel<tiled>;
  std::size_t most_bytes = 0;
  if (const cudaError_t code = record_of<kernel>().allow_ring(limits, most_bytes)) {
    return {code, "preparing the column kernel failed"};
  }
  chosen = most_bytes > 0;  // (code for older GPUs has no ring)
  if (!chosen) return {};
  tiled cut(scan, backwards, limits);
  if (cut.num_tiles > INT32_MAX || scan.shape.outer > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel counts"};
  }
  if (const status described = cut.describe_arrays(limits.device); !described.ok()) {
    return described;
  }
  const int num_stages = block::stages_in(most_bytes, cut);
  const grid blocks{
      std::min<std::int64_t>(cut.num_tiles, limits.sm_count), tiled::ring.threads_per_block(),
      static_cast<std::size_t>(num_stages) * block::stage_type::bytes_with_lines(cut), most_bytes};
  to.template set_with_states<kernel>(
      blocks,
      strip_states_bytes(cut.plan.tiles, cut.num_strips * cut.plan.width,
                         sizeof(typename tiled::T)),
      cut, num_stages);
  return {};
}

// ---- Few columns, in registers. ----

/// Whether a tensor's sequences have the order of walks, whatever is asked for.
template <class Tensor>
bool walks(const Tensor& scan) noexcept {
  const std::int64_t length = scan.shape.length, inner = scan.shape.inner;
  if (inner == 1) return Tensor::is_recurrence;
  return Tensor::is_recurrence
             ? walks_recurrences(length, inner, sizeof(typename Tensor::out_type))
             : walks_sums(length, inner, sizeof(typename Tensor::in_type),
                          sizeof(typename Tensor::out_type), sizeof(typename Tensor::T));
}

/// In which order columns are folded, but those of lanes and in the ring for narrow ones.
/// `has_rings`: the kernels' code does, which for older GPUs has not.
template <class Tensor>
column_order order_of_columns(const Tensor& scan, const device_limits& limits, bool has_rings) {
  using tiled = column_cut<Tensor>;
  constexpr column_sizes sizes = tiled::sizes;
  const std::int64_t length = scan.shape.length, inner = scan.shape.inner;
  if constexpr (fits_column_ring<Tensor>()) {
    if (is_in_column_ring(scan, limits)) return {};
    if (has_rings && is_in_strips(scan, limits)) {
      return strip_order(plan_strips(strip_tuning_for(sizes.in, Tensor::run_inputs), sizes.in,
                                     Tensor::run_inputs, length, inner));
    }
  }
  if (walks(scan)) return walk_order(sizes, Tensor::run_inputs);
  return tile_order(cut_columns(tiled::tuned, scan.shape.outer, length, inner));
}
/// Registers for few columns, whose order is that of who has more of them. `chosen`: whether these
/// are so few.
template <class Launch, class Tensor>
status choose_held_columns(Launch& to, const Tensor& scan, bool backwards,
                           const device_limits& limits, bool& chosen) {
  if constexpr (fits_registers<Tensor>()) {
    using held = held_column_cut<Tensor>;
    const auto plan_with = [&](bool has_rings) {
      return hold_columns(order_of_columns(scan, limits, has_rings), held::sizes, scan.shape,
                          rows_fill_sectors(scan), limits.sm_count);
    };
    held_plan plan = plan_with(true);
    if constexpr (fits_column_ring<Tensor>()) {
      if (plan.column_threads > 0 && plan.order.of == column_carrier::strips) {
        // (As who has more of them finds out: the order is to be the same.)
        constexpr auto kernel = strip_ring_kernel<strip_cut<Tensor>>;
        std::size_t ring_bytes = 0;
        if (const cudaError_t code = record_of<kernel>().allow_ring(limits, ring_bytes)) {
          return {code, "preparing the column kernel failed"};
        }
        if (ring_bytes == 0) plan = plan_with(false);
      }
    }
    chosen = plan.column_threads > 0;
    if (!chosen) return {};
    const held cut(scan, plan, backwards);
    const grid blocks{(cut.num_columns - 1) / plan.width + 1, whole_warps(plan.num_threads()),
                      plan.shared_bytes(held::sizes.value)};
    to.template set<held_column_kernel<held>>(blocks, cut);
  }
  return {};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
