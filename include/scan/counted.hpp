// Scans of as many elements as memory says: of a number that the device has found out, and the host
// does not know.
//
// Included by <scan/scan.hpp>. libscan.a holds those of the sums of 4- and 8-byte integers, `float`
// and `double`; for others, and for functions on the way in and out and iterators that are not over
// arrays, include <scan/scan.cuh>. (By keys and flags: what it holds of these.)
#ifndef SCAN_COUNTED_HPP
#define SCAN_COUNTED_HPP

#include <cstdint>

#include "scan/call/element_count.hpp"
#include "scan/call/front_door.hpp"
#include "scan/iterators.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// `inclusive` of scan.hpp for the first `*n.n` elements, of at most `n.capacity`: a number of 64
/// bits in device memory, as compactions write it, that is read when the scan runs. What is less
/// than 0 is none, what is more is `n.capacity`. Input and output have room for so many; those
/// beyond the number are neither read nor written, and with no elements just what `total` and
/// `complete` ask for is written, as of a call for none.
///
/// One kernel, whose grid and states (and workspace) are those of `n.capacity` elements; tiles
/// that are not there cost nothing. Bit for bit the results are those of `algorithm::look_back`,
/// which `options.algorithm` may say, for as many elements. Neither the output nor `total` may be
/// where the number is. An operator without an identity needs an init for `total`, too.
///
/// Errors: as `inclusive`.
template <class In, class Out, class Op = plus, class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive(In d_in, Out d_out, const count& n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, false, d_in, d_out, n, op, opts);
}
/// `exclusive` likewise; with `complete` the fold of everything goes to d_out[*n.n].
template <class In, class Out, class Op = plus, class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(In d_in, Out d_out, const count& n, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(on_device{}, true, d_in, d_out, n, op, opts);
}

/// The same in host memory on CPU threads: the number is read first, and the call is that for as
/// many elements.
template <class In, class Out, class Op = plus, class Types = given_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, In in, Out out, const count& n, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return read_first(
      n, [&](std::int64_t known) { return scan_by(on_host{}, false, in, out, known, op, opts); });
}
template <class In, class Out, class Op = plus, class Types = given_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, In in, Out out, const count& n, Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(given_scan_nothrow<Types, Op>()) {
  return read_first(
      n, [&](std::int64_t known) { return scan_by(on_host{}, true, in, out, known, op, opts); });
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
