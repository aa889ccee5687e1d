// From the arguments of a call for one sequence to its kernel: check, describe, choose, enqueue.
#ifndef SCAN_DEVICE_LAUNCH_SEQUENCE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_SEQUENCE_LAUNCH_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/call/entries.hpp"
#include "scan/call/problem.hpp"
#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/sequence/look_back_kernel.cuh"
#include "scan/device/sequence/ring_kernel.cuh"
#include "scan/device/sequence/wave_kernel.cuh"
#include "scan/options.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The launch shape of a scan: by its widest element.
template <class Input, class Output, class Types = scan_types<Input, Output>>
using tuned_for = tuned<Types::widest, (sizeof(typename Types::in) < sizeof(typename Types::out))>;

// ---- One function a kernel: `to` becomes its launch. ----

/// What a block has for its ring of tiles: shared memory, and stages in it; 0: there is no ring.
struct ring_room {
  std::size_t num_bytes = 0;
  int num_stages = 0;
};
/// `heads_bytes`: see ring_block::required_bytes.
template <class Tiled>
status find_room(const device_limits& limits, ring_room& room,
                 std::size_t heads_bytes = 0) noexcept {
  const cudaError_t code = record_of<ring_kernel<Tiled>>().allow_ring(limits, room.num_bytes);
  room.num_stages = ring_block<Tiled>::stages_in(room.num_bytes, heads_bytes);
  return code == cudaSuccess ? status{} : status{code, "preparing the ring kernel failed"};
}

/// Persistent blocks with a ring of tiles in shared memory; `tiled` is a ring_cut, ring_rows or
/// segment_ring.
template <class Launch, class Tiled>
void choose_ring(Launch& to, const Tiled& tiled, std::int64_t most_blocks, const ring_room& room) {
  const grid blocks{std::min(tiled.num_tiles, most_blocks), Tiled::threads_per_block(),
                    ring_block<Tiled>::required_bytes(room.num_stages, tiled.heads_bytes()),
                    room.num_bytes};
  to.template set_with_states<ring_kernel<Tiled>>(
      blocks, tile_states<typename Tiled::T>::required_bytes(tiled.num_tiles), tiled,
      room.num_stages);
}

/// Persistent blocks that hold tiles in registers.
template <class Tuned, class Launch, class Problem>
void choose_look_back(Launch& to, const Problem& scan, const launch_plan& plan) {
  using tiled = register_cut<Tuned, Problem>;
  const grid blocks{std::min(plan.num_tiles, plan.most_blocks), plan.threads_per_block};
  tiled in_tiles(scan);
  in_tiles.num_draws = plan.num_tiles + blocks.num_blocks;
  to.template set_with_states<look_back_kernel<Tuned, tiled>>(blocks, plan.states_bytes, in_tiles);
}

/// A block a tile, whose threads have `stripes` stripes; few of them are a cluster where the kernel
/// has clusters.
template <class Tuned, int stripes, class Launch, class Problem>
void choose_wave(Launch& to, const Problem& scan, launch_plan& plan, const device_limits& limits) {
  if constexpr (stripes <= most_cluster_stripes) {
    using shape = typename Tuned::template cluster<stripes>;
    using tiled = wave_cut<shape, Problem>;
    constexpr auto kernel = cluster_kernel<tiled>;
    const bool is_alone = plan.num_tiles == 1;
    if (plan.in_cluster && (is_alone || record_of<kernel>().is_for_90(limits))) {
      grid blocks{plan.num_tiles, plan.threads_per_block};
      if (!is_alone) blocks.cluster_blocks = static_cast<int>(plan.num_tiles);
      to.template set<kernel>(blocks, tiled(scan, plan.tile_items / shape::vector_items));
      return;
    }
    if (plan.in_cluster) leave_cluster(plan, Tuned::element_bytes);
  }
  using shape = typename Tuned::template wave<stripes>;
  using tiled = wave_cut<shape, Problem>;
  to.template set_with_states<wave_kernel<tiled>>(
      {plan.num_tiles, plan.threads_per_block}, plan.states_bytes,
      tiled(scan, plan.tile_items / shape::vector_items));
}

/// The same with as many stripes as the plan says: `stripes`, or more.
template <class Tuned, int stripes = 1, class Launch, class Problem>
status choose_wave_stripes(Launch& to, const Problem& scan, launch_plan& plan,
                           const device_limits& limits) {
  if constexpr (!in_arrays<Problem> && stripes > most_cluster_stripes) {
    return {cudaErrorNotSupported,
            "options.algorithm: through iterators the wave takes no more than 1.1 MiB"};
  } else if constexpr (stripes > most_wave_stripes(Tuned::element_bytes)) {
    return {cudaErrorUnknown, "launch plan: no kernel has so many rows"};
  } else {
    if constexpr (has_wave_stripes(Tuned::element_bytes, stripes)) {
      if (plan.tile.stripes == stripes) {
        choose_wave<Tuned, stripes>(to, scan, plan, limits);
        return {};
      }
    }
    return choose_wave_stripes<Tuned, 2 * stripes>(to, scan, plan, limits);
  }
}

/// The kernel of a described scan on the current device. `most_blocks`: of the grid of persistent
/// blocks, which the result does not depend on.
template <class Tuned, class Problem>
status choose_sequence(launch_for<Problem>& to, Problem& scan,
                       const options<typename Problem::value_type>& opts,
                       const device_limits& limits, std::int64_t most_blocks = INT32_MAX) {
  constexpr int bytes = Tuned::element_bytes;
  static_assert(sizeof(typename Problem::T) <= std::max(bytes, 4));
  scan.init_pointer = opts.init_pointer;
  const std::int64_t n = scan.num_items;
  const bool has_ring = in_ring<Problem> && limits.ring_bytes_of_block > 0;
  algorithm kernel = kernel_for(n, bytes, has_ring, opts.algorithm);
  if constexpr (in_ring<Problem>) {
    if (has_ring && kernel == algorithm::ring) {
      using tiled = ring_cut<Tuned, Problem>;
      ring_room room;
      if (const status found = find_room<tiled>(limits, room); !found.ok()) return found;
      if (room.num_stages > 0) {
        choose_ring(to, tiled(scan), std::min<std::int64_t>(limits.sm_count, most_blocks), room);
        return {};
      }
      kernel = kernel_for(n, bytes, false, opts.algorithm);
    }
  }
  if (kernel == algorithm::walk) {
    return {cudaErrorNotSupported, "options.algorithm: walk is for tensors and recurrences"};
  }
  if (kernel == algorithm::ring) {
    return {cudaErrorNotSupported, "options.algorithm: no ring kernel for this device or type"};
  }
  launch_plan plan = plan_for(n, bytes, kernel, limits, Tuned::widens);
  if (kernel == algorithm::look_back) {
    plan.most_blocks = std::min(plan.most_blocks, most_blocks);
    choose_look_back<Tuned>(to, scan, plan);
    return {};
  }
  if (n / vector_items_for(bytes) > INT32_MAX / 2) {
    return {cudaErrorInvalidValue, "options.algorithm: the wave takes no more than 2^30 vectors"};
  }
  return choose_wave_stripes<Tuned>(to, scan, plan, limits);
}

// ---- The call. ----

/// Whether there are baselines for these: in libscan.a, or included here.
template <class Input, class Output, class Op>
inline constexpr bool has_baselines = included<baseline_scans, void(Input, Output, Op)>;
template <class In, class Out, class Op>
inline constexpr bool has_baselines<transform_input<In>, transform_output<Out>, Op> =
    is_baseline_held<In, Out, Op> || included<baseline_scans, void(In, Out, Op)>;

/// Scans by the baseline `opts.algorithm`; defined by src/baselines/baselines.cuh.
template <class Input, class Output, class Op>
status scan_by_baseline(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                        const options<typename scan_types<Input, Output>::value>& opts) noexcept;

/// A scan in device memory: `inclusive` and `exclusive` of scan.hpp.
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out, std::int64_t n,
                  Op op, const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  using shape = tuned_for<Input, Output>;
  const pending_error the_callers;
  if (const status checked = validate_scan<Op>(exclusive, in, out, n, opts); !checked.ok()) {
    return checked;
  }
  const bool writes = n > 0 || opts.complete || opts.total != nullptr;
  if (const status checked =
          check_call(opts, {{argument::input, {array_of(in.data), n}},
                            {argument::output, {array_of(out.data), n + opts.complete}},
                            {argument::init_pointer, {opts.init_pointer, writes ? 1 : 0}},
                            {argument::total, {opts.total, 1}}});
      !checked.ok()) {
    return checked;
  }
  if (!writes) return {};
  if (n > 0 && is_baseline(opts.algorithm)) {
    if constexpr (has_baselines<Input, Output, Op>) {
      return finish_call(scan_by_baseline(exclusive, in, out, n, op, opts), opts.stream);
    } else {
      return {cudaErrorNotSupported,
              "options.algorithm: libscan.a holds no baselines, or none for these types"};
    }
  }

  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  launch_for<decltype(describe<false>(exclusive, in, out, n, op, opts))> to;
  const auto choose = [&](auto&& scan) { return choose_sequence<shape>(to, scan, opts, limits); };
  const status chosen = opts.reverse ? choose(describe<true>(exclusive, in, out, n, op, opts))
                                     : choose(describe<false>(exclusive, in, out, n, op, opts));
  if (!chosen.ok()) return chosen;
  return in_checked_mode() ? wait_for_call(enqueue(to, opts, limits), opts.stream)
                           : enqueue(to, opts, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
struct device_scans {};  // they are here: see prebuilt.hpp
}  // namespace SCAN_ABI
}  // namespace scan

#endif
