// From the arguments of a segmented call to its kernel: check, describe, choose.
#ifndef SCAN_DEVICE_SEGMENT_LAUNCH_CUH
#define SCAN_DEVICE_SEGMENT_LAUNCH_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/launch.cuh"
#include "scan/device/segment_kernel.cuh"
#include "scan/device/segment_plan.hpp"
#include "scan/device/segment_ring.cuh"
#include "scan/segments.hpp"

namespace scan::device {

template <class Tuned, class Segments>
status launch_segment_ring(const Segments& scan, const options<typename Segments::value_type>& opts,
                           const device_limits& limits) noexcept {
  using tiled = segment_ring<Tuned, Segments>;
  const tiled in_tiles(scan);
  int num_stages = 0;
  if (const cudaError_t code =
          prepared_ring<tiled>::stages(limits, num_stages, in_tiles.heads_bytes())) {
    return {code, "preparing the ring kernel failed"};
  }
  if (num_stages == 0) return {cudaErrorNotSupported, "there is no ring kernel here"};
  return launch_ring(in_tiles, opts, limits.sm_count, limits, num_stages);
}

/// Scans in tiles that blocks hold in registers.
template <class Tuned, int rows, class Segments>
status launch_segment_wave(const Segments& scan, const options<typename Segments::value_type>& opts,
                           segment_plan plan, const device_limits& limits) noexcept {
  constexpr int fold_bytes = static_cast<int>(sizeof(typename Segments::T));
  using tiled = segment_wave<segment_shape<Tuned::element_bytes, fold_bytes, rows>, Segments>;
  const bool is_for_90 = is_compiled_for_90<segment_kernel<tiled>>(limits);
  if (plan.in_cluster && plan.num_tiles > 1 && !is_for_90) {  // then tickets and states
    plan.in_cluster = false;
    plan.states_bytes = tile_states_bytes(plan.num_tiles, fold_bytes);
  }
  const tiled in_tiles(scan, plan.tile_items / tiled::vector_items, plan.num_tiles);
  grid blocks{plan.num_tiles, plan.threads_per_block};
  blocks.overlaps = is_for_90;
  if (plan.in_cluster) {
    blocks.is_cluster = plan.num_tiles > 1;
    return enqueue(segment_kernel<tiled>, blocks, opts.stream, in_tiles,
                   static_cast<void*>(nullptr), std::size_t{0});
  }
  blocks.num_blocks = std::min(plan.num_tiles, std::int64_t{limits.sm_count} * plan.blocks_per_sm);
  const call_memory states(opts.workspace, plan.states_bytes, opts.stream);
  if (!states.error().ok()) return states.error();
  return enqueue(segment_kernel<tiled>, blocks, opts.stream, in_tiles, states.data(),
                 states.num_bytes());
}

/// Plans, for the current device, and launches a described scan.
template <class Tuned, class Segments>
status launch_segments(const Segments& scan,
                       const options<typename Segments::value_type>& opts) noexcept {
  constexpr int element_bytes = Tuned::element_bytes;
  constexpr int fold_bytes = static_cast<int>(sizeof(typename Segments::T));
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  const bool valued = scan.init_pointer != nullptr || scan.total != nullptr;
  if constexpr (in_ring<typename Segments::Plain>) {
    if (!valued && limits.ring_bytes_of_block > 0 &&
        scan.num_items > most_segment_wave_items(element_bytes, fold_bytes)) {
      const status launched = launch_segment_ring<Tuned>(scan, opts, limits);
      if (launched != cudaErrorNotSupported) return launched;
    }
  }
  const segment_plan plan =
      plan_segments(scan.num_items, element_bytes, fold_bytes, valued, limits.has_clusters);
  constexpr int most_rows = most_segment_rows(element_bytes, fold_bytes);
  if (plan.rows == 1) return launch_segment_wave<Tuned, 1>(scan, opts, plan, limits);
  return launch_segment_wave<Tuned, most_rows>(scan, opts, plan, limits);
}

template <class Tuned, bool reversed, class Input, class Output, class Heads, class Op>
status launch_described_segments(
    bool exclusive, const Input& in, const Output& out, const Heads& heads, Op op,
    const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  auto values = describe<reversed>(exclusive, in, out, heads.num_items, op, opts);
  values.init_pointer = opts.init_pointer;
  return launch_segments<Tuned>(segment_problem<decltype(values), Heads>(values, heads), opts);
}

/// Scans of segments in device memory: `inclusive` and `exclusive` of segmented.hpp.
template <class Input, class Output, class Heads, class Op>
status scan_segments(bool exclusive, const Input& in, const Output& out, const Heads& heads, Op op,
                     const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  using tuning = tuned_for<Input, Output>;
  const pending_error the_callers;
  if (const status checked = validate_segments<Op>(exclusive, in, out, heads, opts, false);
      !checked.ok()) {
    return checked;
  }
  const std::int64_t num_values = num_segments_of(heads);
  if (const status checked = check_workspace(opts.workspace, {{in.data, heads.num_items},
                                                              {out.data, heads.num_items},
                                                              place_of(heads).bytes,
                                                              {opts.init_pointer, num_values},
                                                              {opts.total, num_values}});
      !checked.ok()) {
    return checked;
  }
  if (opts.algorithm != algorithm::automatic) {
    return {cudaErrorNotSupported, "options.algorithm: segments choose for themselves"};
  }
  if (writes_nothing(heads)) return {};
  return opts.reverse
             ? launch_described_segments<tuning, true>(exclusive, in, out, heads, op, opts)
             : launch_described_segments<tuning, false>(exclusive, in, out, heads, op, opts);
}

}  // namespace scan::device

#endif
