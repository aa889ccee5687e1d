// From the arguments of a recurrence by segments or keys to its kernel: check, describe, enqueue.
#ifndef SCAN_DEVICE_LAUNCH_SEGMENT_RECURRENCE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_SEGMENT_RECURRENCE_LAUNCH_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/call/entries.hpp"
#include "scan/call/recurrence_problem.hpp"
#include "scan/call/validate_segments.hpp"
#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/segment_launch.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <bool reversed, class Input, class Out, class Heads, class Value>
auto describe_segment_recurrence(const Input& in, Out* out, const Heads& heads,
                                 const options<Value>& opts) {
  const auto walk = describe_walk<reversed>(in, out, heads.num_items, opts);
  return segment_problem<std::decay_t<decltype(walk)>, Heads>(walk, heads);
}

/// The kernel of a described recurrence on the current device: the ring of large ones, where there
/// is one for them; else that of tiles in registers, whatever the size.
template <class Segments>
status choose_segment_recurrence(launch_for<Segments>& to, const Segments& scan,
                                 const device_limits& limits) {
  constexpr int element_bytes = static_cast<int>(
      std::max(sizeof(typename Segments::in_type), sizeof(typename Segments::out_type)));
  constexpr int fold_bytes = static_cast<int>(sizeof(typename Segments::T));
  using tuning = tuned<element_bytes>;
  constexpr bool arrays = are_in_array<typename Segments::Heads>;
  if constexpr (arrays && in_ring<typename Segments::Values>) {
    const bool valued = scan.init_pointer != nullptr || scan.total != nullptr;
    if (limits.ring_bytes_of_block > 0 && scan.num_items > most_valued_items(element_bytes)) {
      bool is_there = false;
      status chosen;
      if (!valued) {
        chosen = choose_segment_ring<tuning>(to, scan, limits, is_there);
      } else if constexpr (has_ring_values<Segments>) {
        chosen = choose_segment_ring<tuning, true>(to, scan, limits, is_there);
      }
      if (is_there || !chosen.ok()) return chosen;
    }
  }
  segment_plan plan =
      plan_segments(scan.num_items, element_bytes, fold_bytes, true, limits.has_clusters);
  choose_segment_persistent<tuning>(to, scan, plan, limits);
  return {};
}

/// `recurrence` and `recurrence_by_key` of segmented_recurrence.hpp.
template <class Input, class Out, class Heads>
status recur_segments(on_device, const Input& in, Out* out, const Heads& heads,
                      const options<state_t<Out>>& opts) noexcept {
  const pending_error the_callers;
  if (const status checked = validate_segment_recurrence(in, out, heads, opts, false);
      !checked.ok()) {
    return checked;
  }
  const bool writes = !writes_nothing(heads);
  const std::int64_t n = writes ? heads.num_items : 0, num_values = num_segments_of(heads);
  memory_range factors{no_array{}, 0};
  if constexpr (std::is_pointer_v<typename Input::Factors>) factors = {in.factors, n};
  if (const status checked = check_call(
          opts, {{argument::input, {in.data, n}},
                 {argument::factors, factors},
                 {argument::output, {out, n}},
                 {argument_of(heads), writes ? place_of(heads).bytes : memory_range(no_array{}, 0)},
                 {argument::init_pointer, {opts.init_pointer, num_values}},
                 {argument::total, {opts.total, num_values}},
                 {argument::known_count, {heads.counted, 1}}});
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
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  launch_for<decltype(describe_segment_recurrence<false>(in, out, heads, opts))> to;
  const status chosen =
      opts.reverse ? choose_segment_recurrence(
                         to, describe_segment_recurrence<true>(in, out, heads, opts), limits)
                   : choose_segment_recurrence(
                         to, describe_segment_recurrence<false>(in, out, heads, opts), limits);
  if (!chosen.ok()) return chosen;
  return in_checked_mode() ? wait_for_call(enqueue(to, opts, limits), opts.stream)
                           : enqueue(to, opts, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
