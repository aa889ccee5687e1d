// From the arguments of a call for a tensor to its kernel: check, describe, choose by shape.
//
//   one sequence      the kernels of the call without extents
//   rows (inner = 1)  short ones several a warp; a block each while there are few; else blocks that
//                     take tiles of rows, or the ring
//   anything else     columns
#ifndef SCAN_DEVICE_TENSOR_LAUNCH_CUH
#define SCAN_DEVICE_TENSOR_LAUNCH_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/checked_call.hpp"
#include "scan/device/column_launch.cuh"
#include "scan/device/launch.cuh"
#include "scan/device/loaded_kernel.cuh"
#include "scan/device/row_launch.cuh"
#include "scan/device/short_rows_kernel.cuh"
#include "scan/slice_part.hpp"
#include "scan/tensor_problem.hpp"

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

/// Rows that are not short.
template <class Tuned, class Tensor>
status launch_rows(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                   const device_limits& limits, const slice_part* part) noexcept {
  constexpr bool recurs = Tensor::num_inputs > 1;
  const bool is_long = part != nullptr && part->is_long;
  const auto plan_here = [&](bool with_ring) {
    return plan_rows(scan.shape.outer, scan.shape.length, Tuned::element_bytes, with_ring, recurs,
                     limits.sm_count, is_long);
  };
  bool has_ring = false;
  if constexpr (!recurs && in_ring<Tensor>) {
    has_ring = limits.ring_bytes_of_block > 0 && (!is_long || part->in_ring);
    if (has_ring && plan_here(true).kernel == row_kernel_kind::ring) {
      using tiled = ring_rows<Tuned, Tensor>;
      int num_stages = 0;
      if (const cudaError_t code = prepared_ring<tiled>::stages(limits, num_stages)) {
        return {code, "preparing the ring kernel failed"};
      }
      if (num_stages > 0) {
        const tiled rows(scan);
        return launch_ring(
            rows,
            with_room(scan, opts, tile_states<typename tiled::T>::required_bytes(rows.num_tiles)),
            limits.sm_count, limits, num_stages);
      }
      has_ring = false;
    }
  }
  return launch_row_tiles<Tuned>(scan, opts, plan_here(has_ring), limits);
}

template <class Tuned, class Tensor>
status launch_tensor(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                     const slice_part* part = nullptr) noexcept {
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  if (opts.algorithm != algorithm::automatic) {
    return {cudaErrorNotSupported,
            "options.algorithm: tensors and recurrences choose for themselves"};
  }
  if (scan.shape.length == 0) {
    const std::int64_t blocks = std::min<std::int64_t>((scan.shape.num_sequences() - 1) / 256 + 1,
                                                       std::int64_t{limits.sm_count} * 8);
    return enqueue(empty_sequences_kernel<Tensor>, {blocks, 256}, opts.stream, scan);
  }
  const bool is_long = part != nullptr && part->is_long;
  if (scan.shape.inner > 1) return launch_columns(scan, opts, limits, is_long);
  if (vectors_of(scan.shape.length, Tuned::element_bytes) <= short_row_vectors) {
    return launch_short_rows(scan, opts, limits);
  }
  return launch_rows<Tuned>(scan, opts, limits, part);
}

/// Whether the call without extents gives a sequence of this length the bits that it has among
/// others: not where that is by look-back.
template <class Tuned, class Problem>
bool is_plain_here(std::int64_t length) noexcept {
  device_limits limits;
  if (!current_limits(limits).ok()) return true;  // it says why
  const bool has_ring = in_ring<Problem> && limits.ring_bytes_of_block > 0;
  return kernel_for(length, Tuned::element_bytes, has_ring) != algorithm::look_back;
}

/// What check_call has to say; `factors`: of a recurrence, else null.
template <class In, class Out, class Value>
status check_tensor_call(const tensor_shape& shape, const In* in, const In* factors, const Out* out,
                         const options<Value>& opts) noexcept {
  const std::int64_t num_items = shape.span(shape.in_pitch);
  const std::int64_t num_values = writes_nothing(shape, opts) ? 0 : shape.num_sequences();
  return check_call(opts, {{argument::input, {in, num_items}},
                           {argument::factors, {factors, num_items}},
                           {argument::output, {out, shape.span(shape.out_pitch, opts.complete)}},
                           {argument::init_pointer, {opts.init_pointer, num_values}},
                           {argument::total, {opts.total, num_values}}});
}

/// Loads the kernels of rows: loaded_kernel.cuh says why.
template <class Tuned, class Tensor, int rows = 1>
void load_row_kernels(const device_limits& limits) noexcept {
  constexpr int bytes = Tuned::element_bytes;
  if constexpr (rows == 1) {
    load_kernel<short_rows_kernel<short_rows_problem<Tensor>>>(limits);
    load_kernel<row_wave_kernel<row_wave_shape<bytes>, Tensor>>(limits);
    if constexpr (in_ring<Tensor>) {
      int num_stages = 0;
      static_cast<void>(prepared_ring<ring_rows<Tuned, Tensor>>::stages(limits, num_stages));
    }
  }
  if constexpr (rows <= most_wave_rows(bytes)) {
    if constexpr (has_wave_rows(bytes, rows)) {
      load_kernel<row_kernel<row_problem<bytes, rows, Tensor>>>(limits);
    }
    load_row_kernels<Tuned, Tensor, 2 * rows>(limits);
  }
}
/// The same of any tensor of that shape.
template <class Tuned, class Tensor>
status load_tensor_kernels(const Tensor& scan, cudaStream_t stream) noexcept {
  device_limits limits;
  if (const status asked = current_limits(limits, stream); !asked.ok()) return asked;
  if (scan.shape.length == 0) {
    load_kernel<empty_sequences_kernel<Tensor>>(limits);
  } else if (scan.shape.inner > 1) {
    load_kernel<column_kernel<column_problem<Tensor>>>(limits);
  } else {
    load_row_kernels<Tuned, Tensor>(limits);
  }
  return {};
}

/// Describes and launches, or loads; `part` may be null.
template <bool reversed, class Input, class Output, class Op, class Options>
status launch_described(bool exclusive, const Input& in, const Output& out,
                        const tensor_shape& shape, Op op, const Options& opts,
                        const slice_part* part) noexcept {
  using tuning = tuned_for<Input, Output>;
  const auto described = describe_tensor<reversed>(exclusive, in, out, shape, op, opts);
  using sequence = sequence_part<typename std::decay_t<decltype(described)>::Problem>;
  const tensor_problem<sequence> scan(sequence(described, part), shape);
  if (part != nullptr && part->is_to_come) return load_tensor_kernels<tuning>(scan, opts.stream);
  return launch_tensor<tuning>(scan, opts, part);
}

/// A slice, whose arguments have been checked. Of more than one sequence.
template <class Input, class Output, class Op, class Options>
status scan_part(bool exclusive, const Input& in, const Output& out, const extents& given, Op op,
                 const Options& opts, const slice_part* part) noexcept {
  using types = scan_types<Input, Output>;
  tensor_shape shape;
  if (const status resolved = resolve(given, opts.complete, types::widest, shape); !resolved.ok()) {
    return resolved;
  }
  if (writes_nothing(shape, opts)) return {};
  return opts.reverse ? launch_described<true>(exclusive, in, out, shape, op, opts, part)
                      : launch_described<false>(exclusive, in, out, shape, op, opts, part);
}

/// Scans of a tensor in device memory: `inclusive` and `exclusive` of tensors.hpp. `part`: see
/// slice_part.hpp.
template <class Input, class Output, class Op>
status scan_tensor(bool exclusive, const Input& in, const Output& out, const extents& given, Op op,
                   const options<typename scan_types<Input, Output>::value>& opts,
                   const slice_part* part) noexcept {
  using tuning = tuned_for<Input, Output>;
  const pending_error the_callers;
  if (part != nullptr) return scan_part(exclusive, in, out, given, op, opts, part);
  tensor_shape shape;
  if (const status checked = validate_tensor<Op>(exclusive, in, out, given, opts, shape);
      !checked.ok()) {
    return checked;
  }
  if (const status checked = check_tensor_call(shape, in.data, decltype(in.data){}, out.data, opts);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(shape, opts)) return {};
  using forward = decltype(describe_tensor<false>(exclusive, in, out, shape, op, opts));
  if (shape.num_sequences() == 1 &&
      (opts.algorithm != algorithm::automatic || is_plain_here<tuning, forward>(shape.length))) {
    if constexpr (both_as_is<Input, Output>) {
      return scan_pointers(exclusive, in.data, out.data, shape.length, op, opts);
    } else {
      return scan_device(exclusive, in, out, shape.length, op, opts);
    }
  }
  const status launched = opts.reverse
                              ? launch_described<true>(exclusive, in, out, shape, op, opts, part)
                              : launch_described<false>(exclusive, in, out, shape, op, opts, part);
  return finish_call(launched, opts.stream);
}

/// `recurrence` of tensors.hpp.
template <class T>
status recur(const recurrence_input<T>& in, T* out, const extents& given,
             const options<state_t<T>>& opts) noexcept {
  using tuning = tuned<static_cast<int>(sizeof(state_t<T>))>;
  const pending_error the_callers;
  tensor_shape shape;
  if (const status checked = validate_recurrence(in, out, given, opts, shape); !checked.ok()) {
    return checked;
  }
  if (const status checked = check_tensor_call(shape, in.data, in.factors, out, opts);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(shape, opts)) return {};
  const status launched =
      opts.reverse ? launch_tensor<tuning>(describe_recurrence<true>(in, out, shape, opts), opts)
                   : launch_tensor<tuning>(describe_recurrence<false>(in, out, shape, opts), opts);
  return finish_call(launched, opts.stream);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
