// The gradient of a recurrence, h[i] = a[i] * h[i-1] + b[i], in one pass over memory.
//
// Included by <scan/scan.hpp>; libscan.a holds all of them, but with -Dprebuilt=none.
#ifndef SCAN_RECURRENCE_GRADIENT_HPP
#define SCAN_RECURRENCE_GRADIENT_HPP

#include <cstdint>
#include <type_traits>

#include "scan/recurrence.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The gradient of a recurrence over what the caller gave: pointers, spans or iterators over
/// arrays.
template <class Where, class A, class H, class GradH, class GradA, class GradB, class Size,
          template <class> class Options, class Value>
status gradient_by(Where where, const A& a, const H& h, const GradH& grad_h, const GradA& grad_a,
                   const GradB& grad_b, const Size& size, const Options<Value>& opts) noexcept {
  using T = element_behind<GradB>;
  static_assert(std::is_same_v<std::remove_const_t<element_behind<GradH>>, T> &&
                    std::is_same_v<std::remove_const_t<element_behind<H>>, T> &&
                    std::is_same_v<element_behind<GradA>, T>,
                "scan::recurrence_gradient: all arrays are of one element type");
  if constexpr (is_recurrence<std::remove_const_t<element_behind<A>>, T, T, Value>()) {
    room_needed needed = room_for(size, false);
    const auto check = [&](const auto& in, const auto& out, const char* read, const char* written) {
      needed.too_little_to_read = read, needed.too_little_to_write = written;
      return validate_room(in, out, needed);
    };
    constexpr const char* grad_b_is_short =
        "recurrence_gradient: the size of the span grad_b is less than the call needs";
    status checked =
        check(a, grad_b, "recurrence_gradient: the size of the span a is less than the call needs",
              grad_b_is_short);
    if (checked.ok()) {
      checked = check(h, grad_a,
                      "recurrence_gradient: the size of the span h is less than the call needs",
                      "recurrence_gradient: the size of the span grad_a is less than the call "
                      "needs");
    }
    if (checked.ok()) {
      checked = check(grad_h, grad_b,
                      "recurrence_gradient: the size of the span grad_h is less than the call "
                      "needs",
                      grad_b_is_short);
    }
    if (!checked.ok()) return checked;
    extents shape;
    if constexpr (std::is_same_v<Size, extents>) {
      shape = size;
    } else {
      checked = validate_count(size, sizeof(state_t<T>));
      if (!checked.ok()) return checked;
      shape.length = size;
    }
    const shown<Where, T> range("recurrence_gradient", shape);
    gradient_input<T> in{{pointer_of(grad_h), pointer_of(a)}, pointer_of(h), {}, opts.init_pointer};
    if (opts.init) in.first = {*opts.init, true};
    return recur_back(where, in, {pointer_of(grad_a), pointer_of(grad_b)}, shape, opts);
  }
}

/// What `recurrence(a, b, h, shape)` has for its gradient, in device memory: grad_h is that of a
/// number that depends on h, and with
///
///   g[i] = grad_h[i] + a[i+1] * g[i+1]      grad_b[i] = g[i]      grad_a[i] = g[i] * h[i-1]
///
/// come those of b and a. All are of one type T as in `recurrence`, which is told what that was:
/// a, the h that it wrote, `init` or `init_pointer`, and `reverse`. Beyond the last g is
/// `opts.grad_total`, or nothing; `opts.grad_init` receives a[0] * g[0]. So chunks chain: the
/// grad_init of one is the grad_total of the one before. h[-1] is the init, and without one
/// grad_a[0] is 0.
///
/// One pass over memory, which reads a, h and grad_h and writes grad_a and grad_b. grad_b may be
/// grad_h (in place), and else the outputs overlap nothing. a, h and grad_h are of
/// `shape.in_pitch`, grad_a and grad_b of `shape.out_pitch`. g is kept in `state_t<T>`; each output
/// is rounded once, grad_a from the unrounded g and the h that is in memory.
///
/// Where a factor is exactly 0 nothing flows back past it: g of the step before is grad_h, be what
/// is behind infinite or NaN. grad_a there is g * h[i-1] as anywhere: infinite or NaN where one of
/// these is, though h does not depend on h[i-1].
///
/// g has the bits of the recurrence back, whose factors are those of the step before it, the first
/// one 1. Errors: as `inclusive`.
template <class A, class H, class GradH, class GradA, class GradB,
          class Value = state_t<element_behind<GradB>>>
[[nodiscard]] status recurrence_gradient(const A& d_a, const H& d_h, const GradH& d_grad_h,
                                         GradA d_grad_a, GradB d_grad_b, const extents& shape,
                                         const gradient_options<Value>& opts = {}) noexcept {
  return gradient_by(on_device{}, d_a, d_h, d_grad_h, d_grad_a, d_grad_b, shape, opts);
}
/// Of one sequence of n elements.
template <class A, class H, class GradH, class GradA, class GradB,
          class Value = state_t<element_behind<GradB>>>
[[nodiscard]] status recurrence_gradient(const A& d_a, const H& d_h, const GradH& d_grad_h,
                                         GradA d_grad_a, GradB d_grad_b, std::int64_t n,
                                         const gradient_options<Value>& opts = {}) noexcept {
  return gradient_by(on_device{}, d_a, d_h, d_grad_h, d_grad_a, d_grad_b, n, opts);
}

/// The same in host memory on CPU threads, one step after another.
template <class A, class H, class GradH, class GradA, class GradB,
          class Value = state_t<element_behind<GradB>>>
[[nodiscard]] status recurrence_gradient(host_t, const A& a, const H& h, const GradH& grad_h,
                                         GradA grad_a, GradB grad_b, const extents& shape,
                                         const host_gradient_options<Value>& opts = {}) noexcept {
  return gradient_by(on_host{}, a, h, grad_h, grad_a, grad_b, shape, opts);
}
template <class A, class H, class GradH, class GradA, class GradB,
          class Value = state_t<element_behind<GradB>>>
[[nodiscard]] status recurrence_gradient(host_t, const A& a, const H& h, const GradH& grad_h,
                                         GradA grad_a, GradB grad_b, std::int64_t n,
                                         const host_gradient_options<Value>& opts = {}) noexcept {
  return gradient_by(on_host{}, a, h, grad_h, grad_a, grad_b, n, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
