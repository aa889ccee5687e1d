// Inputs and outputs that are no pointers: iterators, spans, functions that take the index.
//
// What lies in memory as an array is taken for its pointer, at compile time, and costs what that
// costs: see contiguous.hpp. Anything else is read or written through its iterator, element by
// element: on the device by the kernels that hold tiles in registers. Protocols decide, so no
// library that has such iterators is included here.
#ifndef SCAN_ITERATORS_HPP
#define SCAN_ITERATORS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "scan/abi.hpp"
#include "scan/call/call_types.hpp"
#include "scan/call/validate.hpp"
#include "scan/operands/accumulator.hpp"
#include "scan/operands/contiguous.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What can be read or written at `*(it + i)`, and is no array.
template <class Iterator, class = void>
inline constexpr bool is_odd_iterator = false;
template <class Iterator>
inline constexpr bool is_odd_iterator<
    Iterator, std::void_t<decltype(*(std::declval<const Iterator&>() + std::ptrdiff_t{1}))>> =
    std::is_class_v<Iterator> && !is_contiguous<Iterator>;

/// Whether what `*it` gives stands for a value of the type that the iterator names.
template <class Iterator>
using reference_of = decltype(*std::declval<const Iterator&>());
template <class Iterator, class = void>
inline constexpr bool is_readable = false;
template <class Iterator>
inline constexpr bool
    is_readable<Iterator, std::enable_if_t<!std::is_void_v<typename Iterator::value_type>>> =
        std::is_convertible_v<reference_of<Iterator>, typename Iterator::value_type> &&
        !std::is_empty_v<typename Iterator::value_type>;

/// The type of what is read or written; where nobody can tell, `Otherwise`.
template <class Iterator, class Otherwise, bool = is_readable<Iterator>>
struct element_of {
  using type = Otherwise;
};
template <class Iterator, class Otherwise>
struct element_of<Iterator, Otherwise, true> {
  using type = typename Iterator::value_type;
};
template <class Iterator>
using read_from = typename element_of<Iterator, std::decay_t<reference_of<Iterator>>>::type;

/// An iterator by 64-bit distances, as a pointer.
SCAN_CALLS_EITHER_SIDE
template <class Iterator>
SCAN_HOST_DEVICE Iterator moved_by(const Iterator& from, std::int64_t distance) {
  return from + static_cast<typename Iterator::difference_type>(distance);
}

/// What stands for a pointer where an input is read through an iterator.
template <class Iterator>
struct input_cursor {
  using value_type = held_t<read_from<Iterator>>;
  Iterator at;

  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE input_cursor operator+(std::int64_t i) const { return {moved_by(at, i)}; }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE input_cursor operator-(std::int64_t i) const { return {moved_by(at, -i)}; }
  /// (A value: what `*at` refers to may be in the iterator.)
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE value_type operator*() const { return static_cast<read_from<Iterator>>(*at); }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE value_type operator[](std::int64_t i) const { return *(*this + i); }
  no_array array() const { return {}; }
};

/// The same of an output: `*cursor = value`.
template <class Iterator>
struct output_cursor {
  Iterator at;

  struct place {
    Iterator at;
    SCAN_CALLS_EITHER_SIDE
    template <class T>
    SCAN_HOST_DEVICE void operator=(const T& value) const {
      *at = value;
    }
  };
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE output_cursor operator+(std::int64_t i) const { return {moved_by(at, i)}; }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE output_cursor operator-(std::int64_t i) const { return {moved_by(at, -i)}; }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE place operator*() const { return {at}; }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE place operator[](std::int64_t i) const { return {moved_by(at, i)}; }
  no_array array() const { return {}; }
};

/// An input and an output at a cursor. Iterators that call a function, or throw away what they are
/// given, have no say in what a scan computes in: as outputs their element is void.
template <class Cursor>
struct cursor_input {
  using element = typename Cursor::value_type;
  Cursor data;
  as_is function;
};
template <class Iterator>
struct cursor_output {
  using element = typename element_of<Iterator, void>::type;
  output_cursor<Iterator> data;
  as_is function;
};

/// The elements of an array with their indices, as a function sees them.
template <class In, class Function>
struct indexed_cursor {
  using value_type =
      held_t<std::decay_t<std::invoke_result_t<const Function&, const In&, std::int64_t>>>;
  const In* data;
  std::int64_t index;
  Function function;

  SCAN_HOST_DEVICE indexed_cursor operator+(std::int64_t i) const {
    return {data + i, index + i, function};
  }
  SCAN_HOST_DEVICE indexed_cursor operator-(std::int64_t i) const { return *this + -i; }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE value_type operator*() const { return (*this)[0]; }
  SCAN_CALLS_EITHER_SIDE
  SCAN_HOST_DEVICE value_type operator[](std::int64_t i) const {
    held<In> element;  // its bytes: in place it may be of another type than what is written there
    std::memcpy(element.bytes, data + i, sizeof(In));
    return function(element.get(), index + i);
  }
  const In* array() const { return data; }
};

// ---- what a scan reads from, and writes to ----

template <class Iterator,
          std::enable_if_t<is_contiguous<Iterator> && !std::is_pointer_v<Iterator>, int> = 0>
auto as_input(const Iterator& in) noexcept {
  return as_input(as_pointer(in));
}
template <class Iterator, std::enable_if_t<is_odd_iterator<Iterator>, int> = 0>
cursor_input<input_cursor<Iterator>> as_input(const Iterator& in) {
  return {{in}, {}};
}
template <class In, class Function, std::enable_if_t<takes_index<Function, In>, int> = 0>
cursor_input<indexed_cursor<In, Function>> as_input(const transform_input<In, Function>& in) {
  return {{in.data, 0, in.function}, {}};
}
template <class Iterator,
          std::enable_if_t<is_contiguous<Iterator> && !std::is_pointer_v<Iterator>, int> = 0>
auto as_output(const Iterator& out) noexcept {
  return as_output(as_pointer(out));
}
template <class Iterator, std::enable_if_t<is_odd_iterator<Iterator>, int> = 0>
cursor_output<Iterator> as_output(const Iterator& out) {
  return {{out}, {}};
}

/// The types of a scan from `In` to `Out` with `Op`.
template <class In, class Out, class Op>
using given_types = call_types<std::decay_t<decltype(as_input(std::declval<const In&>()))>,
                               std::decay_t<decltype(as_output(std::declval<const Out&>()))>, Op>;
/// The same where one of them at least is no pointer; else none.
template <class In, class Out, class Op>
using transformed_types =
    std::enable_if_t<!std::is_pointer_v<std::decay_t<In>> || !std::is_pointer_v<std::decay_t<Out>>,
                     given_types<In, Out, Op>>;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
