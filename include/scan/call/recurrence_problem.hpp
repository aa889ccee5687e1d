// A recurrence along a sequence, checked and described: what it reads and writes, and what becomes
// of it.
#ifndef SCAN_CALL_RECURRENCE_PROBLEM_HPP
#define SCAN_CALL_RECURRENCE_PROBLEM_HPP

#include <cstdint>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/call/recurrence_maps.hpp"
#include "scan/operands/accumulator.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// In place of an array of factors: one for all steps of a sequence, the same for all sequences or,
/// where `each` is not null, one a sequence there.
template <class S>
struct one_factor {
  S value;
  const S* each;
};

/// What a recurrence reads: `data` are the offsets, b; `Factors` is a pointer, or one_factor.
template <class T, class Factors_ = const T*>
struct recurrence_input {
  using element = T;
  using Factors = Factors_;
  const T* data;
  Factors factors;
};
template <class T>
struct recurrence_output {
  using element = T;
  T* data;
};

/// The steps of a recurrence as one array, in memory's order: for those who walk along one.
template <class S, class Input>
struct recurrence_steps {
  Input in;

  recurrence_steps operator+(std::int64_t i) const {
    recurrence_steps from = *this;
    from.in.data += i;
    if constexpr (std::is_pointer_v<typename Input::Factors>) from.in.factors += i;
    return from;
  }
  recurrence_steps operator-(std::int64_t i) const { return *this + -i; }
  recurrence_step<S> operator[](std::int64_t i) const {
    if constexpr (std::is_pointer_v<typename Input::Factors>) {
      return {convert<S>(in.factors[i]), convert<S>(in.data[i])};
    } else {
      return {in.factors.value, convert<S>(in.data[i])};
    }
  }
};

/// One recurrence, checked and described, as the workers take it: see `problem`, whose members it
/// has. Items are numbered as they are walked, so element n - 1 - i is item i of a `reversed` one.
template <class Input, class Out, bool reversed_>
struct recurrence_problem {
  using in_type = typename Input::element;
  using out_type = Out;
  using value_type = state_t<Out>;
  using T = affine_map<value_type>;
  using op_type = compose_maps;
  static constexpr bool reversed = reversed_;
  static constexpr bool has_one_factor = !std::is_pointer_v<typename Input::Factors>;
  static constexpr int num_inputs = has_one_factor ? 1 : 2;
  static constexpr int num_outputs = 1;
  static constexpr int run_inputs = 2;  // the order is that of two arrays, whatever is read
  static constexpr bool is_recurrence = true, has_heads = false;
  static constexpr bool is_walked = has_one_factor || !std::is_same_v<in_type, out_type>;

  Input in;
  recurrence_output<Out> out;
  std::int64_t num_items;
  op_type op{};
  prefix<T> init{};                          // by value, or absent
  const value_type* init_pointer = nullptr;  // or null
  value_type* total = nullptr;               // receives the last state, or null
  static constexpr bool exclusive = false;
  T first_output{};  // of no items without an init: 0

  SCAN_HOST_DEVICE const in_type* input(int which) const {
    if constexpr (has_one_factor) {
      return in.data;
    } else {
      return which == 0 ? in.data : in.factors;
    }
  }
  SCAN_HOST_DEVICE out_type* output(int) const { return out.data; }
  SCAN_HOST_DEVICE static constexpr int beside(int) { return 0; }

  struct constants {
    std::conditional_t<has_one_factor, value_type, no_constants> factor;
  };
  SCAN_HOST_DEVICE constants in_common() const {
    if constexpr (has_one_factor) {
      return {in.factors.each != nullptr ? *in.factors.each : in.factors.value};
    } else {
      return {};
    }
  }
  SCAN_HOST_DEVICE recurrence_step<value_type> take_all(
      const in_type (&elements)[has_one_factor ? 1 : 2], const constants& common = {}) const {
    if constexpr (has_one_factor) {
      return {common.factor, convert<value_type>(elements[0])};
    } else {
      return {convert<value_type>(elements[1]), convert<value_type>(elements[0])};
    }
  }
  SCAN_HOST_DEVICE out_type give(const T& result) const { return convert<out_type>(result.offset); }

  SCAN_HOST_DEVICE bool has_init() const { return init_pointer != nullptr || init.exists; }
  SCAN_HOST_DEVICE prefix<T> start() const {
    return init_pointer != nullptr ? prefix<T>{as_operand(*init_pointer), true} : init;
  }
  /// A state as the map that everything goes to.
  SCAN_HOST_DEVICE T as_operand(const value_type& state) const {
    return {begins_anew<value_type>, state};
  }
  SCAN_HOST_DEVICE value_type as_value(const T& operand) const { return operand.offset; }
  SCAN_HOST_DEVICE void write_start(const prefix<T>&) const {}
  SCAN_HOST_DEVICE void write_end(const prefix<T>& end) const {
    if (total != nullptr) *total = as_value(end.exists ? end.value : first_output);
  }

  /// As a type of one direction: for those who are told at run time which way they go.
  auto forwards() const {
    return recurrence_problem<Input, Out, false>{in, out, num_items, op, init, init_pointer, total};
  }

  /// From `by` elements further on.
  SCAN_HOST_DEVICE void move_by(std::int64_t by) {
    in.data += by;
    if constexpr (!has_one_factor) in.factors += by;
    out.data += by;
  }
  /// To another sequence of a tensor.
  SCAN_HOST_DEVICE void move_to(std::int64_t in_offset, std::int64_t out_offset,
                                std::int64_t sequence) {
    in.data += in_offset;
    if constexpr (!has_one_factor) {
      in.factors += in_offset;
    } else if (in.factors.each != nullptr) {
      in.factors.each += sequence;
    }
    out.data += out_offset;
    if (init_pointer != nullptr) init_pointer += sequence;
    if (total != nullptr) total += sequence;
  }
};

/// Describes a recurrence of `num_items` steps whose arguments have been checked; `Options` are
/// device or host ones.
template <bool reversed, class Input, class Out, class Options>
auto describe_walk(const Input& in, Out* out, std::int64_t num_items, const Options& opts) {
  recurrence_problem<Input, Out, reversed> walk{in, {out}, num_items};
  if (opts.init) walk.init = {walk.as_operand(*opts.init), true};
  walk.init_pointer = opts.init_pointer;
  walk.total = opts.total;
  return walk;
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
