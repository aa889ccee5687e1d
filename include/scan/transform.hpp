// What a scan reads and writes: a pointer, and a function applied on the way in or out.
#ifndef SCAN_TRANSFORM_HPP
#define SCAN_TRANSFORM_HPP

#include <type_traits>
#include <utility>

#include "scan/accumulator.hpp"
#include "scan/host_device.hpp"

namespace scan {

/// Passes a value on.
struct as_is {
  template <class T>
  SCAN_HOST_DEVICE constexpr T operator()(const T& value) const noexcept {
    return value;
  }
};

/// An input whose elements are seen as `function(data[i])`. The function is called for elements of
/// [0, n) only, more than once for each, and has to be pure; for a scan in device memory it is a
/// `__host__ __device__` lambda or function object.
template <class In, class Function = as_is>
struct transform_input {
  using element = In;
  const In* data;
  Function function;
};
template <class In, class Function>
transform_input(const In*, Function) -> transform_input<In, Function>;
template <class In, class Function>
transform_input(In*, Function) -> transform_input<In, Function>;

/// An output that receives `function(result)`; once for each element, and pure too.
template <class Out, class Function = as_is>
struct transform_output {
  using element = Out;
  Out* data;
  Function function;
};
template <class Out, class Function>
transform_output(Out*, Function) -> transform_output<Out, Function>;

/// The types that meet in one scan.
template <class Input, class Output>
struct scan_types {
  using input = Input;
  using output = Output;
  using in = typename Input::element;
  using out = typename Output::element;
  using read =
      std::decay_t<decltype(std::declval<const Input&>().function(std::declval<const in&>()))>;
  /// Of init and total: the output's, or with a function on the way out what the input yields.
  using value = std::conditional_t<std::is_same_v<decltype(Output::function), as_is>, out, read>;
  /// What the operator sees.
  using accumulated = accumulator_t<read, value>;
};

/// Whether nothing of the user's own that a scan in host memory calls can throw: the operator and
/// its copies, the functions on the way in and out, conversions, default constructors.
template <class Input, class Output, class Op>
constexpr bool scans_nothrow() noexcept {
  using types = scan_types<Input, Output>;
  using T = typename types::accumulated;
  using value = typename types::value;
  if constexpr (std::is_nothrow_invocable_v<Op&, const T&, const T&>) {
    using in_function = decltype(Input::function);
    using out_function = decltype(Output::function);
    using folded = std::decay_t<std::invoke_result_t<Op&, const T&, const T&>>;
    using given = std::decay_t<std::invoke_result_t<const out_function&, const value&>>;
    return std::is_nothrow_copy_constructible_v<Op> && converts_nothrow<T, folded>() &&
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

/// Whether neither side has a function: a scan from pointer to pointer.
template <class Input, class Output>
inline constexpr bool both_as_is = std::is_same_v<decltype(Input::function), as_is>&&
    std::is_same_v<decltype(Output::function), as_is>;

/// A pointer as an input or output that passes its elements on.
template <class In>
transform_input<In> as_input(const In* data) noexcept {
  return {data, {}};
}
template <class In, class Function>
const transform_input<In, Function>& as_input(const transform_input<In, Function>& in) noexcept {
  return in;
}
template <class Out>
transform_output<Out> as_output(Out* data) noexcept {
  return {data, {}};
}
template <class Out, class Function>
const transform_output<Out, Function>& as_output(
    const transform_output<Out, Function>& out) noexcept {
  return out;
}

/// The types of a scan from `In` to `Out`, one of which at least has a function; else none.
template <class In, class Out>
using transformed_types =
    std::enable_if_t<!std::is_pointer_v<std::decay_t<In>> || !std::is_pointer_v<std::decay_t<Out>>,
                     scan_types<std::decay_t<decltype(as_input(std::declval<const In&>()))>,
                                std::decay_t<decltype(as_output(std::declval<const Out&>()))>>>;

}  // namespace scan

#endif
