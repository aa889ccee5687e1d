// From the arguments of a call for a recurrence's gradient to its kernel, which is a walk whatever
// the shape.
#ifndef SCAN_DEVICE_LAUNCH_GRADIENT_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_GRADIENT_LAUNCH_CUH

#include <cstdint>

#include "scan/call/entries.hpp"
#include "scan/call/gradient_call.hpp"
#include "scan/device/launch/tensor_launch.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Where a gradient's call has its memory from, as any call.
template <class S>
options<S> memory_of(const gradient_options<S>& opts) noexcept {
  options<S> result;
  result.stream = opts.stream;
  result.workspace = opts.workspace;
  result.memory_resource = opts.memory_resource;
  return result;
}

/// `recurrence_gradient` of recurrence_gradient.hpp.
template <class T>
status recur_back(on_device, const gradient_input<T>& in, const gradient_output<T>& out,
                  const extents& given, const gradient_options<state_t<T>>& opts) noexcept {
  const pending_error the_callers;
  tensor_shape shape;
  if (const status checked = validate_gradient(in, out, given, opts, shape); !checked.ok()) {
    return checked;
  }
  const auto memory = memory_of(opts);
  const std::int64_t num_read = shape.span(shape.in_pitch), num_values = shape.num_sequences();
  const std::int64_t num_written = shape.span(shape.out_pitch);
  const status reached =
      check_call(memory, {{argument::input, {in.data, num_read}},
                          {argument::factors, {in.factors, num_read}},
                          {argument::states, {in.states, num_read}},
                          {argument::grad_a, {out.of_a, num_written}},
                          {argument::output, {out.of_b, num_written}},
                          {argument::init_pointer, {opts.init_pointer, num_values}},
                          {argument::grad_total, {opts.grad_total, num_values}},
                          {argument::grad_init, {opts.grad_init, num_values}}});
  if (!reached.ok()) return reached;
  if (writes_no_gradient(shape, opts.grad_init)) return {};
  device_limits limits;
  if (const status asked = limits_for_choice(memory, limits); !asked.ok()) return asked;
  launch_for<decltype(describe_gradient<false>(in, out, shape, opts))> to;
  const auto choose = [&](const auto& scan) {
    return choose_tensor<tuned<static_cast<int>(sizeof(state_t<T>))>>(to, scan, false, limits,
                                                                      algorithm::walk);
  };
  const status chosen = opts.reverse ? choose(describe_gradient<false>(in, out, shape, opts))
                                     : choose(describe_gradient<true>(in, out, shape, opts));
  if (!chosen.ok()) return chosen;
  return in_checked_mode() ? wait_for_call(enqueue(to, memory, limits), memory.stream)
                           : enqueue(to, memory, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
