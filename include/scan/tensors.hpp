// Many sequences in one call: scans along one axis of a tensor.
//
// Included by <scan/scan.hpp>. libscan.a holds what the README's table says; for more include
// <scan/scan.cuh> or, for CPU threads, <scan/host/host_scan.hpp>.
#ifndef SCAN_TENSORS_HPP
#define SCAN_TENSORS_HPP

#include "scan/call/front_door.hpp"
#include "scan/extents.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// `inclusive` of scan.hpp for each sequence along the middle axis of a tensor: see `extents`.
///
/// One kernel for all. The bits of a sequence's results depend on its values, its length, the
/// types, the build, on `inner` and on whether the GPU has a ring, and on nothing else: not on
/// `outer`, its place, pitch or alignment or what the others hold. With inner = 1 they are those of
/// the call for one sequence, but where that is by look-back: of more than 1.1 MiB without a ring,
/// or of types that it does not take (README of include/scan). `options.algorithm` has to be
/// `automatic`, `walk` or `look_back` where there is more than one sequence.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(const In* d_in, Out* d_out, const extents& shape, Op op = {},
                               const options<Out>& opts = {}) noexcept {
  return scan_by(on_device{}, false, d_in, d_out, shape, op, opts);
}
/// `exclusive` likewise.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(const In* d_in, Out* d_out, const extents& shape, Op op = {},
                               const options<Out>& opts = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, shape, op, opts);
}

/// The same in host memory on CPU threads: many sequences go to threads by sequences.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(
    host_t, const In* in, Out* out, const extents& shape, Op op = {},
    const host_options<Out>& opts =
        {}) noexcept(scans_nothrow<transform_input<In>, transform_output<Out>, Op>()) {
  return scan_by(on_host{}, false, in, out, shape, op, opts);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(
    host_t, const In* in, Out* out, const extents& shape, Op op = {},
    const host_options<Out>& opts =
        {}) noexcept(scans_nothrow<transform_input<In>, transform_output<Out>, Op>()) {
  return scan_by(on_host{}, true, in, out, shape, op, opts);
}

/// The same with a function applied on the way in, on the way out, or both, or of spans and
/// iterators over arrays: see scan.hpp.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(const In& d_in, Out d_out, const extents& shape, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, false, d_in, d_out, shape, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(const In& d_in, Out d_out, const extents& shape, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, shape, op, opts);
}

template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, const In& in, Out out, const extents& shape, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, false, in, out, shape, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, const In& in, Out out, const extents& shape, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, true, in, out, shape, op, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
