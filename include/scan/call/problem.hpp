// One scan, checked and described: what the workers of the device and of the host path share.
#ifndef SCAN_CALL_PROBLEM_HPP
#define SCAN_CALL_PROBLEM_HPP

#include <cstdint>
#include <optional>

#include "scan/call/validate.hpp"
#include "scan/operands/accumulator.hpp"
#include "scan/operands/applied.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/status.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Items are numbered as they are scanned: item i is element i of input and output, or element
/// n - 1 - i of a `reversed` scan, whose operator is `flipped`.
template <class Input, class Output, class Op, bool reversed_>
struct problem {
  using types = scan_types<Input, Output>;
  using in_type = typename types::in;
  using out_type = typename types::out;
  using value_type = typename types::value;
  using T = typename types::accumulated;
  using op_type = Op;
  static constexpr bool reversed = reversed_;
  static constexpr int num_inputs = 1;  // arrays that are read: see recurrence_problem
  static constexpr int num_outputs = 1;
  static constexpr int run_inputs = num_inputs;
  static constexpr bool is_recurrence = false, has_heads = false;
  static constexpr bool is_walked = false;  // whatever is asked for: no other kernel takes it

  Input in;
  Output out;
  std::int64_t num_items;
  Op op;
  bool exclusive;
  prefix<T> init;  // by value, or absent
  T first_output;  // what an exclusive scan starts with when there is no init
  const value_type* init_pointer = nullptr;  // or null
  value_type* total = nullptr;               // receives the fold of everything, or null
  using place = output_place<Output, out_type>;
  place end_output = nullptr;    // the same, as an output
  place start_output = nullptr;  // receives what precedes the first item, or null

  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE T take(const in_type& element) const {
    return masked_by(op, convert<T>(in.function(element)));
  }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE out_type give(const T& result) const {
    return convert<out_type>(out.function(as_value(result)));
  }

  /// The same for those who read any number of arrays.
  SCAN_HOST_DEVICE const in_type* input(int) const { return in.data; }
  SCAN_HOST_DEVICE out_type* output(int) const { return out.data; }
  /// How many steps later in the scan's order the element is that a step reads.
  SCAN_HOST_DEVICE static constexpr int beside(int) { return 0; }
  /// What all items of a sequence have in common.
  using constants = no_constants;
  SCAN_HOST_DEVICE constants in_common() const { return {}; }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE T take_all(const in_type (&elements)[1], const constants& = {}) const {
    return take(elements[0]);
  }

  /// As a type of one direction: for those who are told at run time which way they go.
  auto forwards() const {
    return problem<Input, Output, Op, false>{in,        out,        num_items,    op,
                                             exclusive, init,       first_output, init_pointer,
                                             total,     end_output, start_output};
  }

  /// From `by` elements further on.
  SCAN_HOST_DEVICE void move_by(std::int64_t by) {
    in.data = in.data + by;
    out.data = out.data + by;
  }
  /// To another sequence of a tensor. (No assignment: what operators capture may have none.)
  SCAN_HOST_DEVICE void move_to(std::int64_t in_offset, std::int64_t out_offset,
                                std::int64_t sequence) {
    in.data += in_offset;
    out.data += out_offset;
    if (init_pointer != nullptr) init_pointer += sequence;
    if (total != nullptr) total += sequence;
    if (end_output != nullptr) end_output += out_offset;
    if (start_output != nullptr) start_output += out_offset;
  }

  SCAN_HOST_DEVICE bool has_init() const { return init_pointer != nullptr || init.exists; }
  /// The fold before the first item.
  SCAN_HOST_DEVICE prefix<T> start() const {
    return init_pointer != nullptr ? prefix<T>{as_operand(*init_pointer), true} : init;
  }
  /// From init and total to what the operator sees, and back.
  SCAN_HOST_DEVICE T as_operand(const value_type& value) const {
    return masked_by(op, convert<T>(value));
  }
  SCAN_HOST_DEVICE value_type as_value(const T& operand) const {
    return convert<value_type>(masked_by(op, operand));
  }
  /// One worker calls them, with start() and with the fold of start() and all items.
  SCAN_HOST_DEVICE void write_start(const prefix<T>& start) const {
    if (start_output == nullptr) return;
    output_at(out.data, start_output) = give(start.exists ? start.value : first_output);
  }
  SCAN_HOST_DEVICE void write_end(const prefix<T>& end) const {
    const T value = end.exists ? end.value : first_output;
    if (total != nullptr) *total = as_value(value);
    if (end_output != nullptr) output_at(out.data, end_output) = give(value);
  }
};

/// Whether a problem's input and output are arrays: what has bulk copies, vectors, rings.
template <class Problem>
inline constexpr bool in_arrays =
    is_array<decltype(Problem::in)>&& is_array<decltype(Problem::out)>;

/// Describes a scan whose pointers have been validated; `Options` are device or host ones.
template <bool reversed, class Input, class Output, class Op, class Options>
auto describe(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
              const Options& opts) {
  using T = typename scan_types<Input, Output>::accumulated;
  const auto ordered = in_scan_order<reversed, T>(op);
  problem<Input, Output, std::decay_t<decltype(ordered)>, reversed> scan = {
      in, out, n, ordered, exclusive, {}, {}};
  if (opts.init) {
    scan.init = {scan.as_operand(*opts.init), true};
  } else if constexpr (has_identity<Op, T>) {
    scan.first_output = identity_of<Op, T>();
  }
  scan.total = opts.total;
  if (opts.complete && reversed) {
    // The n + 1 suffixes are the inclusive ones and the empty one at the end.
    scan.exclusive = false;
    scan.start_output = place_of_output(out.data, n);
  } else if (opts.complete) {
    scan.end_output = place_of_output(out.data, n);
  }
  return scan;
}

template <class T>
bool names_algorithm(const options<T>& opts) noexcept {
  return is_algorithm(opts.algorithm);
}
template <class T>
bool names_algorithm(const host_options<T>&) noexcept {
  return true;
}

/// What both paths check of options before they look at sizes.
template <class Options>
status validate_options(const Options& opts) noexcept {
  if (!names_algorithm(opts)) {
    return {cudaErrorInvalidValue, "options.algorithm is none of scan::algorithm"};
  }
  if (opts.init && opts.init_pointer != nullptr) {
    return {cudaErrorInvalidValue, "options.init and options.init_pointer are both given"};
  }
  return {};
}

/// The array that `data` of an input or output is at, or none.
template <class T>
T* array_of(T* data) noexcept {
  return data;
}
template <class Cursor>
auto array_of(const Cursor& data) noexcept {
  return data.array();
}

/// What both paths check before they describe.
template <class Op, class Input, class Output, class Options>
status validate_scan(bool exclusive, const Input& in, const Output& out, std::int64_t n,
                     const Options& opts) noexcept {
  using T = typename scan_types<Input, Output>::accumulated;
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete && !exclusive) {
    return {cudaErrorInvalidValue, "options.complete is for exclusive scans"};
  }
  const auto from = array_of(in.data);
  const auto to = array_of(out.data);
  if (const status checked = validate(from, to, n, opts.complete); !checked.ok()) return checked;
  if (const status checked = validate_total(from, to, n, opts.complete, opts.total);
      !checked.ok()) {
    return checked;
  }
  const bool start_is_seen = n > 0 ? exclusive : opts.complete || opts.total != nullptr;
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (start_is_seen && !init_given && !has_identity<Op, T>) {
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
  return validate_init_pointer(to, n, opts.complete, opts.init_pointer, opts.total);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
