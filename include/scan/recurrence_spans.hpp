// Recurrences from and to spans and iterators over arrays. Included by <scan/scan.cuh> and
// <scan/host/host_scan.hpp>.
#ifndef SCAN_RECURRENCE_SPANS_HPP
#define SCAN_RECURRENCE_SPANS_HPP

#include <cstdint>
#include <type_traits>
#include <utility>

#include "scan/contiguous.hpp"
#include "scan/room.hpp"
#include "scan/tensors.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The pointer that a side of a call is, or stands for.
template <class T>
T* pointer_of(T* data) noexcept {
  return data;
}
template <class Side, std::enable_if_t<is_contiguous<Side> && std::is_class_v<Side>, int> = 0>
auto pointer_of(const Side& side) noexcept {
  return as_pointer(side);
}
template <class Side>
using element_behind = std::remove_pointer_t<decltype(pointer_of(std::declval<const Side&>()))>;

/// The state of a recurrence to `H`, of whose sides one at least is no pointer; else none.
template <class H, class...>
struct state_of_sides {
  using type = state_t<H>;
};
template <class A, class B, class H>
using spanned_state_t = std::enable_if_t<
    !std::is_pointer_v<std::decay_t<A>> || !std::is_pointer_v<std::decay_t<B>> ||
        !std::is_pointer_v<H>,
    typename state_of_sides<element_behind<H>, element_behind<A>, element_behind<B>>::type>;

/// `size`: a number of elements, or extents.
template <class A, class B, class H, class Size>
status validate_recurrence_room(const A& a, const B& b, const H& h, const Size& size) noexcept {
  room_needed needed = room_for(size, false);
  needed.too_little_to_read = "recurrence: the size of the span b is less than the call needs";
  if (const status checked = validate_room(b, h, needed); !checked.ok()) return checked;
  needed.too_little_to_read = "recurrence: the size of the span a is less than the call needs";
  return validate_room(a, h, needed);
}

/// The recurrences of tensors.hpp where one of the sides at least is a span or an iterator over an
/// array, the others are pointers. A span that is too short is an error.
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(const A& d_a, const B& d_b, H d_h, const extents& shape,
                                const options<Value>& opts = {}) noexcept {
  if (const status checked = validate_recurrence_room(d_a, d_b, d_h, shape); !checked.ok()) {
    return checked;
  }
  return recurrence(pointer_of(d_a), pointer_of(d_b), pointer_of(d_h), shape, opts);
}
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(const A& d_a, const B& d_b, H d_h, std::int64_t n,
                                const options<Value>& opts = {}) noexcept {
  if (const status checked = validate_recurrence_room(d_a, d_b, d_h, n); !checked.ok()) {
    return checked;
  }
  return recurrence(pointer_of(d_a), pointer_of(d_b), pointer_of(d_h), n, opts);
}
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(host_t, const A& a, const B& b, H h, const extents& shape,
                                const host_options<Value>& opts = {}) noexcept {
  if (const status checked = validate_recurrence_room(a, b, h, shape); !checked.ok()) {
    return checked;
  }
  return recurrence(host, pointer_of(a), pointer_of(b), pointer_of(h), shape, opts);
}
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(host_t, const A& a, const B& b, H h, std::int64_t n,
                                const host_options<Value>& opts = {}) noexcept {
  if (const status checked = validate_recurrence_room(a, b, h, n); !checked.ok()) return checked;
  return recurrence(host, pointer_of(a), pointer_of(b), pointer_of(h), n, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
