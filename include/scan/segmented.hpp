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

#include "scan/call/front_door.hpp"
#include "scan/call/room.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/iterators.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/segments.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

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
  return scan_by(on_device{}, false, d_in, d_out, given, op, opts);
}
/// `exclusive` likewise: the first result of a segment is its init, or the identity.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(In d_in, Out d_out, const segments<Offset>& given, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, given, op, opts);
}

/// The same in host memory on CPU threads. Offsets that cannot be are an error here, with
/// `status::index()` the first that is wrong and the output untouched.
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, In in, Out out, const segments<Offset>& given, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, false, in, out, given, op, opts);
}
template <class In, class Out, class Offset, class Op = plus,
          class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, In in, Out out, const segments<Offset>& given, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return scan_by(on_host{}, true, in, out, given, op, opts);
}

/// Waits until `stream` has come so far, and says whether the offsets are what `segments` says they
/// have to be. Success, or `cudaErrorInvalidValue` with `index()` the first entry of the offsets
/// that is wrong and a message that says what it is. In a stream that is being captured it is an
/// error, since nobody can wait there.
template <class Offset>
[[nodiscard]] status check_segments(const segments<Offset>& given,
                                    stream_ref stream = {}) noexcept {
  const segment_heads heads = heads_of_segments(given);
  if (const status checked = validate_heads_room(given, heads); !checked.ok()) return checked;
  if (const status checked = validate_heads(heads, 1, false); !checked.ok()) return checked;
  return device::check_offsets(heads, stream);
}
/// Of offsets in host memory, which the scans there check themselves.
template <class Offset>
[[nodiscard]] status check_segments(host_t, const segments<Offset>& given) noexcept {
  const segment_heads heads = heads_of_segments(given);
  if (const status checked = validate_heads_room(given, heads); !checked.ok()) return checked;
  if (const status checked = validate_heads(heads, 1, true); !checked.ok()) return checked;
  return host_path::check_offsets(heads, 0);
}

/// `inclusive` of scan.hpp that starts anew wherever the key is not equal to the one before:
/// out[i] = in[j] op ... op in[i], where keys j .. i are equal to their neighbours and j is as
/// small as can be.
///
/// `d_by` points to n keys in device memory, which the output does not overlap, or is a span or an
/// iterator of them; or it is `flags` of where runs begin. `n` is a number, or a `scan::count`: see
/// counted.hpp. Keys are trivially copyable, of up to 32 bytes; `equal(earlier, later)` is asked
/// for neighbours only. With an equality of your own, or of keys that are neither integers nor
/// bools, characters or enumerations without an `==` of their own (whose equality is that of their
/// bits), include <scan/scan.cuh>. `opts.init` is folded in at the start of every run;
/// `opts.init_pointer`, `opts.total` and `opts.complete` are refused; `opts.reverse` scans each run
/// from its end. Otherwise as for `segments`.
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(By d_by, In d_in, Out d_out, element_count n, Op op = {},
                                      const options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept {
  return scan_by(on_device{}, false, d_in, d_out, runs_of<By, Equal>{d_by, n, equal}, op, opts);
}
/// `exclusive` likewise: the first result of a run is the init, or the identity.
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(By d_by, In d_in, Out d_out, element_count n, Op op = {},
                                      const options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, runs_of<By, Equal>{d_by, n, equal}, op, opts);
}

/// The same in host memory on CPU threads. Keys or an equality that libscan.a does not know want
/// <scan/host/host_scan.hpp>.
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(host_t, By by, In in, Out out, element_count n, Op op = {},
                                      const host_options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept(given_scan_nothrow<Types, Op>() &&
                                                                 asks_nothrow<By, Equal>()) {
  return read_first(n, [&](std::int64_t known) {
    return scan_by(on_host{}, false, in, out, runs_of<By, Equal>{by, known, equal}, op, opts);
  });
}
template <class By, class In, class Out, class Op = plus, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(host_t, By by, In in, Out out, element_count n, Op op = {},
                                      const host_options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept(given_scan_nothrow<Types, Op>() &&
                                                                 asks_nothrow<By, Equal>()) {
  return read_first(n, [&](std::int64_t known) {
    return scan_by(on_host{}, true, in, out, runs_of<By, Equal>{by, known, equal}, op, opts);
  });
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
