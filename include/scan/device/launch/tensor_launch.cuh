// From the arguments of a call for a tensor to its kernel: check, describe, choose by shape,
// enqueue.
//
//   no elements       nothing to scan: what precedes a sequence is what follows it
//   rows (inner = 1)  short ones several a warp; a block each while there are few; else blocks that
//                     have them in registers, or take tiles of rows, or the ring; of recurrences
//                     rounds or the ring, which also have rows of any order, where these gain by it
//   anything else     columns: few ones in registers; long narrow ones in a ring, wide ones in
//                     another; shorter ones by walks where rows are no whole sectors, and of
//                     recurrences of floats, many of them by a lane each; short ones too; else by
//                     tiles in shared memory
#ifndef SCAN_DEVICE_LAUNCH_TENSOR_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_TENSOR_LAUNCH_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/call/entries.hpp"
#include "scan/call/tensor_problem.hpp"
#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/column_choice.cuh"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/row_choice.cuh"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/launch/walk_choice.cuh"
#include "scan/device/slice/slice_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Sequences of no elements: what precedes them is what follows them.
template <class Tensor>
__global__ void empty_sequences_kernel(const __grid_constant__ Tensor scan) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (left_alone(scan)) return;
  for (; i < scan.shape.outer * scan.shape.inner; i += step) {
    const auto sequence = scan.sequence(i / scan.shape.inner, i % scan.shape.inner);
    const auto start = sequence.start();
    sequence.write_start(start);
    sequence.write_end(start);
  }
}

/// The kernel of a described scan on the current device, of sequences that are there. Each has
/// `extra_output` results more than elements. `part`: see slice_problem.cuh, or null.
template <class Tuned, class Tensor>
status choose_tensor(launch_for<Tensor>& to, const Tensor& scan, bool extra_output,
                     const device_limits& limits, algorithm wanted,
                     const slice_part* part = nullptr) {
  if (scan.shape.length == 0) {
    const std::int64_t blocks = (scan.shape.num_sequences() - 1) / 256 + 1;
    to.set_waiting(empty_sequences_kernel<Tensor>,
                   {std::min(blocks, std::int64_t{limits.sm_count} * 8), 256}, scan);
    return {};
  }
  const bool is_long = part != nullptr && part->is_long;
  const bool is_column = scan.shape.inner > 1;
  if constexpr (!Tensor::is_walked) {
    if (is_column && part == nullptr && wanted != algorithm::walk) {
      bool chosen = false;
      const status found =
          choose_held_columns(to, scan.forwards(), Tensor::reversed, limits, chosen);
      if (chosen || !found.ok()) return found;
    }
  }
  if constexpr (fits_column_ring<Tensor>()) {
    if (part == nullptr && wanted != algorithm::walk) {
      bool chosen = false;
      status found;
      if (is_in_column_ring(scan, limits)) {
        found = choose_column_ring(to, scan.forwards(), Tensor::reversed, limits, chosen);
      } else if (is_in_strips(scan, limits)) {
        found = choose_strip_ring(to, scan.forwards(), Tensor::reversed, limits, chosen);
      }
      if (chosen || !found.ok()) return found;
    }
  }
  if constexpr (!Tensor::is_walked && fits_registers<Tensor>()) {
    if (is_column && part == nullptr && wanted != algorithm::walk) {
      if (choose_lanes(to, scan, limits)) return {};
    }
  }
  if (Tensor::is_walked || (wanted == algorithm::walk && is_column) || (!is_long && walks(scan))) {
    return choose_walk(to, scan, extra_output, limits);
  }
  if constexpr (!Tensor::is_recurrence) {
    if (!is_column) {
      return choose_rows<Tuned>(to, scan, extra_output, limits, part);
    }
  }
  if constexpr (!Tensor::is_walked) {
    return choose_columns(to, scan.forwards(), limits, is_long, Tensor::reversed);
  }
  return {};
}

/// Has CUDA load what may be chosen for that shape, whatever its extents: see kernel_record.
template <class Tuned, class Tensor>
void load_tensor(const Tensor& scan, const device_limits& limits) noexcept {
  if (scan.shape.length == 0) {
    record_of<empty_sequences_kernel<Tensor>>().load(limits);
  } else if (scan.shape.inner > 1) {
    using forwards = decltype(scan.forwards());
    record_of<column_kernel<column_cut<forwards>>>().load(limits);
    load_walked_columns<forwards>(limits);
  } else {
    load_rows<Tuned, Tensor>(limits);
  }
}

// ---- The calls. ----

/// What check_call has to say; `factors`: of a recurrence, else empty.
template <class In, class Out, class Value>
status check_tensor_call(const tensor_shape& shape, const In* in, const memory_range& factors,
                         const Out* out, const options<Value>& opts) noexcept {
  const std::int64_t num_items = shape.span(shape.in_pitch);
  const std::int64_t num_values = writes_nothing(shape, opts) ? 0 : shape.num_sequences();
  return check_call(opts, {{argument::input, {in, num_items}},
                           {argument::factors, factors},
                           {argument::output, {out, shape.span(shape.out_pitch, opts.complete)}},
                           {argument::init_pointer, {opts.init_pointer, num_values}},
                           {argument::total, {opts.total, num_values}}});
}

/// The limits of the current device, where the call leaves the choice to it.
template <class Value>
status limits_for_choice(const options<Value>& opts, device_limits& limits) noexcept {
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  limits.waits_for_room = opts.algorithm != algorithm::look_back;
  if (opts.algorithm == algorithm::automatic || opts.algorithm == algorithm::walk) return {};
  if (opts.algorithm == algorithm::look_back) return {};
  return {cudaErrorNotSupported,
          "options.algorithm: tensors and recurrences take automatic, walk and look_back alone"};
}

/// The scans of sequences that may be slices of longer ones.
template <bool reversed, class Input, class Output, class Op, class Value>
auto describe_parts(bool exclusive, const Input& in, const Output& out, const tensor_shape& shape,
                    Op op, const options<Value>& opts, const slice_part* part) {
  const auto scan = describe_tensor<reversed>(exclusive, in, out, shape, op, opts);
  using sequence = sequence_part<typename std::decay_t<decltype(scan)>::Problem>;
  return tensor_problem<sequence>(sequence(scan, part), shape);
}

/// Scans of a tensor in device memory: `inclusive` and `exclusive` of tensors.hpp.
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out,
                  const extents& given, Op op,
                  const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  using tuning = tuned_for<Input, Output>;
  const pending_error the_callers;
  tensor_shape shape;
  if (const status checked = validate_tensor<Op>(exclusive, in, out, given, opts, shape);
      !checked.ok()) {
    return checked;
  }
  if (const status checked = check_tensor_call(shape, in.data, {in.data, 0}, out.data, opts);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(shape, opts)) return {};
  device_limits limits;
  if (const status asked = limits_for_choice(opts, limits); !asked.ok()) return asked;
  using types = scan_types<Input, Output>;
  constexpr bool fits_ring = ring_takes(sizeof(typename types::in), sizeof(typename types::out),
                                        sizeof(typename types::accumulated));
  if (opts.algorithm == algorithm::automatic && shape.num_sequences() == 1 &&
      goes_as_sequence(shape.length, types::widest, fits_ring && limits.ring_bytes_of_block > 0)) {
    return scan_shape(on_device{}, exclusive, in, out, shape.length, op, opts);
  }
  launch_for<decltype(describe_parts<false>(exclusive, in, out, shape, op, opts, nullptr))> to;
  const auto choose = [&](const auto& scan) {
    return choose_tensor<tuning>(to, scan, opts.complete, limits, opts.algorithm);
  };
  const status chosen =
      opts.reverse ? choose(describe_parts<true>(exclusive, in, out, shape, op, opts, nullptr))
                   : choose(describe_parts<false>(exclusive, in, out, shape, op, opts, nullptr));
  if (!chosen.ok()) return chosen;
  return in_checked_mode() ? wait_for_call(enqueue(to, opts, limits), opts.stream)
                           : enqueue(to, opts, limits);
}

/// `recurrence` of tensors.hpp.
template <class Input, class Out>
status recur(on_device, const Input& in, Out* out, const extents& given,
             const options<state_t<Out>>& opts) noexcept {
  using tuning = tuned<static_cast<int>(sizeof(state_t<Out>))>;
  const pending_error the_callers;
  tensor_shape shape;
  if (const status checked = validate_recurrence(in, out, given, opts, shape); !checked.ok()) {
    return checked;
  }
  if (const status checked =
          check_tensor_call(shape, in.data, factors_range(in.factors, shape), out, opts);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(shape, opts)) return {};
  device_limits limits;
  if (const status asked = limits_for_choice(opts, limits); !asked.ok()) return asked;
  launch_for<decltype(describe_recurrence<false>(in, out, shape, opts))> to;
  const auto choose = [&](const auto& scan) {
    return choose_tensor<tuning>(to, scan, false, limits, opts.algorithm);
  };
  const status chosen = opts.reverse ? choose(describe_recurrence<true>(in, out, shape, opts))
                                     : choose(describe_recurrence<false>(in, out, shape, opts));
  if (!chosen.ok()) return chosen;
  return in_checked_mode() ? wait_for_call(enqueue(to, opts, limits), opts.stream)
                           : enqueue(to, opts, limits);
}

// ---- The calls for the slices of a rank, whose arguments have been checked; `reversed` is
// `opts.reverse`. ----

/// Scans them.
template <bool reversed, class Input, class Output, class Op>
status scan_part(bool exclusive, const Input& in, const Output& out, const extents& given, Op op,
                 const options<typename scan_types<Input, Output>::value>& opts,
                 const slice_part& part) noexcept {
  const pending_error the_callers;
  tensor_shape shape;
  if (const status resolved =
          resolve(given, opts.complete, scan_types<Input, Output>::widest, shape);
      !resolved.ok()) {
    return resolved;
  }
  if (writes_nothing(shape, opts)) return {};
  device_limits limits;
  if (const status asked = limits_for_choice(opts, limits); !asked.ok()) return asked;
  const auto scan = describe_parts<reversed>(exclusive, in, out, shape, op, opts, &part);
  launch_for<std::decay_t<decltype(scan)>> to;
  const status chosen = choose_tensor<tuned_for<Input, Output>>(to, scan, opts.complete, limits,
                                                                opts.algorithm, &part);
  if (!chosen.ok()) return chosen;
  memory_source states(opts);
  // How long a slice is is nobody's but its rank's to know: the workspace was made for the longest,
  // and some shorter ones have more states.
  if (states.space != nullptr && states.space->num_states_bytes() < to.states_bytes()) {
    states.space = nullptr;
  }
  return enqueue(to, states, limits);
}

/// Has CUDA load the kernels of the scan_part to come, before a gather: see kernel_record.
template <bool reversed, class Input, class Output, class Op>
status load_part(bool exclusive, const Input& in, const Output& out, const extents& given, Op op,
                 const options<typename scan_types<Input, Output>::value>& opts,
                 const slice_part& part) noexcept {
  const pending_error the_callers;
  tensor_shape shape;
  if (const status resolved =
          resolve(given, opts.complete, scan_types<Input, Output>::widest, shape);
      !resolved.ok()) {
    return resolved;
  }
  if (writes_nothing(shape, opts)) return {};
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  load_tensor<tuned_for<Input, Output>>(
      describe_parts<reversed>(exclusive, in, out, shape, op, opts, &part), limits);
  return {};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
