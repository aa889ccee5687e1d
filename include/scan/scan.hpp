// Prefix scans in one pass at the speed of a memory copy: the public interface.
//
// Link libscan.a and the CUDA runtime; any C++17 compiler will do. libscan.a holds scans of the
// types and operators of the README's table: those that -Dprebuilt= says, all of them with full.
// For others compile with nvcc and include <scan/scan.cuh>, which takes the same calls.
//
// Everything is in namespace scan. A file with a function, variable or type `::scan` of its own
// cannot include this header: one name cannot be both (nor can macros of that name be defined).
#ifndef SCAN_SCAN_HPP
#define SCAN_SCAN_HPP

#include <cstdint>
#include <optional>
#include <type_traits>

#include "scan/call_range.hpp"
#include "scan/call_types.hpp"
#include "scan/numbers.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/prebuilt.hpp"
#include "scan/status.hpp"
#include "scan/transform.hpp"
#include "scan/workspace.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Selects host memory and CPU threads: `scan::inclusive(scan::host, in, out, n)`.
struct SCAN_SHOWN host_t {};
inline constexpr host_t host{};

/// A bool holds no sum or product (wrapping says so to the compiler's user).
template <class Out, class Op>
inline constexpr bool holds_results =
    sizeof(
        wrapping_t<std::conditional_t<std::is_same_v<Out, bool> && (std::is_same_v<Op, plus> ||
                                                                    std::is_same_v<Op, multiplies>),
                                      bool, int>>) > 0;

/// What starts a scan to bools without an init: libscan.a scans bytes, which have another identity.
template <class Out, class Op>
constexpr std::optional<Out> start_of_bools() noexcept {
  if constexpr (std::is_same_v<Out, bool> && has_identity<Op, Out>) {
    return Op::template identity<Out>();
  } else {
    return std::nullopt;
  }
}

namespace device {
/// What libscan.a holds (declared only: nothing of it is compiled again where <scan/scan.cuh> is
/// included), and what <scan/scan.cuh> compiles.
template <class In, class Out, class Op>
status scan_prebuilt(bool exclusive, const In* in, Out* out, std::int64_t n, Op op,
                     const options<Out>& opts) noexcept;
template <class Input, class Output, class Op>
status scan_device(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                   const options<typename scan_types<Input, Output>::value>& opts) noexcept;

template <class In, class Out, class Op>
status scan_pointers(bool exclusive, const In* in, Out* out, std::int64_t n, Op op,
                     const options<Out>& opts) noexcept {
  using call = pointer_call<In, Out, Op>;
  using op_type = typename call::op_type;
  static_assert(holds_results<Out, op_type>);
  const call_range<In, Out, Op> range(name_of_scan(exclusive), n);
  if constexpr (!call::is_wish && is_prebuilt<In, Out, op_type>) {
    using kernel = shared_kernel<In, Out, op_type>;
    using from = typename kernel::in;
    using to = typename kernel::out;
    return scan_prebuilt(exclusive, reinterpret_cast<const from*>(in), reinterpret_cast<to*>(out),
                         n, kernel::shared(call::op(op)),
                         retyped<to>(opts, start_of_bools<Out, op_type>()));
  } else {
    static_assert(included<device_scans, void(In, Out, Op)>,
                  "libscan.a holds no kernel for these element types with this operator: include "
                  "<scan/scan.cuh> and compile with nvcc, or build the library with "
                  "-Dprebuilt=full");
    return scan_device(exclusive, call::input(as_input(in)), call::output(as_output(out)), n,
                       call::op(op), call::options(opts));
  }
}
}  // namespace device

namespace host_path {
/// As on the device; the rest is in <scan/host/host_scan.hpp>.
template <class In, class Out, class Op>
status scan_prebuilt(bool exclusive, const In* in, Out* out, std::int64_t n, Op op,
                     const host_options<Out>& opts);
template <class Input, class Output, class Op>
status scan_host(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                 const host_options<typename scan_types<Input, Output>::value>& opts);

template <class In, class Out, class Op>
status scan_pointers(bool exclusive, const In* in, Out* out, std::int64_t n, Op op,
                     const host_options<Out>& opts) {
  using call = pointer_call<In, Out, Op>;
  using op_type = typename call::op_type;
  static_assert(holds_results<Out, op_type>);
  if constexpr (!call::is_wish && is_prebuilt_on_host<In, Out, op_type>) {
    using from = typename shared_host_scan<In, Out, op_type>::in;
    using to = typename shared_host_scan<In, Out, op_type>::out;
    return scan_prebuilt(exclusive, reinterpret_cast<const from*>(in), reinterpret_cast<to*>(out),
                         n, call::op(op), retyped<to>(opts, start_of_bools<Out, op_type>()));
  } else {
    // (Compiled here, so with the caller's own types: the compiler may assume that `long` and
    // `long long` never share memory.)
    static_assert(included<host_scans, void(In, Out, Op)>,
                  "libscan.a holds no scan for these element types with this operator: include "
                  "<scan/host/host_scan.hpp>, or build the library with -Dprebuilt=full");
    return scan_host(exclusive, call::input(as_input(in)), call::output(as_output(out)), n,
                     call::op(op), call::options(opts));
  }
}
}  // namespace host_path

/// out[i] = in[0] op ... op in[i], for i in [0, n), in device memory.
///
/// `d_in` and `d_out` point to n elements each, aligned to their type and no more; they are the
/// same pointer (in place) or do not overlap. n == 0 is success and touches nothing but what
/// `total` and `complete` ask for. Enqueues one kernel in `opts.stream` and returns; it never
/// synchronises, throws or prints. With a workspace, or when the scan fits one tile by the
/// automatic algorithm, it allocates nothing. Results are bitwise reproducible.
///
/// Errors: `cudaErrorInvalidValue` for a bad argument, with nothing enqueued; or what the CUDA
/// runtime says (README, "Errors"). Then the output is untouched too, but a call without a
/// workspace may have enqueued the allocation, clearing and release of its tile states, and a
/// baseline, which is several kernels, some of them: of its output nothing is known.
///
/// The operator is copied on its way to the device, and default constructors of the elements run
/// on the host: one that throws there ends the program, since the call is noexcept.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(const In* d_in, Out* d_out, std::int64_t n, Op op = {},
                               const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(false, d_in, d_out, n, op, opts);
}

/// out[0] = init, or the operator's identity without one; out[i] = init op in[0] op ... op in[i-1].
/// Of types that are no numbers even `plus` and `multiplies` have no identity: they want an init.
/// Otherwise as `inclusive`; in[n-1] is read but reaches only `total` and out[n] of `complete`.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(const In* d_in, Out* d_out, std::int64_t n, Op op = {},
                               const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(true, d_in, d_out, n, op, opts);
}

/// `inclusive` over host memory on CPU threads; returns when the output is written. The result does
/// not depend on the number of threads. Needs no GPU.
///
/// Errors: `cudaErrorInvalidValue` for a bad argument, `cudaErrorMemoryAllocation` when there is no
/// memory for the tile states. What the caller's own operator, conversions or constructors throw
/// reaches the caller; the output is then partly written. The call is noexcept when all of these
/// are.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(
    host_t, const In* in, Out* out, std::int64_t n, Op op = {},
    const host_options<Out>& opts =
        {}) noexcept(scans_nothrow<transform_input<In>, transform_output<Out>, Op>()) {
  return host_path::scan_pointers(false, in, out, n, op, opts);
}

/// `exclusive` over host memory on CPU threads.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(
    host_t, const In* in, Out* out, std::int64_t n, Op op = {},
    const host_options<Out>& opts =
        {}) noexcept(scans_nothrow<transform_input<In>, transform_output<Out>, Op>()) {
  return host_path::scan_pointers(true, in, out, n, op, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#include "scan/segmented.hpp"
#include "scan/tensors.hpp"

#endif
