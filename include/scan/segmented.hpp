// Scans that start anew many times in one array: ragged segments, runs of equal keys, flags.
//
// Included by <scan/scan.hpp>. libscan.a holds of these what it holds of tensors, with offsets of 4
// and 8 bytes, flags, and keys that are integers, bools, characters or enumerations; for more, and
// for functions on the way in and out and iterators that are not over arrays, include
// <scan/scan.cuh> or, for CPU threads, <scan/host/host_scan.hpp>.
#ifndef SCAN_SEGMENTED_HPP
#define SCAN_SEGMENTED_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call_range.hpp"
#include "scan/iterators.hpp"
#include "scan/room.hpp"
#include "scan/scan.hpp"
#include "scan/segment_heads.hpp"
#include "scan/segments.hpp"
#include "scan/stream_ref.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

namespace device {
/// What libscan.a holds, and what <scan/scan.cuh> compiles.
template <class In, class Out, class Op>
status scan_prebuilt(bool exclusive, const In* in, Out* out, const segment_heads& heads, Op op,
                     const options<Out>& opts) noexcept;
template <class Input, class Output, class Heads, class Op>
status scan_segments(bool exclusive, const Input& in, const Output& out, const Heads& heads, Op op,
                     const options<typename scan_types<Input, Output>::value>& opts) noexcept;
/// Waits for the device: of segments that validate_heads lets pass.
status check_offsets(const segment_heads& heads, cudaStream_t stream) noexcept;

template <class In, class Out, class Heads, class Op>
status scan_segment_pointers(bool exclusive, const In* in, Out* out, const Heads& heads, Op op,
                             const options<Out>& opts) noexcept {
  using call = pointer_call<In, Out, Op>;
  using op_type = typename call::op_type;
  static_assert(holds_results<Out, op_type>);
  const call_range<In, Out, Op> range(name_of_scan(exclusive), heads);
  if constexpr (std::is_same_v<Heads, segment_heads> && !call::is_wish &&
                is_segment_prebuilt<In, Out, op_type>) {
    using kernel = shared_kernel<In, Out, op_type>;
    using from = typename kernel::in;
    using to = typename kernel::out;
    return scan_prebuilt(exclusive, reinterpret_cast<const from*>(in), reinterpret_cast<to*>(out),
                         heads, kernel::shared(call::op(op)),
                         retyped<to>(opts, start_of_bools<Out, op_type>()));
  } else {
    static_assert(
        std::is_same_v<Heads, segment_heads> || included<device_scans, void(In, Out, Heads, Op)>,
        "libscan.a never holds scans by keys of this type or with this equality: include "
        "<scan/scan.cuh> and compile with nvcc");
    static_assert(
        !std::is_same_v<Heads, segment_heads> || included<device_scans, void(In, Out, Heads, Op)>,
        "libscan.a holds no scan of segments for these element types with this operator: "
        "include <scan/scan.cuh> and compile with nvcc, or build the library with "
        "-Dprebuilt=full");
    return scan_segments(exclusive, call::input(as_input(in)), call::output(as_output(out)), heads,
                         call::op(op), call::options(opts));
  }
}
/// The same with what has functions, or is read or written through iterators. Of what libscan.a
/// holds nothing is compiled again, however it is said.
template <class Input, class Output, class Heads, class Op, class Value>
status scan_transformed_segments(bool exclusive, const Input& in, const Output& out,
                                 const Heads& heads, Op op, const options<Value>& opts) noexcept {
  if constexpr (both_as_is<Input, Output>) {
    return scan_segment_pointers(exclusive, in.data, out.data, heads, op, opts);
  } else {
    using call = call_types<Input, Output, Op>;
    static_assert(included<device_scans, void(Input, Output, Heads, Op)>,
                  "libscan.a never holds scans with functions on the way in or out, or through "
                  "iterators: include <scan/scan.cuh> and compile with nvcc");
    const call_range<Input, Output, Op> range(name_of_scan(exclusive), heads);
    return scan_segments(exclusive, call::input(in), call::output(out), heads, call::op(op),
                         call::options(opts));
  }
}
/// From what a caller gives as input and output.
template <class In, class Out, class Heads, class Op, class Value>
status scan_given_segments(bool exclusive, const In& in, const Out& out, const Heads& heads, Op op,
                           const options<Value>& opts) noexcept {
  if (const status checked = validate_room(in, out, room_for(heads, false)); !checked.ok()) {
    return checked;
  }
  return scan_transformed_segments(exclusive, as_input(in), as_output(out), heads, op, opts);
}
/// The same of runs.
template <class In, class Out, class By, class Op, class Value, class Equal>
status scan_given_runs(bool exclusive, const In& in, const Out& out, const By& by, std::int64_t n,
                       Op op, const options<Value>& opts, const Equal& equal) noexcept {
  if (room_of(by) < n) return {cudaErrorInvalidValue, too_few_keys};
  return scan_given_segments(exclusive, in, out, heads_of_runs(by, n, equal), op, opts);
}
}  // namespace device

namespace host_path {
template <class In, class Out, class Op>
status scan_prebuilt(bool exclusive, const In* in, Out* out, const segment_heads& heads, Op op,
                     const host_options<Out>& opts);
template <class Input, class Output, class Heads, class Op>
status scan_segments(bool exclusive, const Input& in, const Output& out, const Heads& heads, Op op,
                     const host_options<typename scan_types<Input, Output>::value>& opts);
/// Likewise; `threads` as in host_options.
status check_offsets(const segment_heads& heads, int threads) noexcept;

template <class In, class Out, class Heads, class Op>
status scan_segment_pointers(bool exclusive, const In* in, Out* out, const Heads& heads, Op op,
                             const host_options<Out>& opts) {
  using call = pointer_call<In, Out, Op>;
  using op_type = typename call::op_type;
  static_assert(holds_results<Out, op_type>);
  if constexpr (std::is_same_v<Heads, segment_heads> && !call::is_wish &&
                is_segment_prebuilt_on_host<In, Out, op_type>) {
    using from = typename shared_host_scan<In, Out, op_type>::in;
    using to = typename shared_host_scan<In, Out, op_type>::out;
    return scan_prebuilt(exclusive, reinterpret_cast<const from*>(in), reinterpret_cast<to*>(out),
                         heads, call::op(op), retyped<to>(opts, start_of_bools<Out, op_type>()));
  } else {
    static_assert(
        std::is_same_v<Heads, segment_heads> || included<host_scans, void(In, Out, Heads, Op)>,
        "libscan.a never holds scans by keys of this type or with this equality: include "
        "<scan/host/host_scan.hpp>");
    static_assert(
        !std::is_same_v<Heads, segment_heads> || included<host_scans, void(In, Out, Heads, Op)>,
        "libscan.a holds no scan of segments for these element types with this operator: "
        "include <scan/host/host_scan.hpp>, or build the library with -Dprebuilt=full");
    return scan_segments(exclusive, call::input(as_input(in)), call::output(as_output(out)), heads,
                         call::op(op), call::options(opts));
  }
}

template <class Input, class Output, class Heads, class Op, class Value>
status scan_transformed_segments(bool exclusive, const Input& in, const Output& out,
                                 const Heads& heads, Op op, const host_options<Value>& opts) {
  if constexpr (both_as_is<Input, Output>) {
    return scan_segment_pointers(exclusive, in.data, out.data, heads, op, opts);
  } else {
    using call = call_types<Input, Output, Op>;
    static_assert(included<host_scans, void(Input, Output, Heads, Op)>,
                  "libscan.a never holds scans with functions on the way in or out, or through "
                  "iterators: include <scan/host/host_scan.hpp>");
    return scan_segments(exclusive, call::input(in), call::output(out), heads, call::op(op),
                         call::options(opts));
  }
}
/// From what a caller gives, in host memory, where offsets may say how many elements there are.
template <class In, class Out, class Heads, class Op, class Value>
status scan_given_segments(bool exclusive, const In& in, const Out& out, const Heads& heads, Op op,
                           const host_options<Value>& opts) {
  if (const status checked = validate_room(in, out, room_for(counted(heads), false));
      !checked.ok()) {
    return checked;
  }
  return scan_transformed_segments(exclusive, as_input(in), as_output(out), heads, op, opts);
}
template <class In, class Out, class By, class Op, class Value, class Equal>
status scan_given_runs(bool exclusive, const In& in, const Out& out, const By& by, std::int64_t n,
                       Op op, const host_options<Value>& opts, const Equal& equal) {
  if (room_of(by) < n) return {cudaErrorInvalidValue, too_few_keys};
  return scan_given_segments(exclusive, in, out, heads_of_runs(by, n, equal), op, opts);
}
}  // namespace host_path

/// Whether a scan in host memory calls nothing of the user's own that can throw.
template <class Types, class Op>
constexpr bool given_scan_nothrow() noexcept {
  return scans_nothrow<typename Types::given_input, typename Types::given_output, Op>();
}

/// `inclusive` of scan.hpp for each of many segments of any lengths: see `segments`.
///
/// One kernel for all, whose work is cut by elements: it matters little how they are distributed
/// over the segments. `d_in` and `d_out` have room for `given.num_items` elements and are the same
/// pointer (in place) or do not overlap; the output, `options.init_pointer` and `options.total`
/// overlap the offsets neither. As of one sequence each may be an iterator, a span, or have a
/// function: see iterators.hpp. `options.algorithm` has to be `automatic`. The offsets are read
/// when the scan runs, and nobody checks them (see check_segments): where one is less than the one
/// before, or greater than num_items, results mean nothing, but nothing outside of [0, num_items)
/// of input and output and of [0, num_segments) of `init_pointer` and `total` is read or written.
///
/// Reproducible bit for bit: results depend on the arguments, the types, the build and the kind of
/// GPU. Of floats a segment's last bits depend on where it lies, too (README of include/scan).
/// Errors: as `inclusive`.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive(In d_in, Out d_out, const segments<Offset>& given, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given_segments(false, d_in, d_out, heads_of_segments(given), op, opts);
}
/// `exclusive` likewise: the first result of a segment is its init, or the identity.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(In d_in, Out d_out, const segments<Offset>& given, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given_segments(true, d_in, d_out, heads_of_segments(given), op, opts);
}

/// The same in host memory on CPU threads. Offsets that cannot be are an error here, with
/// `status::index()` the first that is wrong and the output untouched.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, In in, Out out, const segments<Offset>& given, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return host_path::scan_given_segments(false, in, out, heads_of_segments(given), op, opts);
}
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, In in, Out out, const segments<Offset>& given, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return host_path::scan_given_segments(true, in, out, heads_of_segments(given), op, opts);
}

/// Waits until `stream` has come so far, and says whether the offsets are what `segments` says they
/// have to be. Success, or `cudaErrorInvalidValue` with `index()` the first entry of the offsets
/// that is wrong and a message that says what it is. In a stream that is being captured it is an
/// error, since nobody can wait there.
template <class Offset>
[[nodiscard]] status check_segments(const segments<Offset>& given,
                                    stream_ref stream = {}) noexcept {
  const segment_heads heads = heads_of_segments(given);
  if (const status checked = validate_heads(heads, 1, false); !checked.ok()) return checked;
  return device::check_offsets(heads, stream);
}
/// Of offsets in host memory, which the scans there check themselves.
template <class Offset>
[[nodiscard]] status check_segments(host_t, const segments<Offset>& given) noexcept {
  const segment_heads heads = heads_of_segments(given);
  if (const status checked = validate_heads(heads, 1, true); !checked.ok()) return checked;
  return host_path::check_offsets(heads, 0);
}

/// `inclusive` of scan.hpp that starts anew wherever the key is not equal to the one before:
/// out[i] = in[j] op ... op in[i], where keys j .. i are equal to their neighbours and j is as
/// small as can be.
///
/// `d_by` points to n keys in device memory, which the output does not overlap, or is a span or an
/// iterator of them; or it is `flags` of where runs begin. Keys are trivially
/// copyable, of up to 32 bytes; `equal(earlier, later)` is asked for neighbours only. With an
/// equality of your own, or of keys that are neither integers nor bools, characters or enumerations
/// without an `==` of their own (whose equality is that of their bits), include <scan/scan.cuh>.
/// `opts.init` is folded in at the start of every run; `opts.init_pointer`, `opts.total` and
/// `opts.complete` are refused; `opts.reverse` scans each run from its end. Otherwise as for
/// `segments`.
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(By d_by, In d_in, Out d_out, std::int64_t n, Op op = {},
                                      const options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept {
  return device::scan_given_runs(false, d_in, d_out, d_by, n, op, opts, equal);
}
/// `exclusive` likewise: the first result of a run is the init, or the identity.
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(By d_by, In d_in, Out d_out, std::int64_t n, Op op = {},
                                      const options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept {
  return device::scan_given_runs(true, d_in, d_out, d_by, n, op, opts, equal);
}

/// The same in host memory on CPU threads. Keys or an equality that libscan.a does not know want
/// <scan/host/host_scan.hpp>.
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(host_t, By by, In in, Out out, std::int64_t n, Op op = {},
                                      const host_options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept(given_scan_nothrow<Types, Op>() &&
                                                                 asks_nothrow<By, Equal>()) {
  return host_path::scan_given_runs(false, in, out, by, n, op, opts, equal);
}
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(host_t, By by, In in, Out out, std::int64_t n, Op op = {},
                                      const host_options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept(given_scan_nothrow<Types, Op>() &&
                                                                 asks_nothrow<By, Equal>()) {
  return host_path::scan_given_runs(true, in, out, by, n, op, opts, equal);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
