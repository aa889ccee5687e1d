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

/// `recurrence` and `recurrence_by_key` of segmented_recurrence.hpp.
template <class Input, class Out, class Heads>
status recur_segments(on_device, const Input& in, Out* out, const Heads& heads,
                      const options<state_t<Out>>& opts) noexcept {
  const pending_error the_callers;
  if (const status checked = validate_segment_recurrence(in, out, heads, opts, false);
      !checked.ok()) {
    return checked;
  }
  const std::int64_t n = writes_nothing(heads) ? 0 : heads.num_items;
  segment_arrays arrays{{in.data, n}, {no_array{}, 0}, {out, n}};
  if constexpr (std::is_pointer_v<typename Input::Factors>) arrays.factors = {in.factors, n};
  constexpr std::size_t element_bytes = std::max(sizeof(typename Input::element), sizeof(Out));
  using tuning = tuned<static_cast<int>(element_bytes)>;
  return run_segments<tuning>(arrays, heads, opts, [&](auto reversed) {
    return describe_segment_recurrence<decltype(reversed)::value>(in, out, heads, opts);
  });
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
