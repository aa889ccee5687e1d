// From the arguments of a call with segments that lie anywhere to its kernel.
#ifndef SCAN_DEVICE_LAUNCH_RANGE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_RANGE_LAUNCH_CUH

#include <cstdint>

#include "scan/call/entries.hpp"
#include "scan/call/problem.hpp"
#include "scan/call/validate_ranges.hpp"
#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/walk/range_kernel.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `each` segments a block, or as many as the plan says; there are some. Blocks go wherever there
/// is room for one.
template <class Problem>
void choose_ranges(launch_for<Problem>& to, const Problem& scan, const range_offsets& where,
                   const device_limits& limits, int each = 0) {
  using cut = range_cut<Problem>;
  if (each == 0) {
    each = range_block_segments(where.num_segments, where.num_items, cut::vector_items,
                                limits.sm_count);
  }
  to.template set<range_kernel<cut>>({(where.num_segments - 1) / each + 1, range_threads},
                                     cut(scan, where, each));
}

template <bool reversed, class Input, class Output, class Op, class Options>
auto describe_ranges(bool exclusive, const Input& in, const Output& out, const range_offsets& where,
                     Op op, const Options& opts) {
  auto scan = describe<reversed>(exclusive, in, out, where.num_items, op, opts);
  scan.init_pointer = opts.init_pointer;
  return scan;
}

/// Scans of segments that lie anywhere in device memory: segment_ranges.hpp.
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out,
                  const range_offsets& where, Op op,
                  const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  const pending_error the_callers;
  if (const status checked = validate_ranges<Op>(exclusive, in, out, where, opts); !checked.ok()) {
    return checked;
  }
  const std::int64_t count = where.num_segments;
  const bool writes = count > 0;
  if (const status checked = check_call(
          opts, {{argument::input, {array_of(in.data), writes ? where.num_items : 0}},
                 {argument::output, {array_of(out.data), writes ? where.num_out_items : 0}},
                 {argument::begins, range_of_offsets(where, where.begins)},
                 {argument::ends, range_of_offsets(where, where.ends)},
                 {argument::out_begins, range_of_offsets(where, where.out_begins)},
                 {argument::init_pointer, {opts.init_pointer, count}},
                 {argument::total, {opts.total, count}}});
      !checked.ok()) {
    return checked;
  }
  if (opts.algorithm != algorithm::automatic) {
    return {cudaErrorNotSupported, "options.algorithm: segment_ranges choose for themselves"};
  }
  if (!writes) return {};
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  launch_for<decltype(describe_ranges<false>(exclusive, in, out, where, op, opts))> to;
  if (opts.reverse) {
    choose_ranges(to, describe_ranges<true>(exclusive, in, out, where, op, opts), where, limits);
  } else {
    choose_ranges(to, describe_ranges<false>(exclusive, in, out, where, op, opts), where, limits);
  }
  return in_checked_mode() ? wait_for_call(enqueue(to, opts, limits), opts.stream)
                           : enqueue(to, opts, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
