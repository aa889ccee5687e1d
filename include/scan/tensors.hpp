// Many sequences in one call: scans along one axis of a tensor, and linear recurrences.
//
// Included by <scan/scan.hpp>. libscan.a holds what the README's table says; for more include
// <scan/scan.cuh> or, for CPU threads, <scan/host/host_scan.hpp>.
#ifndef SCAN_TENSORS_HPP
#define SCAN_TENSORS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call_range.hpp"
#include "scan/extents.hpp"
#include "scan/recurrence.hpp"
#include "scan/scan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

namespace device {
struct slice_part;  // of scans across GPUs: see slice_part.hpp
/// What libscan.a holds, and what <scan/scan.cuh> compiles.
template <class In, class Out, class Op>
status scan_prebuilt(bool exclusive, const In* in, Out* out, const extents& shape, Op op,
                     const options<Out>& opts, const slice_part* part = nullptr) noexcept;
template <class T>
status recur_prebuilt(const recurrence_input<T>& in, T* out, const extents& shape,
                      const options<state_t<T>>& opts) noexcept;
template <class Input, class Output, class Op>
status scan_tensor(bool exclusive, const Input& in, const Output& out, const extents& shape, Op op,
                   const options<typename scan_types<Input, Output>::value>& opts,
                   const slice_part* part = nullptr) noexcept;

template <class In, class Out, class Op>
status scan_pointers(bool exclusive, const In* in, Out* out, const extents& shape, Op op,
                     const options<Out>& opts) noexcept {
  using call = pointer_call<In, Out, Op>;
  using op_type = typename call::op_type;
  static_assert(holds_results<Out, op_type>);
  const call_range<In, Out, Op> range(name_of_scan(exclusive), shape);
  if constexpr (!call::is_wish && is_tensor_prebuilt<In, Out, op_type>) {
    using kernel = shared_kernel<In, Out, op_type>;
    using from = typename kernel::in;
    using to = typename kernel::out;
    return scan_prebuilt(exclusive, reinterpret_cast<const from*>(in), reinterpret_cast<to*>(out),
                         shape, kernel::shared(call::op(op)),
                         retyped<to>(opts, start_of_bools<Out, op_type>()));
  } else {
    static_assert(included<device_scans, void(In, Out, Op)>,
                  "libscan.a holds no scan of tensors for these element types with this operator: "
                  "include <scan/scan.cuh> and compile with nvcc, or build the library with "
                  "-Dprebuilt=full");
    return scan_tensor(exclusive, call::input(as_input(in)), call::output(as_output(out)), shape,
                       call::op(op), call::options(opts));
  }
}
}  // namespace device

namespace host_path {
template <class In, class Out, class Op>
status scan_prebuilt(bool exclusive, const In* in, Out* out, const extents& shape, Op op,
                     const host_options<Out>& opts);
template <class T>
status recur_prebuilt(const recurrence_input<T>& in, T* out, const extents& shape,
                      const host_options<state_t<T>>& opts) noexcept;
template <class Input, class Output, class Op>
status scan_tensor(bool exclusive, const Input& in, const Output& out, const extents& shape, Op op,
                   const host_options<typename scan_types<Input, Output>::value>& opts);

template <class In, class Out, class Op>
status scan_pointers(bool exclusive, const In* in, Out* out, const extents& shape, Op op,
                     const host_options<Out>& opts) {
  using call = pointer_call<In, Out, Op>;
  using op_type = typename call::op_type;
  static_assert(holds_results<Out, op_type>);
  if constexpr (!call::is_wish && is_tensor_prebuilt_on_host<In, Out, op_type>) {
    using from = typename shared_host_scan<In, Out, op_type>::in;
    using to = typename shared_host_scan<In, Out, op_type>::out;
    return scan_prebuilt(exclusive, reinterpret_cast<const from*>(in), reinterpret_cast<to*>(out),
                         shape, call::op(op), retyped<to>(opts, start_of_bools<Out, op_type>()));
  } else {
    static_assert(included<host_scans, void(In, Out, Op)>,
                  "libscan.a holds no scan of tensors for these element types with this operator: "
                  "include <scan/host/host_scan.hpp>, or build the library with -Dprebuilt=full");
    return scan_tensor(exclusive, call::input(as_input(in)), call::output(as_output(out)), shape,
                       call::op(op), call::options(opts));
  }
}
}  // namespace host_path

/// `inclusive` of scan.hpp for each sequence along the middle axis of a tensor: see `extents`.
///
/// One kernel for all. The bits of a sequence's results depend on its values, its length, the
/// types, the build, on `inner` and on whether the GPU has a ring, and on nothing else: not on
/// `outer`, its place, pitch or alignment or what the others hold. With inner = 1 they are those of
/// the call for one sequence, but where that is by look-back: of more than 1.1 MiB without a ring,
/// or of types that it does not take (README of include/scan). `options.algorithm` has to be
/// `automatic` where there is more than one sequence.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(const In* d_in, Out* d_out, const extents& shape, Op op = {},
                               const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(false, d_in, d_out, shape, op, opts);
}
/// `exclusive` likewise.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(const In* d_in, Out* d_out, const extents& shape, Op op = {},
                               const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(true, d_in, d_out, shape, op, opts);
}

/// The same in host memory on CPU threads: many sequences go to threads by sequences.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(
    host_t, const In* in, Out* out, const extents& shape, Op op = {},
    const host_options<Out>& opts =
        {}) noexcept(scans_nothrow<transform_input<In>, transform_output<Out>, Op>()) {
  return host_path::scan_pointers(false, in, out, shape, op, opts);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(
    host_t, const In* in, Out* out, const extents& shape, Op op = {},
    const host_options<Out>& opts =
        {}) noexcept(scans_nothrow<transform_input<In>, transform_output<Out>, Op>()) {
  return host_path::scan_pointers(true, in, out, shape, op, opts);
}

/// h[i] = a[i] * h[i-1] + b[i] along the middle axis of a tensor, in device memory; all
/// three are of one type T: float, double, `__half` or `__nv_bfloat16`. (Of spans and iterators:
/// recurrence_spans.hpp.)
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
  if constexpr (is_recurrence<A, B, H, Value>()) {
    const device::call_range<H> range("recurrence", shape);
    return device::recur_prebuilt(recurrence_input<H>{d_b, d_a}, d_h, shape, opts);
  }
}
/// Of one sequence of n elements.
template <class A, class B, class H, class Value = state_t<H>>
[[nodiscard]] status recurrence(const A* d_a, const B* d_b, H* d_h, std::int64_t n,
                                const options<Value>& opts = {}) noexcept {
  if (const status checked = validate_count(n, sizeof(state_t<H>)); !checked.ok()) return checked;
  return recurrence(d_a, d_b, d_h, extents{1, n, 1, 0, 0}, opts);
}

/// The same in host memory on CPU threads: one step after another, no factors are multiplied first.
/// A sequence is one thread's.
template <class A, class B, class H, class Value = state_t<H>>
[[nodiscard]] status recurrence(host_t, const A* a, const B* b, H* h, const extents& shape,
                                const host_options<Value>& opts = {}) noexcept {
  if constexpr (is_recurrence<A, B, H, Value>()) {
    return host_path::recur_prebuilt(recurrence_input<H>{b, a}, h, shape, opts);
  }
}
template <class A, class B, class H, class Value = state_t<H>>
[[nodiscard]] status recurrence(host_t, const A* a, const B* b, H* h, std::int64_t n,
                                const host_options<Value>& opts = {}) noexcept {
  if (const status checked = validate_count(n, sizeof(state_t<H>)); !checked.ok()) return checked;
  return recurrence(host, a, b, h, extents{1, n, 1, 0, 0}, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
