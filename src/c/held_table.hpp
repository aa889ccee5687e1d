// The table behind find_held, made of the lists of scan/call/prebuilt.hpp.
#ifndef SCAN_SRC_C_HELD_TABLE_HPP
#define SCAN_SRC_C_HELD_TABLE_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "scan/call/front_door.hpp"
#include "src/c/codes.hpp"
#include "src/c/held_calls.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

template <class Op>
inline constexpr bool is_masked = false;
template <class Op, class T>
inline constexpr bool is_masked<masked<Op, T>> = true;

/// The scan by the types and the operator that libscan.a knows it by, as the front door hands it
/// over.
template <class Where, class Shape, class In, class Out, class Op>
status carry_out(const held_call<Shape>& held, const request& given, const Shape& shape) {
  const auto from = as_input(static_cast<const In*>(given.input));
  const auto to = as_output(static_cast<Out*>(given.output));
  const auto opts = options_of<Out>(Where{}, given.options, held.start);
  Op op{};
  if constexpr (is_masked<Op>) op.mask = static_cast<typename Op::bits>(held.inverted());
  if constexpr (is_tensor<Shape> && std::is_same_v<Where, on_device>) {
    using types = scan_types<transform_input<In>, transform_output<Out>>;
    if (is_one_sequence<types>(Where{}, given.input, shape, opts)) {
      return scan_shape(Where{}, given.exclusive, from, to, shape.length, op, opts);
    }
  }
  return scan_shape(Where{}, given.exclusive, from, to, shape, op, opts);
}

template <class Known, class Op>
std::uint64_t inverted_bits() {
  if constexpr (is_masked<typename Known::op>) {
    return Known::shared(Op{}).mask;
  } else {
    return 0;
  }
}

template <class Where, class Shape, class In, class Out, class Op>
constexpr held_call<Shape> call_of() {
  constexpr bool is_sum = std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies>;
  if constexpr (numbers_between<In, Out> == numbers::others || sizeof(In) > sizeof(Out) ||
                (is_sum && std::is_same_v<Out, bool>)) {
    return {};
  } else if constexpr (!Where::template holds<Shape, In, Out, Op>) {
    return {};
  } else {
    using known = typename Where::template known<In, Out, Op>;
    constexpr std::optional<Out> start = start_of_bools<Out, Op>();
    return {carry_out<Where, Shape, typename known::in, typename known::out, typename known::op>,
            inverted_bits<known, Op>, start ? static_cast<int>(*start) : -1};
  }
}

/// Every pair of types with every operator, whether held or not, in the order of their codes.
inline constexpr int num_calls = num_types * num_types * num_operators;
constexpr int place_of_call(int input_type, int output_type, int op) noexcept {
  return ((input_type - 1) * num_types + output_type - 1) * num_operators + op;
}
template <class Where, class Shape, int at>
constexpr held_call<Shape> call_at() {
  return call_of<Where, Shape, type_of<at / num_operators / num_types + 1>,
                 type_of<at / num_operators % num_types + 1>, operator_of<at % num_operators>>();
}
template <class Where, class Shape, int... at>
constexpr std::array<held_call<Shape>, num_calls> all_calls(std::integer_sequence<int, at...>) {
  return {call_at<Where, Shape, at>()...};
}

/// Those that are held, behind one that is not, and where each place has its own among them.
template <class Where, class Shape>
struct held_table {
  static constexpr auto all = all_calls<Where, Shape>(std::make_integer_sequence<int, num_calls>{});
  static constexpr bool is_held(const held_call<Shape>& call) { return call.carry_out != nullptr; }
  static constexpr auto num_held = std::count_if(all.begin(), all.end(), is_held);

  std::array<held_call<Shape>, num_held + 1> calls{};
  std::array<std::uint16_t, num_calls> index{};

  constexpr held_table() {
    std::uint16_t next = 1;
    for (int at = 0; at < num_calls; ++at) {
      if (!is_held(all[at])) continue;
      calls[next] = all[at];
      index[at] = next++;
    }
  }
};

template <class Where, class Shape>
const held_call<Shape>* find_held(std::int32_t input_type, std::int32_t output_type,
                                  std::int32_t op) noexcept {
  static constexpr held_table<Where, Shape> table;
  if (!is_type_code(input_type) || !is_type_code(output_type) || !is_operator_code(op)) {
    return nullptr;
  }
  const std::uint16_t index = table.index[place_of_call(input_type, output_type, op)];
  return index > 0 ? &table.calls[index] : nullptr;
}

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

#endif
