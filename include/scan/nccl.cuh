// The interface of <scan/nccl.hpp> for nvcc: any trivially copyable element type of up to 64 bytes
// and any associative operator, with functions applied on the way in and out. Link libscan_nccl.a,
// libscan.a and NCCL.
#ifndef SCAN_NCCL_CUH
#define SCAN_NCCL_CUH

#include "scan/device/slice_tensor_launch.cuh"
#include "scan/nccl.hpp"
#include "scan/scan.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

namespace device {
/// `Size`: std::int64_t, or extents.
template <class Input, class Output, class Op, class Size, class Value>
status scan_transformed(across& ranks, bool exclusive, const Input& in, const Output& out,
                        const Size& n, Op op, const options<Value>& opts) noexcept {
  if constexpr (both_as_is<Input, Output>) {
    return scan_pointers(ranks, exclusive, in.data, out.data, n, op, opts);
  } else {
    static_assert(in_arrays_only<Input, Output>());
    const call_range<Input, Output, Op> range(name_of_scan(exclusive), n);
    using call = call_types<Input, Output, Op>;
    using op_type = typename call::op_type;
    const std::uint64_t number =
        call_number<typename call::input_type, typename call::output_type, op_type>(exclusive,
                                                                                    opts);
    return scan_slice(ranks, number, exclusive, call::input(in), call::output(out), n, call::op(op),
                      call::options(opts));
  }
}
}  // namespace device

/// The scans of nccl.hpp with a function applied on the way in, on the way out, or both.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(across& ranks, const In& d_in, Out d_out, std::int64_t local_n,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(ranks, false, as_input(d_in), as_output(d_out), local_n, op,
                                  opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(across& ranks, const In& d_in, Out d_out, std::int64_t local_n,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(ranks, true, as_input(d_in), as_output(d_out), local_n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(across& ranks, const In& d_in, Out d_out, const extents& local,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(ranks, false, as_input(d_in), as_output(d_out), local, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(across& ranks, const In& d_in, Out d_out, const extents& local,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_transformed(ranks, true, as_input(d_in), as_output(d_out), local, op, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
