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

#include "scan/call/front_door.hpp"
#include "scan/compaction.hpp"
#include "scan/counted.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/recurrence.hpp"
#include "scan/recurrence_gradient.hpp"
#include "scan/segment_ranges.hpp"
#include "scan/segmented.hpp"
#include "scan/segmented_recurrence.hpp"
#include "scan/status.hpp"
#include "scan/tensors.hpp"
#include "scan/transform.hpp"
#include "scan/version.hpp"
#include "scan/workspace.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

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
  return scan_by(on_device{}, false, d_in, d_out, n, op, opts);
}

/// out[0] = init, or the operator's identity without one; out[i] = init op in[0] op ... op in[i-1].
/// Of types that are no numbers even `plus` and `multiplies` have no identity: they want an init.
/// Otherwise as `inclusive`; in[n-1] is read but reaches only `total` and out[n] of `complete`.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(const In* d_in, Out* d_out, std::int64_t n, Op op = {},
                               const options<Out>& opts = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, n, op, opts);
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
  return scan_by(on_host{}, false, in, out, n, op, opts);
}

/// `exclusive` over host memory on CPU threads.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(
    host_t, const In* in, Out* out, std::int64_t n, Op op = {},
    const host_options<Out>& opts =
        {}) noexcept(scans_nothrow<transform_input<In>, transform_output<Out>, Op>()) {
  return scan_by(on_host{}, true, in, out, n, op, opts);
}

/// The same with a function applied on the way in, on the way out, or both, or through iterators:
/// `d_in` is a `transform_input`, an iterator or a span, `d_out` a `transform_output`, an iterator
/// or a span, or one of them a pointer. What is no span or iterator over an array wants
/// <scan/scan.cuh>. See iterators.hpp.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(const In& d_in, Out d_out, std::int64_t n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, false, d_in, d_out, n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(const In& d_in, Out d_out, std::int64_t n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, n, op, opts);
}

/// The same in host memory, where they want <scan/host/host_scan.hpp>. Iterators are used by
/// several threads at once.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, const In& in, Out out, std::int64_t n, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, false, in, out, n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, const In& in, Out out, std::int64_t n, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, true, in, out, n, op, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
