// Scans in host memory with functions on the way, and through iterators and spans. Included by
// <scan/host/host_scan.hpp>.
#ifndef SCAN_HOST_TRANSFORMED_SCAN_HPP
#define SCAN_HOST_TRANSFORMED_SCAN_HPP

#include <cstdint>

#include "scan/host/host_scan.hpp"
#include "scan/host/tensor_scan.hpp"
#include "scan/iterators.hpp"
#include "scan/recurrence_spans.hpp"
#include "scan/room.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

namespace host_path {
/// From what a caller gives as input and output; `Size`: std::int64_t, or extents.
template <class In, class Out, class Size, class Op, class Value>
status scan_given(bool exclusive, const In& in, const Out& out, const Size& n, Op op,
                  const host_options<Value>& opts) {
  if (const status checked = validate_room(in, out, room_for(n, opts.complete)); !checked.ok()) {
    return checked;
  }
  return scan_transformed(exclusive, as_input(in), as_output(out), n, op, opts);
}
}  // namespace host_path

/// The scans of scan.hpp with a function applied on the way in, on the way out, or both, or through
/// iterators: `in` is a `transform_input`, an iterator or a span, `out` a `transform_output`, an
/// iterator or a span, or one of them a pointer. Iterators are used by several threads at once.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, const In& in, Out out, std::int64_t n, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(scans_nothrow<typename Types::given_input,
                                                              typename Types::given_output, Op>()) {
  return host_path::scan_given(false, in, out, n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, const In& in, Out out, std::int64_t n, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(scans_nothrow<typename Types::given_input,
                                                              typename Types::given_output, Op>()) {
  return host_path::scan_given(true, in, out, n, op, opts);
}

/// The scans of tensors.hpp with a function applied on the way in, on the way out, or both.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, const In& in, Out out, const extents& shape, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(scans_nothrow<typename Types::given_input,
                                                              typename Types::given_output, Op>()) {
  return host_path::scan_given(false, in, out, shape, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, const In& in, Out out, const extents& shape, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(scans_nothrow<typename Types::given_input,
                                                              typename Types::given_output, Op>()) {
  return host_path::scan_given(true, in, out, shape, op, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
