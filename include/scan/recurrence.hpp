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

/// In place of the array a of a recurrence: one number, which all factors are.
template <class T>
struct SCAN_SHOWN factor {
  T value;
};
/// One number a sequence, in the memory that the call is about: that of sequence (o, k) at
/// `o * inner + k`. `T` is the type of the states.
template <class T>
struct SCAN_SHOWN factor_each {
  const T* values;
};
template <class T>
factor(T) -> factor<T>;
template <class T>
factor_each(T*) -> factor_each<std::remove_const_t<T>>;

template <class A>
inline constexpr bool is_each_factor = false;
template <class T>
inline constexpr bool is_each_factor<factor_each<T>> = true;
template <class A>
inline constexpr bool is_one_factor = is_each_factor<A>;
template <class T>
inline constexpr bool is_one_factor<factor<T>> = true;

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
template <class A, class = void>
struct factors_behind {};
template <class A>
struct factors_behind<A, std::enable_if_t<is_one_factor<A>>> {
  using type = A;
};
template <class A>
struct factors_behind<A, std::enable_if_t<std::is_pointer_v<std::decay_t<A>> || is_contiguous<A>>> {
  using type = element_behind<A>;
};
template <class A>
using spanned_factors_t = typename factors_behind<A>::type;
template <class A, class B, class H>
using spanned_state_t = std::enable_if_t<
    !std::is_pointer_v<std::decay_t<A>> || !std::is_pointer_v<std::decay_t<B>> ||
        !std::is_pointer_v<H>,
    typename state_of_sides<element_behind<H>, spanned_factors_t<A>, element_behind<B>>::type>;

/// What a recurrence reads.
template <class T, class S, class A>
auto input_of(const A& a, const T* b) noexcept {
  if constexpr (is_each_factor<A>) {
    static_assert(std::is_same_v<decltype(a.values), const S*>,
                  "scan::recurrence: factor_each points to values of the type of the states: of "
                  "__half and __nv_bfloat16 float, else the element type");
    return recurrence_input<T, one_factor<S>>{b, {S(0), a.values}};
  } else if constexpr (is_one_factor<A>) {
    return recurrence_input<T, one_factor<S>>{b, {convert<S>(a.value), nullptr}};
  } else {
    return recurrence_input<T>{b, pointer_of(a)};
  }
}

/// `size`: a number of elements, or extents.
template <class A, class B, class H, class Size>
status validate_recurrence_room(const A& a, const B& b, const H& h, const Size& size) noexcept {
  room_needed needed = room_for(size, false);
  needed.too_little_to_read = "recurrence: the size of the span b is less than the call needs";
  if (const status checked = validate_room(b, h, needed); !checked.ok()) return checked;
  needed.too_little_to_read = "recurrence: the size of the span a is less than the call needs";
  if constexpr (is_one_factor<A>) {
    return {};
  } else {
    return validate_room(a, h, needed);
  }
}

/// A recurrence over what the caller gave: pointers, spans or iterators over arrays. `Where`:
/// on_device or on_host; `Size`: std::int64_t or extents.
template <class Where, class A, class B, class H, class Size, template <class> class Options,
          class Value>
status recur_by(Where where, const A& a, const B& b, const H& h, const Size& size,
                const Options<Value>& opts) noexcept {
  using T = element_behind<H>;
  using In = std::remove_const_t<element_behind<B>>;
  using Factor = std::conditional_t<is_one_factor<A>, In, spanned_factors_t<A>>;
  if constexpr (is_recurrence<std::remove_const_t<Factor>, In, T, Value>()) {
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
    if constexpr (is_each_factor<A>) {
      if (a.values == nullptr && shape.outer > 0 && shape.length > 0 && shape.inner > 0) {
        return {cudaErrorInvalidValue, "recurrence: factor_each is null but there are sequences"};
      }
    }
    const shown<Where, T> range("recurrence", shape);
    return recur(where, input_of<In, Value>(a, pointer_of(b)), pointer_of(h), shape, opts);
  }
}

/// h[i] = a[i] * h[i-1] + b[i] along the middle axis of a tensor, in device memory; all
/// three are of one type T: float, double, `__half` or `__nv_bfloat16`; or h of float, and a and b
/// of a 16-bit one.
///
/// `d_h` may be `d_b` (in place) and else overlaps neither `d_a` nor `d_b`; both are of
/// `shape.in_pitch`. States are kept in `state_t<T>` and rounded once per output. `opts.init` or,
/// one value a sequence, `opts.init_pointer` is h[-1]; without, h[0] = b[0] (a[0] is read and not
/// used). `opts.total` receives each sequence's last state, unrounded. `opts.reverse` walks from
/// the end: h[i] = a[i] * h[i+1] + b[i]. `opts.complete` is refused.
///
/// In place of `d_a` may be `scan::factor{0.9f}`, one number, or `scan::factor_each{pointer}`, one
/// a sequence: a third less to read, and the bits of the call with an array of the same factors (of
/// columns with `algorithm::walk`, in whose order they are but for narrow ones in the ring).
///
/// Its gradient in one call: `recurrence_gradient`.
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

/// The same where one of the sides at least is a span or an iterator over an array, or in place of
/// the factors there is one; the others are pointers. A span that is too short is an error.
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
