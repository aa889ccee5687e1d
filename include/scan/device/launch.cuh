// From the arguments of a call to the kernel: check, describe, size, launch.
#ifndef SCAN_DEVICE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/call_memory.hpp"
#include "scan/device/checked_call.hpp"
#include "scan/device/cluster_kernel.cuh"
#include "scan/device/device_limits.hpp"
#include "scan/device/enqueue.cuh"
#include "scan/device/launch_plan.hpp"
#include "scan/device/look_back_kernel.cuh"
#include "scan/device/pending_error.hpp"
#include "scan/device/prepared.cuh"
#include "scan/device/ring_kernel.cuh"
#include "scan/device/wave_kernel.cuh"
#include "scan/options.hpp"
#include "scan/problem.hpp"
#include "scan/scan.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The launch shape of a scan: by its widest element.
template <class Input, class Output, class Types = scan_types<Input, Output>>
using tuned_for = tuned<Types::widest, (sizeof(typename Types::in) < sizeof(typename Types::out))>;

/// Scans with one block, or a cluster of them, which needs no states. Tells whether it could:
/// compiled for older devices the kernel has no clusters.
template <class Shape, class Problem>
bool launch_cluster(const Problem& scan, cudaStream_t stream, const launch_plan& plan,
                    const device_limits& limits, status& launched) noexcept {
  using tiled = wave_problem<Shape, Problem>;
  grid blocks{plan.num_tiles, plan.threads_per_block};
  blocks.is_cluster = plan.num_tiles > 1;
  blocks.overlaps = is_compiled_for_90<cluster_kernel<tiled>>(limits);
  if (blocks.is_cluster && !blocks.overlaps) return false;
  launched = enqueue(cluster_kernel<tiled>, blocks, stream,
                     tiled(scan, plan.tile_items / Shape::vector_items));
  return true;
}

/// Scans with a block a tile, whose threads have `rows` rows.
template <class Tuned, int rows, class Problem>
status launch_wave(const Problem& scan, const options<typename Problem::value_type>& opts,
                   launch_plan plan, device_limits limits) noexcept {
  using shape = typename Tuned::template wave<rows>;
  using tiled = wave_problem<shape, Problem>;
  if constexpr (rows <= most_cluster_rows) {
    status launched;
    if (plan.in_cluster && launch_cluster<typename Tuned::template cluster<rows>>(
                               scan, opts.stream, plan, limits, launched)) {
      return launched;
    }
    if (plan.in_cluster) {  // then tickets and states, which give the same bits
      limits.has_clusters = false;
      plan = plan_for(scan.num_items, Tuned::element_bytes, algorithm::wave, limits);
    }
  }
  const call_memory states(opts, plan.states_bytes);
  if (!states.error().ok()) return states.error();
  grid blocks{plan.num_tiles, plan.threads_per_block};
  blocks.overlaps = is_compiled_for_90<wave_kernel<tiled>>(limits);
  return enqueue(wave_kernel<tiled>, blocks, opts.stream,
                 tiled(scan, plan.tile_items / shape::vector_items), states.data(),
                 states.num_bytes());
}

/// The same with as many rows as the plan says: `rows`, or more.
template <class Tuned, int rows = 1, class Problem>
status launch_wave_rows(const Problem& scan, const options<typename Problem::value_type>& opts,
                        const launch_plan& plan, const device_limits& limits) noexcept {
  if constexpr (!in_arrays<Problem> && rows > most_cluster_rows) {
    return {cudaErrorNotSupported,
            "options.algorithm: through iterators the wave takes no more than 1.1 MiB"};
  } else if constexpr (rows > most_wave_rows(Tuned::element_bytes)) {
    return {cudaErrorUnknown, "launch plan: no kernel has so many rows"};
  } else {
    if constexpr (has_wave_rows(Tuned::element_bytes, rows)) {
      if (plan.shape.rows == rows) return launch_wave<Tuned, rows>(scan, opts, plan, limits);
    }
    return launch_wave_rows<Tuned, 2 * rows>(scan, opts, plan, limits);
  }
}

/// Scans with persistent blocks that hold tiles in registers.
template <class Tuned, class Problem>
status launch_look_back(const Problem& scan, const options<typename Problem::value_type>& opts,
                        const launch_plan& plan, const device_limits& limits) noexcept {
  using tiled = register_problem<Tuned, Problem>;
  const call_memory states(opts, plan.states_bytes);
  if (!states.error().ok()) return states.error();
  grid blocks{std::min(plan.num_tiles, plan.most_blocks), plan.threads_per_block};
  blocks.overlaps = is_compiled_for_90<look_back_kernel<Tuned, tiled>>(limits);
  tiled in_tiles(scan);
  in_tiles.num_draws = plan.num_tiles + blocks.num_blocks;
  return enqueue(look_back_kernel<Tuned, tiled>, blocks, opts.stream, in_tiles, states.data(),
                 states.num_bytes());
}

/// Scans with persistent blocks that hold a ring of tiles in shared memory, on a device that has
/// one, of `num_stages` stages; `scan` is a ring_problem or ring_rows.
template <class Tiled, class Options>
status launch_ring(const Tiled& scan, const Options& opts, std::int64_t most_blocks,
                   const device_limits& limits, int num_stages) noexcept {
  const call_memory states(opts, tile_states<typename Tiled::T>::required_bytes(scan.num_tiles));
  if (!states.error().ok()) return states.error();
  return launch_prepared<prepared_ring<Tiled>>(
      limits,
      [&] {
        grid blocks{std::min(scan.num_tiles, most_blocks), Tiled::threads_per_block(),
                    ring_block<Tiled>::required_bytes(num_stages, scan.heads_bytes())};
        blocks.overlaps = true;
        return enqueue(ring_kernel<Tiled>, blocks, opts.stream, scan, states.data(),
                       states.num_bytes(), num_stages);
      },
      [&] {
        return prepared_ring<Tiled>::stages(limits, num_stages, scan.heads_bytes()) ==
                   cudaSuccess &&
               num_stages > 0;
      });
}

/// Plans, for the current device, and launches a described scan. `most_blocks`: of the grid of
/// persistent blocks, which the result does not depend on.
template <class Tuned, class Problem>
status launch(Problem scan, const options<typename Problem::value_type>& opts,
              std::int64_t most_blocks = INT32_MAX) noexcept {
  static_assert(sizeof(typename Problem::T) <= std::max(Tuned::element_bytes, 4));
  scan.init_pointer = opts.init_pointer;
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  if (!in_ring<Problem>) limits.ring_bytes_of_block = 0;
  const auto plan_here = [&] {
    launch_plan plan =
        plan_for(scan.num_items, Tuned::element_bytes, opts.algorithm, limits, Tuned::widens);
    plan.most_blocks = std::min(plan.most_blocks, most_blocks);
    return plan;
  };
  launch_plan plan = plan_here();
  if constexpr (in_ring<Problem>) {
    if (plan.kernel == algorithm::ring && limits.ring_bytes_of_block > 0) {
      int num_stages = 0;
      if (const cudaError_t code =
              prepared_ring<ring_problem<Tuned, Problem>>::stages(limits, num_stages)) {
        return {code, "preparing the ring kernel failed"};
      }
      if (num_stages > 0) {
        return launch_ring(ring_problem<Tuned, Problem>(scan), opts, plan.most_blocks, limits,
                           num_stages);
      }
      limits.ring_bytes_of_block = 0;
      plan = plan_here();
    }
  }
  if (plan.kernel == algorithm::ring) {
    return {cudaErrorNotSupported, "options.algorithm: no ring kernel for this device or type"};
  }
  if (plan.kernel == algorithm::look_back) return launch_look_back<Tuned>(scan, opts, plan, limits);
  if (scan.num_items / vector_items_for(Tuned::element_bytes) > INT32_MAX / 2) {
    return {cudaErrorInvalidValue, "options.algorithm: the wave takes no more than 2^30 vectors"};
  }
  return launch_wave_rows<Tuned>(scan, opts, plan, limits);
}

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
status scan_device(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                   const options<typename scan_types<Input, Output>::value>& opts) noexcept {
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

  const status launched =
      opts.reverse ? launch<shape>(describe<true>(exclusive, in, out, n, op, opts), opts)
                   : launch<shape>(describe<false>(exclusive, in, out, n, op, opts), opts);
  return finish_call(launched, opts.stream);
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
