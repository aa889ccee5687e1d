// The interface of <scan/scan.hpp> for nvcc: any trivially copyable element type of up to 64 bytes
// and any associative operator, on the device and on CPU threads, with functions applied on the way
// in and out. Compile as C++17 or newer with the CUDA toolkit's libcu++ on the include path, and
// link libscan.a.
#ifndef SCAN_SCAN_CUH
#define SCAN_SCAN_CUH

#include "scan/call_range.hpp"
#include "scan/device/launch.cuh"
#include "scan/device/segment_launch.cuh"
#include "scan/device/tensor_launch.cuh"
#include "scan/host/host_scan.hpp"
#include "scan/iterators.hpp"
#include "scan/recurrence_spans.hpp"
#include "scan/room.hpp"
#include "scan/scan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

namespace device {
/// Of what libscan.a holds nothing is compiled again, however it is said.
template <class Input, class Output, class Op, class Value>
status scan_transformed(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                        const options<Value>& opts) noexcept {
  if constexpr (both_as_is<Input, Output>) {
    return scan_pointers(exclusive, in.data, out.data, n, op, opts);
  } else {
    const call_range<Input, Output, Op> range(name_of_scan(exclusive), n);
    using call = call_types<Input, Output, Op>;
    return scan_device(exclusive, call::input(in), call::output(out), n, call::op(op),
                       call::options(opts));
  }
}
template <class Input, class Output, class Op, class Value>
status scan_transformed(bool exclusive, const Input& in, const Output& out, const extents& shape,
                        Op op, const options<Value>& opts) noexcept {
  if constexpr (both_as_is<Input, Output>) {
    return scan_pointers(exclusive, in.data, out.data, shape, op, opts);
  } else {
    static_assert(in_arrays_only<Input, Output>());
    const call_range<Input, Output, Op> range(name_of_scan(exclusive), shape);
    using call = call_types<Input, Output, Op>;
    return scan_tensor(exclusive, call::input(in), call::output(out), shape, call::op(op),
                       call::options(opts));
  }
}

/// From what a caller gives as input and output; `Size`: std::int64_t, or extents.
template <class In, class Out, class Size, class Op, class Value>
status scan_given(bool exclusive, const In& in, const Out& out, const Size& n, Op op,
                  const options<Value>& opts) noexcept {
  if (const status checked = validate_room(in, out, room_for(n, opts.complete)); !checked.ok()) {
    return checked;
  }
  return scan_transformed(exclusive, as_input(in), as_output(out), n, op, opts);
}
}  // namespace device

/// The scans of scan.hpp with a function applied on the way in, on the way out, or both, or through
/// iterators: `d_in` is a `transform_input`, an iterator or a span, `d_out` a `transform_output`,
/// an iterator or a span, or one of them a pointer. See iterators.hpp.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(const In& d_in, Out d_out, std::int64_t n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given(false, d_in, d_out, n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(const In& d_in, Out d_out, std::int64_t n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given(true, d_in, d_out, n, op, opts);
}

template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(const In& d_in, Out d_out, const extents& shape, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given(false, d_in, d_out, shape, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(const In& d_in, Out d_out, const extents& shape, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given(true, d_in, d_out, shape, op, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
