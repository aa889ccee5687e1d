// The gradient of a recurrence along a tensor: what both paths check, and describe.
#ifndef SCAN_CALL_GRADIENT_CALL_HPP
#define SCAN_CALL_GRADIENT_CALL_HPP

#include <cstdint>

#include "scan/call/gradient_problem.hpp"
#include "scan/call/tensor_problem.hpp"
#include "scan/extents.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What is written.
template <class T>
struct gradient_output {
  T *of_a, *of_b;
};

/// `reversed`: against the recurrence's own direction.
template <bool reversed, class T, class Options>
auto describe_gradient(const gradient_input<T>& in, const gradient_output<T>& out,
                       const tensor_shape& shape, const Options& opts) {
  using problem = gradient_problem<T, reversed>;
  const recurrence_input<T>& back = in;
  typename problem::base walk{back, {out.of_b}, shape.length};
  walk.init_pointer = opts.grad_total;
  walk.total = opts.grad_init;
  const std::int64_t last = reversed ? 0 : (shape.length - 1) * shape.inner;
  return tensor_problem<problem>(problem(walk, in, out.of_a, last), shape);
}

/// The arrays that are read in messages; what is written has to be told from `grad_h` alone.
inline constexpr input_role the_gradients{
    true, "recurrence_gradient: grad_h is null but there are elements",
    "recurrence_gradient: grad_h is not aligned to its element type",
    "recurrence_gradient: grad_b overlaps grad_h and is not in place", nullptr};
inline constexpr input_role the_given_factors{
    false, "recurrence_gradient: a is null but there are elements",
    "recurrence_gradient: a is not aligned to its element type",
    "recurrence_gradient: grad_a or grad_b overlaps a", nullptr};
inline constexpr input_role the_states{false,
                                       "recurrence_gradient: h is null but there are elements",
                                       "recurrence_gradient: h is not aligned to its element type",
                                       "recurrence_gradient: grad_a or grad_b overlaps h", nullptr};
inline constexpr input_role beside_gradients{false, the_gradients.null, the_gradients.misaligned,
                                             "recurrence_gradient: grad_a overlaps grad_h",
                                             nullptr};

/// A value a sequence: null, or one that lies apart from the arrays.
template <class T, class Value>
status validate_state_gradient(const Value* values, const char* misaligned, const char* overlapping,
                               const tensor_shape& shape, std::initializer_list<const T*> of_inputs,
                               std::initializer_list<const T*> of_outputs) noexcept {
  if (values == nullptr) return {};
  if (!element_aligned(values)) return {cudaErrorInvalidValue, misaligned};
  const memory_range mine(values, shape.num_sequences());
  bool overlaps = false;
  for (const T* each : of_inputs) {
    overlaps = overlaps || mine.overlaps(slabs(each, shape, shape.in_pitch, 0).all);
  }
  for (const T* each : of_outputs) {
    overlaps = overlaps || mine.overlaps(slabs(each, shape, shape.out_pitch, 0).all);
  }
  return overlaps ? status(cudaErrorInvalidValue, overlapping) : status();
}

template <class T, class Options>
status validate_state_gradients(const gradient_input<T>& in, const gradient_output<T>& out,
                                const Options& opts, const tensor_shape& shape) noexcept {
  const status inits = validate_state_gradient<T>(
      opts.init_pointer, "options.init_pointer is not aligned to its type",
      "options.init_pointer overlaps grad_a or grad_b", shape, {}, {out.of_a, out.of_b});
  if (!inits.ok()) return inits;
  const status totals = validate_state_gradient<T>(
      opts.grad_total, "options.grad_total is not aligned to its type",
      "options.grad_total overlaps grad_a or grad_b", shape, {}, {out.of_a, out.of_b});
  if (!totals.ok()) return totals;
  const memory_range written(opts.grad_init, opts.grad_init == nullptr ? 0 : shape.num_sequences());
  const auto overlaps = [&](const state_t<T>* values) {
    return values != nullptr && written.overlaps(memory_range(values, shape.num_sequences()));
  };
  if (overlaps(opts.grad_total)) {
    return {cudaErrorInvalidValue, "options.grad_init overlaps options.grad_total"};
  }
  if (overlaps(opts.init_pointer)) {
    return {cudaErrorInvalidValue, "options.grad_init overlaps options.init_pointer"};
  }
  return validate_state_gradient<T>(opts.grad_init, "options.grad_init is not aligned to its type",
                                    "options.grad_init overlaps an array of the call", shape,
                                    {in.data, in.factors, in.states}, {out.of_a, out.of_b});
}

/// What both paths check before they describe; then `shape` is what `given` means.
template <class T, class Options>
status validate_gradient(const gradient_input<T>& in, const gradient_output<T>& out,
                         const extents& given, const Options& opts, tensor_shape& shape) noexcept {
  if (opts.init && opts.init_pointer != nullptr) {
    return {cudaErrorInvalidValue, "options.init and options.init_pointer are both given"};
  }
  const status resolved = resolve(given, 0, sizeof(state_t<T>), shape);
  if (!resolved.ok()) return resolved;
  const bool is_empty = shape.num_sequences() == 0 || shape.length == 0;
  if (!is_empty && out.of_a == nullptr) {
    return {cudaErrorInvalidValue, "recurrence_gradient: grad_a is null but there are elements"};
  }
  if (!is_empty && out.of_b == nullptr) {
    return {cudaErrorInvalidValue, "recurrence_gradient: grad_b is null but there are elements"};
  }
  const struct {
    const T* read;
    const T* written;
    const input_role& role;
  } pairs[] = {{in.data, out.of_b, the_gradients},        {in.data, out.of_a, beside_gradients},
               {in.factors, out.of_a, the_given_factors}, {in.factors, out.of_b, the_given_factors},
               {in.states, out.of_a, the_states},         {in.states, out.of_b, the_states}};
  for (const auto& each : pairs) {
    const status checked = validate_slabs(each.read, each.written, shape, 0, each.role);
    if (!checked.ok()) return checked;
  }
  const slabs of_a(out.of_a, shape, shape.out_pitch, 0), of_b(out.of_b, shape, shape.out_pitch, 0);
  if (of_a.overlaps(of_b)) {
    return {cudaErrorInvalidValue, "recurrence_gradient: grad_a overlaps grad_b"};
  }
  return validate_state_gradients(in, out, opts, shape);
}

/// Whether nothing is written at all.
template <class T>
bool writes_no_gradient(const tensor_shape& shape, const T* grad_init) noexcept {
  return shape.num_sequences() == 0 || (shape.length == 0 && grad_init == nullptr);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
