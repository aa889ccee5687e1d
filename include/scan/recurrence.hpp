// Linear recurrences, h[i] = a[i] * h[i-1] + b[i], along one axis of a tensor.
//
// Included by <scan/scan.hpp>; libscan.a holds all of them, but with -Dprebuilt=none.
#ifndef SCAN_RECURRENCE_HPP
#define SCAN_RECURRENCE_HPP

#include <cstdint>
#include <type_traits>
#include <utility>

#include "scan/call/front_door.hpp"
#include "scan/call/recurrence_maps.hpp"
#include "scan/call/room.hpp"
#include "scan/extents.hpp"
#include "scan/operands/contiguous.hpp"
#include "scan/options.hpp"

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

/// A recurrence over what the caller gave: pointers, spans or iterators over arrays. `Where`:
/// on_device or on_host; `Size`: std::int64_t or extents.
template <class Where, class A, class B, class H, class Size, template <class> class Options,
          class Value>
status recur_by(Where where, const A& a, const B& b, const H& h, const Size& size,
                const Options<Value>& opts) noexcept {
  using T = element_behind<H>;
  if constexpr (is_recurrence<std::remove_const_t<element_behind<A>>,
                              std::remove_const_t<element_behind<B>>, T, Value>()) {
    if constexpr (!std::is_pointer_v<A> || !std::is_pointer_v<B> || !std::is_pointer_v<H>) {
      if (const status checked = validate_recurrence_room(a, b, h, size); !checked.ok()) {
        return checked;
      }
    }
    extents shape;
    if constexpr (std::is_same_v<Size, extents>) {
      shape = size;
    } else {
      const status checked = validate_count(size, sizeof(state_t<T>));
      if (!checked.ok()) return checked;
      shape.length = size;
    }
    const std::conditional_t<std::is_same_v<Where, on_host>, not_shown, device::call_range<T>>
        range("recurrence", shape);
    return recur(where, recurrence_input<T>{pointer_of(b), pointer_of(a)}, pointer_of(h), shape,
                 opts);
  }
}

/// h[i] = a[i] * h[i-1] + b[i] along the middle axis of a tensor, in device memory; all
/// three are of one type T: float, double, `__half` or `__nv_bfloat16`.
///
/// `d_h` may be `d_b` (in place) and else overlaps neither `d_a` nor `d_b`; both are of
/// `shape.in_pitch`. States are kept in `state_t<T>` and rounded once per output. `opts.init` or,
/// one value a sequence, `opts.init_pointer` is h[-1]; without, h[0] = b[0] (a[0] is read and not
/// used). `opts.total` receives each sequence's last state, unrounded. `opts.reverse` walks from
/// the end: h[i] = a[i] * h[i+1] + b[i]. `opts.complete` is refused.
///
/// The gradient is such a walk back, with a shifted by one: with g = dL/dh without the recurrence
/// and G = dL/dh with it, G[i] = a[i+1] * G[i+1] + g[i], so it is
/// `recurrence(d_a + inner, d_g, d_G, shape, {.reverse = true})`, where a has one step more to
/// read, whose value is not used; then dL/db[i] = G[i] and dL/da[i] = G[i] * h[i-1].
///
/// A factor of exactly 0 begins the sequence anew, whatever is before it, infinities and NaN too:
/// there h[i] is b[i]. So sequences can be packed one after another.
///
/// The factors of many steps are multiplied with each other first: where such a product overflows,
/// results are infinite or NaN that a loop over the steps would keep finite, up to the next factor
/// of 0; where it underflows, what was before is lost. (include/scan/README.md has the error
/// bound.) Reproducible and independent of the rest of the call as `inclusive`. Errors: as
/// `inclusive`.
template <class A, class B, class H, class Value = state_t<H>>
[[nodiscard]] status recurrence(const A* d_a, const B* d_b, H* d_h, const extents& shape,
                                const options<Value>& opts = {}) noexcept {
  return recur_by(on_device{}, d_a, d_b, d_h, shape, opts);
}
/// Of one sequence of n elements.
template <class A, class B, class H, class Value = state_t<H>>
[[nodiscard]] status recurrence(const A* d_a, const B* d_b, H* d_h, std::int64_t n,
                                const options<Value>& opts = {}) noexcept {
  return recur_by(on_device{}, d_a, d_b, d_h, n, opts);
}

/// The same in host memory on CPU threads: one step after another, no factors are multiplied first.
/// A sequence is one thread's.
template <class A, class B, class H, class Value = state_t<H>>
[[nodiscard]] status recurrence(host_t, const A* a, const B* b, H* h, const extents& shape,
                                const host_options<Value>& opts = {}) noexcept {
  return recur_by(on_host{}, a, b, h, shape, opts);
}
template <class A, class B, class H, class Value = state_t<H>>
[[nodiscard]] status recurrence(host_t, const A* a, const B* b, H* h, std::int64_t n,
                                const host_options<Value>& opts = {}) noexcept {
  return recur_by(on_host{}, a, b, h, n, opts);
}

/// The same where one of the sides at least is a span or an iterator over an
/// array, the others are pointers. A span that is too short is an error.
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(const A& d_a, const B& d_b, H d_h, const extents& shape,
                                const options<Value>& opts = {}) noexcept {
  return recur_by(on_device{}, d_a, d_b, d_h, shape, opts);
}
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(const A& d_a, const B& d_b, H d_h, std::int64_t n,
                                const options<Value>& opts = {}) noexcept {
  return recur_by(on_device{}, d_a, d_b, d_h, n, opts);
}
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(host_t, const A& a, const B& b, H h, const extents& shape,
                                const host_options<Value>& opts = {}) noexcept {
  return recur_by(on_host{}, a, b, h, shape, opts);
}
template <class A, class B, class H, class Value = spanned_state_t<A, B, H>,
          class = spanned_state_t<A, B, H>>
[[nodiscard]] status recurrence(host_t, const A& a, const B& b, H h, std::int64_t n,
                                const host_options<Value>& opts = {}) noexcept {
  return recur_by(on_host{}, a, b, h, n, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
