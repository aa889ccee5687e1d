// From the arguments of a segmented call to its kernel: check, describe, choose.
#ifndef SCAN_DEVICE_SEGMENT_LAUNCH_CUH
#define SCAN_DEVICE_SEGMENT_LAUNCH_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/device/checked_call.hpp"
#include "scan/device/launch.cuh"
#include "scan/device/segment_kernel.cuh"
#include "scan/device/segment_plan.hpp"
#include "scan/device/segment_ring.cuh"
#include "scan/device/segment_round_kernel.cuh"
#include "scan/segmented.hpp"
#include "scan/segments.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class Tuned, class Segments>
status launch_segment_ring(const Segments& scan, const options<typename Segments::value_type>& opts,
                           const device_limits& limits) noexcept {
  using tiled = segment_ring<Tuned, Segments>;
  tiled in_tiles(scan);
  std::size_t room = 0;
  if (const cudaError_t code = prepared_ring<tiled>::room(limits, room)) {
    return {code, "preparing the ring kernel failed"};
  }
  const int num_stages = ring_block<tiled>::stages_in(room, in_tiles.heads_bytes());
  if (num_stages == 0) return {cudaErrorNotSupported, "there is no ring kernel here"};
  in_tiles.widen_slots(room -
                       ring_block<tiled>::required_bytes(num_stages, in_tiles.heads_bytes()));
  return launch_ring(in_tiles, opts, limits.sm_count, limits, num_stages);
}

/// Where there are no clusters: with tickets and states.
inline void without_cluster(segment_plan& plan, int fold_bytes) {
  plan.in_cluster = false;
  plan.states_bytes = tile_states_bytes(plan.num_tiles, fold_bytes);
}

/// Scans in one round of blocks, each of which holds a tile in registers.
template <class Tuned, int rows, class Segments>
status launch_segment_round(const Segments& scan,
                            const options<typename Segments::value_type>& opts, segment_plan plan,
                            const device_limits& limits) noexcept {
  constexpr int fold_bytes = static_cast<int>(sizeof(typename Segments::T));
  using tiled =
      segment_round<segment_round_shape<Tuned::element_bytes, fold_bytes, rows>, Segments>;
  const bool is_for_90 = is_compiled_for_90<segment_round_kernel<tiled>>(limits);
  if (plan.in_cluster && plan.num_tiles > 1 && !is_for_90) without_cluster(plan, fold_bytes);
  const bool in_place = static_cast<const void*>(scan.in.data) == scan.out.data;
  const int halo_warps =
      has_offsets(scan.heads) && !in_place ? halo_warps_of(plan, Tuned::element_bytes) : 0;
  const int num_threads = plan.threads_per_block + 32 * halo_warps;
  const std::int64_t sample_step = num_segments_of(scan.heads) / (num_threads + 1) + 1;
  // (Empty segments without number have offsets without number.)
  const memory_range heads = place_of(scan.heads).bytes;
  const auto head_bytes =
      std::min(static_cast<std::int64_t>(heads.end - heads.begin), 16 * scan.num_items);
  constexpr std::int64_t item_bytes = sizeof(typename Segments::in_type);
  const tiled in_tiles(scan, plan.tile_items / tiled::vector_items, halo_warps, sample_step,
                       {scan.num_items * item_bytes, plan.num_tiles}, {head_bytes, plan.num_tiles});
  grid blocks{plan.num_tiles, num_threads};
  blocks.overlaps = is_for_90;
  if (plan.in_cluster) {
    blocks.is_cluster = plan.num_tiles > 1;
    return enqueue(segment_round_kernel<tiled>, blocks, opts.stream, in_tiles,
                   static_cast<void*>(nullptr), std::size_t{0});
  }
  const call_memory states(opts, plan.states_bytes);
  if (!states.error().ok()) return states.error();
  return enqueue(segment_round_kernel<tiled>, blocks, opts.stream, in_tiles, states.data(),
                 states.num_bytes());
}

/// Scans in tiles that blocks hold in registers, one after another.
template <class Tuned, class Segments>
status launch_segment_wave(const Segments& scan, const options<typename Segments::value_type>& opts,
                           segment_plan plan, const device_limits& limits) noexcept {
  constexpr int fold_bytes = static_cast<int>(sizeof(typename Segments::T));
  using tiled = segment_wave<segment_shape<Tuned::element_bytes, fold_bytes>, Segments>;
  const bool is_for_90 = is_compiled_for_90<segment_kernel<tiled>>(limits);
  if (plan.in_cluster && plan.num_tiles > 1 && !is_for_90) without_cluster(plan, fold_bytes);
  const tiled in_tiles(scan, plan.tile_items / tiled::vector_items, plan.num_tiles);
  grid blocks{plan.num_tiles, plan.threads_per_block};
  blocks.overlaps = is_for_90;
  if (plan.in_cluster) {
    blocks.is_cluster = plan.num_tiles > 1;
    return enqueue(segment_kernel<tiled>, blocks, opts.stream, in_tiles,
                   static_cast<void*>(nullptr), std::size_t{0});
  }
  blocks.num_blocks = std::min(plan.num_tiles, std::int64_t{limits.sm_count} * plan.blocks_per_sm);
  const call_memory states(opts, plan.states_bytes);
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
  // (What comes through iterators is read one by one.)
  constexpr bool arrays =
      in_arrays<typename Segments::Plain> && are_in_array<typename Segments::Heads>;
  const bool valued = !arrays || scan.init_pointer != nullptr || scan.total != nullptr;
  if constexpr (arrays && in_ring<typename Segments::Plain>) {
    if (!valued && limits.ring_bytes_of_block > 0 &&
        scan.num_items > most_round_items(element_bytes, fold_bytes)) {
      const status launched = launch_segment_ring<Tuned>(scan, opts, limits);
      if (launched != cudaErrorNotSupported) return launched;
    }
  }
  const segment_plan plan =
      plan_segments(scan.num_items, element_bytes, fold_bytes, valued, limits.has_clusters);
  if constexpr (arrays && has_round(element_bytes, fold_bytes)) {
    if (plan.in_round && plan.rows == few_round_rows) {
      return launch_segment_round<Tuned, few_round_rows>(scan, opts, plan, limits);
    }
    if (plan.in_round)
      return launch_segment_round<Tuned, most_round_rows>(scan, opts, plan, limits);
  }
  return launch_segment_wave<Tuned>(scan, opts, plan, limits);
}

template <class Tuned, bool reversed, class Input, class Output, class Heads, class Op>
status launch_described_segments(
    bool exclusive, const Input& in, const Output& out, const Heads& heads, Op op,
    const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  auto values = describe<reversed>(exclusive, in, out, heads.num_items, op, opts);
  values.init_pointer = opts.init_pointer;
  return launch_segments<Tuned>(segment_problem<decltype(values), Heads>(values, heads), opts);
}

/// In the checked mode, what check_segments says.
template <class Heads>
status check_offsets_if_asked(const Heads& heads, cudaStream_t stream) noexcept {
  if constexpr (std::is_same_v<Heads, segment_heads>) {
    if (has_offsets(heads) && in_checked_mode() && can_wait_for(stream)) {
      return check_offsets(heads, stream);
    }
  }
  return {};
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
  const bool writes = !writes_nothing(heads);
  const std::int64_t n = writes ? heads.num_items : 0, num_values = num_segments_of(heads);
  if (const status checked = check_call(
          opts, {{argument::input, {array_of(in.data), n}},
                 {argument::output, {array_of(out.data), n}},
                 {argument_of(heads), writes ? place_of(heads).bytes : memory_range(no_array{}, 0)},
                 {argument::init_pointer, {opts.init_pointer, num_values}},
                 {argument::total, {opts.total, num_values}}});
      !checked.ok()) {
    return checked;
  }
  if (opts.algorithm != algorithm::automatic) {
    return {cudaErrorNotSupported, "options.algorithm: segments choose for themselves"};
  }
  if (!writes) return {};
  if (const status checked = check_offsets_if_asked(heads, opts.stream); !checked.ok()) {
    return checked;
  }
  if (n == 0 && opts.total == nullptr) return {};
  const status launched =
      opts.reverse ? launch_described_segments<tuning, true>(exclusive, in, out, heads, op, opts)
                   : launch_described_segments<tuning, false>(exclusive, in, out, heads, op, opts);
  return finish_call(launched, opts.stream);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
