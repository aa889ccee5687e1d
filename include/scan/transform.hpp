// What a scan reads and writes: a pointer, and a function applied on the way in or out.
#ifndef SCAN_TRANSFORM_HPP
#define SCAN_TRANSFORM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "scan/abi.hpp"
#include "scan/operands/accumulator.hpp"
#include "scan/operands/held.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Passes a value on.
struct SCAN_SHOWN as_is {
  template <class T>
  SCAN_HIDDEN_TEMPLATE SCAN_HOST_DEVICE constexpr T operator()(const T& value) const noexcept {
    return value;
  }
};

/// An input whose elements are seen as `function(data[i])`, or as `function(data[i], i)` where the
/// function takes a second argument, the element's index as a `std::int64_t`: in memory, also where
/// the scan is reversed. The function is called for elements of [0, n) only, more than once for
/// each, and has to be pure; for a scan in device memory it is a `__host__ __device__` lambda or
/// function object. One that takes the index is given elements one by one: see iterators.hpp.
template <class In, class Function = as_is>
struct SCAN_SHOWN transform_input {
  using element = In;
  const In* data;
  Function function;
};
template <class In, class Function>
transform_input(const In*, Function) -> transform_input<In, Function>;
template <class In, class Function>
transform_input(In*, Function) -> transform_input<In, Function>;

template <class Function, class In>
inline constexpr bool takes_index = !std::is_invocable_v<const Function&, const In&> &&
                                    std::is_invocable_v<const Function&, const In&, std::int64_t>;

/// An output that receives `function(result)`; once for each element, and pure too.
template <class Out, class Function = as_is>
struct SCAN_SHOWN transform_output {
  static_assert(!std::is_const_v<Out>,
                "scan: the output is const (as is a copy of what owns its elements: give data())");
  using element = Out;
  Out* data;
  Function function;
};
template <class Out, class Function>
transform_output(Out*, Function) -> transform_output<Out, Function>;

/// What `Output::accumulated` asks the scan to compute in, or void: see accumulate_in.
template <class Output, class = void>
struct wished_by {
  using type = void;
};
template <class Output>
struct wished_by<Output, std::void_t<typename Output::accumulated>> {
  using type = typename Output::accumulated;
};

/// A lambda of the device alone: on the host nobody knows what it takes and gives.
#ifdef __CUDACC_EXTENDED_LAMBDA__
template <class Function>
inline constexpr bool is_device_lambda = __nv_is_extended_device_lambda_closure_type(Function);
#else
template <class Function>
inline constexpr bool is_device_lambda = false;
#endif

/// The types that meet in one scan.
template <class Input, class Output>
struct scan_types {
  static_assert(!is_device_lambda<decltype(Input::function)> &&
                    !is_device_lambda<decltype(Output::function)>,
                "scan: what a __device__ lambda takes and gives is unknown on the host: make the "
                "function a __host__ __device__ lambda, a function object or "
                "cuda::proclaim_return_type of the lambda");
  static_assert(std::is_invocable_v<decltype(Input::function), const typename Input::element&>,
                "scan: the function on the way in takes neither an element nor an element and its "
                "index");
  using input = Input;
  using output = Output;
  using wish = typename wished_by<Output>::type;
  static constexpr bool is_wish = !std::is_void_v<wish>;
  using in = typename Input::element;
  using read =
      std::decay_t<decltype(std::declval<const Input&>().function(std::declval<const in&>()))>;
  /// What an output is before its function: what the input yields.
  using found = std::conditional_t<is_wish, wish, read>;
  /// (An iterator that takes whatever it is given has no element type.)
  using out =
      std::conditional_t<std::is_void_v<typename Output::element>, found, typename Output::element>;
  /// Of init and total: the output's, or with a function on the way out what it is given.
  using value = std::conditional_t<std::is_same_v<decltype(Output::function), as_is>, out, found>;
  /// What the operator sees.
  using accumulated = std::conditional_t<is_wish, wish, accumulator_t<read, value>>;
  /// Bytes of the widest of them that travel.
  static constexpr int widest = static_cast<int>(std::max(
      {sizeof(in), sizeof(out), sizeof(value), is_wish ? sizeof(accumulated) : sizeof(out)}));
};

/// Whether elements lie in memory as an array: else `Side` (an input or output) has a cursor of
/// iterators.hpp where others have a pointer.
template <class Side>
inline constexpr bool is_array = std::is_pointer_v<decltype(Side::data)>;

template <class Input, class Output>
constexpr bool in_arrays_only() noexcept {
  static_assert(is_array<Input> && is_array<Output>,
                "scan: iterators that are not over arrays, and functions that take the index, are "
                "for one sequence, segments and keys: give tensors pointers, contiguous iterators "
                "or a transform_input with a function of the element alone");
  return true;
}

/// The index of an output that is no pointer's, or none: as a pointer that may be null.
struct output_index {
  std::int64_t index = -1;
  output_index() = default;
  SCAN_HOST_DEVICE explicit output_index(std::int64_t i) : index(i) {}
  SCAN_HOST_DEVICE output_index(std::nullptr_t) {}
  SCAN_HOST_DEVICE bool operator==(std::nullptr_t) const { return index < 0; }
  SCAN_HOST_DEVICE bool operator!=(std::nullptr_t) const { return index >= 0; }
};
template <class Output, class Out>
using output_place = std::conditional_t<is_array<Output>, Out*, output_index>;

/// The place of output `i`, and what is there.
template <class Out>
SCAN_HOST_DEVICE Out* place_of_output(Out* data, std::int64_t i) {
  return data + i;
}
template <class Cursor>
SCAN_HOST_DEVICE output_index place_of_output(const Cursor&, std::int64_t i) {
  return output_index(i);
}
template <class Out>
SCAN_HOST_DEVICE Out& output_at(Out*, Out* place) {
  return *place;
}
template <class Cursor>
SCAN_HOST_DEVICE auto output_at(const Cursor& data, output_index place) {
  return data[place.index];
}

/// Whether a scan goes from pointer to pointer, with no function and no wish, both as the caller
/// has given them.
template <class Input, class Output>
inline constexpr bool both_as_is =
    std::is_same_v<Input, transform_input<typename Input::element>>&&
        std::is_same_v<Output, transform_output<typename Output::element>> &&
    !is_held<typename Output::element>;

/// A pointer as an input or output that passes its elements on. (More: iterators.hpp.)
template <class In>
transform_input<In> as_input(const In* data) noexcept {
  return {data, {}};
}
template <class In, class Function, std::enable_if_t<!takes_index<Function, In>, int> = 0>
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

}  // namespace SCAN_ABI
}  // namespace scan

#endif
