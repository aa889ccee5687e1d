// The scans of segmented.hpp in device memory with functions applied on the way in and out.
// Included by <scan/scan.cuh>.
#ifndef SCAN_SEGMENTED_CUH
#define SCAN_SEGMENTED_CUH

#include <cstdint>

#include "scan/call_range.hpp"
#include "scan/iterators.hpp"
#include "scan/room.hpp"
#include "scan/segmented.hpp"
#include "scan/transform.hpp"

namespace scan {

namespace device {
/// Of what libscan.a holds nothing is compiled again, however it is said.
template <class Input, class Output, class Heads, class Op, class Value>
status scan_transformed_segments(bool exclusive, const Input& in, const Output& out,
                                 const Heads& heads, Op op, const options<Value>& opts) noexcept {
  if constexpr (both_as_is<Input, Output>) {
    return scan_segment_pointers(exclusive, in.data, out.data, heads, op, opts);
  } else {
    static_assert(in_arrays_only<Input, Output>());
    const call_range<Input, Output, Op> range(name_of_scan(exclusive), heads);
    using call = call_types<Input, Output, Op>;
    return scan_segments(exclusive, call::input(in), call::output(out), heads, call::op(op),
                         call::options(opts));
  }
}
template <class In, class Out, class Heads, class Op, class Value>
status scan_given_segments(bool exclusive, const In& in, const Out& out, const Heads& heads, Op op,
                           const options<Value>& opts) noexcept {
  if (const status checked = validate_room(in, out, room_for(heads, false)); !checked.ok()) {
    return checked;
  }
  return scan_transformed_segments(exclusive, as_input(in), as_output(out), heads, op, opts);
}
}  // namespace device

/// With a function applied on the way in, on the way out, or both: `d_in` is a `transform_input`,
/// `d_out` a `transform_output`, or one of them a pointer.
template <class In, class Out, class Offset, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(const In& d_in, Out d_out, const segments<Offset>& given, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given_segments(false, d_in, d_out, heads_of_segments(given), op, opts);
}
template <class In, class Out, class Offset, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(const In& d_in, Out d_out, const segments<Offset>& given, Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given_segments(true, d_in, d_out, heads_of_segments(given), op, opts);
}

template <class Key, class In, class Out, class Op = plus, class Equal = equal_keys,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(const Key* d_keys, const In& d_in, Out d_out, std::int64_t n,
                                      Op op = {}, const options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept {
  return device::scan_given_segments(false, d_in, d_out, heads_of_keys(d_keys, n, equal), op, opts);
}
template <class Key, class In, class Out, class Op = plus, class Equal = equal_keys,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(const Key* d_keys, const In& d_in, Out d_out, std::int64_t n,
                                      Op op = {}, const options<typename Types::value>& opts = {},
                                      Equal equal = {}) noexcept {
  return device::scan_given_segments(true, d_in, d_out, heads_of_keys(d_keys, n, equal), op, opts);
}
template <class Word, class In, class Out, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(const flags<Word>& d_flags, const In& d_in, Out d_out,
                                      std::int64_t n, Op op = {},
                                      const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given_segments(false, d_in, d_out, heads_of_flags(d_flags, n), op, opts);
}
template <class Word, class In, class Out, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(const flags<Word>& d_flags, const In& d_in, Out d_out,
                                      std::int64_t n, Op op = {},
                                      const options<typename Types::value>& opts = {}) noexcept {
  return device::scan_given_segments(true, d_in, d_out, heads_of_flags(d_flags, n), op, opts);
}

}  // namespace scan

#endif
