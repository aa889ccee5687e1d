// What becomes of the operator of a call, and the types that the scan then has.
#ifndef SCAN_CALL_CALL_TYPES_HPP
#define SCAN_CALL_CALL_TYPES_HPP

#include <optional>
#include <type_traits>
#include <utility>

#include "scan/operands/functors.hpp"
#include "scan/operands/held.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// An input or output, with elements that are held where they have no default constructor.
template <class Input>
const Input& held_input(const Input& in) {
  return in;
}
template <class In, class Function, std::enable_if_t<!std::is_default_constructible_v<In>, int> = 0>
transform_input<held<In>, reading_held<Function>> held_input(
    const transform_input<In, Function>& in) {
  return {reinterpret_cast<const held<In>*>(in.data), {in.function}};
}
template <class Output>
const Output& held_output(const Output& out) {
  return out;
}
template <class Out, class Function,
          std::enable_if_t<!std::is_default_constructible_v<Out>, int> = 0>
transform_output<held<Out>, Function> held_output(const transform_output<Out, Function>& out) {
  return {reinterpret_cast<held<Out>*>(out.data), out.function};
}

/// A call from `Input` to `Output` with `Op`, which may come with a wish (accumulate_in) and may be
/// another library's functor: the output and the operator that the scan has.
template <class Input, class Output, class Op>
struct call_types {
  using wish = typename wished<Op>::accumulated;
  using given_input = Input;
  using given_output = Output;
  using input_type = std::decay_t<decltype(held_input(std::declval<const Input&>()))>;
  using held_type = std::decay_t<decltype(held_output(std::declval<const Output&>()))>;
  using usual = typename scan_types<input_type, held_type>::accumulated;
  static constexpr bool is_wish = !std::is_void_v<wish> && !std::is_same_v<wish, usual>;
  using output_type = std::conditional_t<is_wish, accumulated_output<held_type, wish>, held_type>;
  using types = scan_types<input_type, output_type>;
  /// Of init and total.
  using value = unheld_t<typename types::value>;
  using bare = typename wished<Op>::op;
  using op_type = own_operator_t<bare, typename types::accumulated, typename types::value>;

  static input_type input(const Input& given) { return held_input(given); }
  static output_type output(const Output& given) {
    if constexpr (is_wish) {
      return {held_output(given)};
    } else {
      return held_output(given);
    }
  }
  template <class Options>
  static decltype(auto) options(const Options& given) {
    if constexpr (is_held<typename types::value>) {
      return retyped<typename types::value, value>(given, std::nullopt);
    } else {
      return (given);
    }
  }
  static op_type op(const Op& given) {
    if constexpr (std::is_same_v<op_type, bare>) {
      return wished<Op>::bare(given);
    } else {
      return {};
    }
  }
};
/// The same of a call from pointer to pointer.
template <class In, class Out, class Op>
using pointer_call = call_types<transform_input<In>, transform_output<Out>, Op>;

/// Whether nothing of the user's own that a scan in host memory calls can throw: the operator and
/// its copies, the functions on the way in and out, conversions, default constructors.
template <class Input, class Output, class Op>
constexpr bool scans_nothrow() noexcept {
  using call = call_types<Input, Output, Op>;
  using types = typename call::types;
  using op_type = typename call::op_type;
  using T = typename types::accumulated;
  using value = typename types::value;
  if constexpr (std::is_nothrow_invocable_v<op_type&, const T&, const T&> &&
                std::is_pointer_v<decltype(Input::data)> &&
                std::is_pointer_v<decltype(Output::data)>) {
    using in_function = decltype(Input::function);
    using out_function = decltype(Output::function);
    using folded = std::decay_t<std::invoke_result_t<op_type&, const T&, const T&>>;
    using given = std::decay_t<std::invoke_result_t<const out_function&, const value&>>;
    return std::is_nothrow_copy_constructible_v<op_type> && converts_nothrow<T, folded>() &&
           std::is_nothrow_invocable_v<const in_function&, const typename types::in&> &&
           std::is_nothrow_copy_constructible_v<in_function> &&
           converts_nothrow<T, typename types::read>() && converts_nothrow<value, T>() &&
           std::is_nothrow_invocable_v<const out_function&, const value&> &&
           std::is_nothrow_copy_constructible_v<out_function> &&
           converts_nothrow<typename types::out, given>() &&
           std::is_nothrow_default_constructible_v<typename types::in> &&
           std::is_nothrow_default_constructible_v<typename types::out> &&
           std::is_nothrow_default_constructible_v<T>;
  } else {
    return false;
  }
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
