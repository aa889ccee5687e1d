// From the arguments of a call for one sequence, whose length the device knows, to its kernel.
#ifndef SCAN_DEVICE_LAUNCH_COUNTED_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_COUNTED_LAUNCH_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/element_count.hpp"
#include "scan/call/entries.hpp"
#include "scan/call/problem.hpp"
#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/sequence/counted_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Success, or what is wrong; of the number itself nothing is known.
template <class Op, class Input, class Output, class Options>
status validate_counted_scan(bool exclusive, const Input& in, const Output& out, const count& n,
                             const Options& opts) noexcept {
  using T = typename scan_types<Input, Output>::accumulated;
  if (const status checked = element_count(n).checked(); !checked.ok()) return checked;
  if (const status checked = validate_scan<Op>(exclusive, in, out, n.capacity, opts);
      !checked.ok()) {
    return checked;
  }
  if (const status checked = validate_counted(n.n, {array_of(out.data), n.capacity + opts.complete},
                                              {opts.total, opts.total ? 1 : 0});
      !checked.ok()) {
    return checked;
  }
  if (opts.algorithm != algorithm::automatic && opts.algorithm != algorithm::look_back) {
    return {cudaErrorNotSupported,
            "options.algorithm: a scan::count of elements is scanned by look_back"};
  }
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (opts.total != nullptr && !init_given && !has_identity<Op, T>) {
    return {cudaErrorInvalidValue,
            "options.init is missing: the operator has no identity, and there may be no elements"};
  }
  return {};
}

/// The look-back kernel in a grid for as many as there may be.
template <class Tuned, class Problem, class Options>
void choose_counted(launch_for<Problem>& to, Problem& scan, const std::int64_t* counted,
                    const Options& opts, const device_limits& limits) {
  using tiled = counted_cut<Tuned, Problem>;
  scan.init_pointer = opts.init_pointer;
  const launch_plan plan = plan_for(std::max<std::int64_t>(scan.num_items, 1), Tuned::element_bytes,
                                    algorithm::look_back, limits, Tuned::widens);
  to.template set_with_states<look_back_kernel<Tuned, tiled>>(
      {std::min(plan.num_tiles, plan.most_blocks), plan.threads_per_block}, plan.states_bytes,
      tiled(scan, counted));
}

/// A scan of a count of elements in device memory: `inclusive` and `exclusive` of counted.hpp.
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out, const count& n,
                  Op op, const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  using shape = tuned_for<Input, Output>;
  const pending_error the_callers;
  if (const status checked = validate_counted_scan<Op>(exclusive, in, out, n, opts);
      !checked.ok()) {
    return checked;
  }
  const bool writes = n.capacity > 0 || opts.complete || opts.total != nullptr;
  if (const status checked =
          check_call(opts, {{argument::input, {array_of(in.data), n.capacity}},
                            {argument::output, {array_of(out.data), n.capacity + opts.complete}},
                            {argument::init_pointer, {opts.init_pointer, writes ? 1 : 0}},
                            {argument::total, {opts.total, 1}},
                            {argument::known_count, {n.n, writes ? 1 : 0}}});
      !checked.ok()) {
    return checked;
  }
  if (!writes) return {};
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  launch_for<decltype(describe<false>(exclusive, in, out, n.capacity, op, opts))> to;
  const auto choose = [&](auto&& scan) { choose_counted<shape>(to, scan, n.n, opts, limits); };
  if (opts.reverse) {
    choose(describe<true>(exclusive, in, out, n.capacity, op, opts));
  } else {
    choose(describe<false>(exclusive, in, out, n.capacity, op, opts));
  }
  return in_checked_mode() ? wait_for_call(enqueue(to, opts, limits), opts.stream)
                           : enqueue(to, opts, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
