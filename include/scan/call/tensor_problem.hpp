// The scans of a tensor's sequences, checked and described: what the workers of the device and of
// the host path share.
#ifndef SCAN_CALL_TENSOR_PROBLEM_HPP
#define SCAN_CALL_TENSOR_PROBLEM_HPP

#include <algorithm>
#include <cstdint>

#include "scan/call/problem.hpp"
#include "scan/call/recurrence_problem.hpp"
#include "scan/extents.hpp"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// A `problem` or `recurrence_problem` for each sequence: as a problem it is that of sequence
/// (0, 0), whose items are `shape.inner` elements apart; num_items is the length.
template <class Problem_>
struct tensor_problem : Problem_ {
  using Problem = Problem_;
  tensor_shape shape;

  tensor_problem(const Problem& first, const tensor_shape& all) : Problem(first), shape(all) {}

  /// See recurrence_problem.
  auto forwards() const {
    using forward = decltype(Problem_::forwards());
    return tensor_problem<forward>(Problem_::forwards(), shape);
  }

  /// Sequence (outer, inner).
  SCAN_HOST_DEVICE Problem sequence(std::int64_t outer, std::int64_t inner) const {
    const Problem& first = *this;
    Problem one = first;
    one.move_to(outer * shape.in_pitch + inner, outer * shape.out_pitch + inner,
                outer * shape.inner + inner);
    return one;
  }
};

/// Describes the scans of a tensor whose arguments have been checked; `Options` are device or host
/// ones.
template <bool reversed, class Input, class Output, class Op, class Options>
auto describe_tensor(bool exclusive, const Input& in, const Output& out, const tensor_shape& shape,
                     Op op, const Options& opts) {
  auto scan = describe<reversed>(exclusive, in, out, shape.length, op, opts);
  scan.init_pointer = opts.init_pointer;
  if (scan.end_output != nullptr) scan.end_output = out.data + shape.length * shape.inner;
  if (scan.start_output != nullptr) scan.start_output = out.data + shape.length * shape.inner;
  return tensor_problem<decltype(scan)>(scan, shape);
}

template <bool reversed, class Input, class Out, class Options>
auto describe_recurrence(const Input& in, Out* out, const tensor_shape& shape,
                         const Options& opts) {
  const auto walk = describe_walk<reversed>(in, out, shape.length, opts);
  return tensor_problem<std::decay_t<decltype(walk)>>(walk, shape);
}

/// What both paths check before they describe; then `shape` is what `given` means.
template <class Op, class Input, class Output, class Options>
status validate_tensor(bool exclusive, const Input& in, const Output& out, const extents& given,
                       const Options& opts, tensor_shape& shape) noexcept {
  using types = scan_types<Input, Output>;
  constexpr std::int64_t largest = std::max(
      {sizeof(typename types::in), sizeof(typename types::out), sizeof(typename types::value)});
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete && !exclusive) {
    return {cudaErrorInvalidValue, "options.complete is for exclusive scans"};
  }
  if (const status checked = resolve(given, opts.complete, largest, shape); !checked.ok()) {
    return checked;
  }
  if (const status checked = validate_slabs(in.data, out.data, shape, opts.complete);
      !checked.ok()) {
    return checked;
  }
  if (const status checked =
          validate_values(in.data, out.data, shape, opts.complete, opts.init_pointer, opts.total);
      !checked.ok()) {
    return checked;
  }
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  const bool start_is_seen =
      shape.num_sequences() > 0 &&
      (shape.length > 0 ? exclusive : opts.complete || opts.total != nullptr);
  if (start_is_seen && !init_given && !has_identity<Op, typename types::accumulated>) {
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
  return {};
}

/// The arrays of a recurrence in messages.
inline constexpr input_role the_offsets{true, "recurrence: b is null but there are elements",
                                        "recurrence: b is not aligned to its element type",
                                        "recurrence: the output, h, overlaps b and is not in place",
                                        "options.total overlaps b"};
inline constexpr input_role the_factors{
    false, "recurrence: a, the factors, is null but there are elements",
    "recurrence: a, the factors, is not aligned to its type",
    "recurrence: the output, h, overlaps a, the factors", "options.total overlaps a, the factors"};

/// The bytes of a recurrence's factors.
template <class T>
memory_range factors_range(const T* factors, const tensor_shape& shape) noexcept {
  return {factors, shape.span(shape.in_pitch)};
}
template <class S>
memory_range factors_range(const one_factor<S>& factors, const tensor_shape& shape) noexcept {
  return {factors.each, factors.each != nullptr ? shape.num_sequences() : 0};
}

/// One factor a sequence.
template <class S, class Out, class Options>
status validate_factors(const one_factor<S>& factors, const Out* out, const tensor_shape& shape,
                        const Options& opts) noexcept {
  const memory_range read = factors_range(factors, shape);
  if (!element_aligned(factors.each)) return {cudaErrorInvalidValue, the_factors.misaligned};
  if (read.overlaps(slabs(out, shape, shape.out_pitch, 0).all)) {
    return {cudaErrorInvalidValue, the_factors.overlapped};
  }
  if (opts.total != nullptr && read.overlaps(memory_range(opts.total, shape.num_sequences()))) {
    return {cudaErrorInvalidValue, the_factors.overlapped_by_total};
  }
  return {};
}
/// A factor a step.
template <class T, class Out, class Options>
status validate_factors(const T* factors, const Out* out, const tensor_shape& shape,
                        const Options& opts) noexcept {
  const status checked = validate_slabs(factors, out, shape, 0, the_factors);
  if (!checked.ok()) return checked;
  return validate_values(factors, out, shape, 0, opts.init_pointer, opts.total, the_factors);
}

/// The same of a recurrence.
template <class Input, class Out, class Options>
status validate_recurrence(const Input& in, const Out* out, const extents& given,
                           const Options& opts, tensor_shape& shape) noexcept {
  constexpr std::int64_t largest = sizeof(state_t<Out>);
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete) {
    return {cudaErrorInvalidValue, "options.complete is for exclusive scans"};
  }
  if (const status checked = resolve(given, 0, largest, shape); !checked.ok()) return checked;
  if (const status checked = validate_slabs(in.data, out, shape, 0, the_offsets); !checked.ok()) {
    return checked;
  }
  if (const status checked = validate_factors(in.factors, out, shape, opts); !checked.ok()) {
    return checked;
  }
  return validate_values(in.data, out, shape, 0, opts.init_pointer, opts.total, the_offsets);
}

/// Whether nothing is written at all.
template <class Options>
bool writes_nothing(const tensor_shape& shape, const Options& opts) noexcept {
  return shape.num_sequences() == 0 ||
         (shape.length == 0 && !opts.complete && opts.total == nullptr);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
