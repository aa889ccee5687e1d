// The interface of <scan/scan.hpp> for nvcc: any trivially copyable element type of up to 64 bytes
// and any associative operator, on the device and on CPU threads, with functions applied on the way
// in and out. Compile as C++17 or newer with the CUDA toolkit's libcu++ on the include path, and
// link libscan.a.
#ifndef SCAN_SCAN_CUH
#define SCAN_SCAN_CUH

#include "scan/device/launch.cuh"
#include "scan/device/segment_launch.cuh"
#include "scan/device/tensor_launch.cuh"
#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"
#include "scan/segmented.cuh"

namespace scan {

namespace device {
/// Of what libscan.a holds nothing is compiled again, however it is said.
template <class Input, class Output, class Op, class Value>
status scan_transformed(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                        const options<Value>& opts) noexcept {
  if constexpr (both_as_is<Input, Output>) {
    return scan_pointers(exclusive, in.data, out.data, n, op, opts);
  } else {
    return scan_device(exclusive, in, out, n, op, opts);
  }
}
template <class Input, class Output, class Op, class Value>
status scan_transformed(bool exclusive, const Input& in, const Output& out, const extents& shape,
                        Op op, const options<Value>& opts) noexcept {
  if constexpr (both_as_is<Input, Output>) {
    return scan_pointers(exclusive, in.data, out.data, shape, op, opts);
  } else {
    return scan_tensor(exclusive, in, out, shape, op, opts);
  }
}
}  // namespace device

/// The scans of scan.hpp with a function applied on the way in, on the way out, or both: `d_in` is
/// a `transform_input`, `d_out` a `transform_output`, or one of them a pointer.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out>>
[[nodiscard]] status inclusive(const In& d_in, const Out& d_out, std::int64_t n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(false, as_input(d_in), as_output(d_out), n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out>>
[[nodiscard]] status exclusive(const In& d_in, const Out& d_out, std::int64_t n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(true, as_input(d_in), as_output(d_out), n, op, opts);
}

template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out>>
[[nodiscard]] status inclusive(const In& d_in, const Out& d_out, const extents& shape, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(false, as_input(d_in), as_output(d_out), shape, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out>>
[[nodiscard]] status exclusive(const In& d_in, const Out& d_out, const extents& shape, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(true, as_input(d_in), as_output(d_out), shape, op, opts);
}

}  // namespace scan

#endif
