// Scans of segments, and by keys, on CPU threads: from the arguments of a call to the workers of
// host_scan.hpp, whose tiles are cut by items wherever segments begin. Included by it.
#ifndef SCAN_HOST_SEGMENTS_HPP
#define SCAN_HOST_SEGMENTS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/host/host_scan.hpp"
#include "scan/host/segment_blocks.hpp"
#include "scan/host/segment_tiles.hpp"
#include "scan/host/segment_walks.hpp"
#include "scan/room.hpp"
#include "scan/segmented.hpp"

namespace scan::host_path {

template <class Plain, class Walk>
struct tile_scan_for<segment_problem<Plain, Walk>, false> {
  using type = segment_tiles<segment_problem<Plain, Walk>>;
};

/// Totals of segments that are all empty.
template <class Problem>
void write_empty_totals(const Problem& scan) {
  for (std::int64_t j = 0; j < scan.walk.num_segments(); ++j) {
    scan.plain.total[scan.walk.segment(j)] = scan.plain.as_value(scan.start_of(j));
  }
}

/// Scans what has been checked, at least one item or one segment.
template <bool reversed, class Input, class Output, class Heads, class Op, class Options>
status scan_by_heads(bool exclusive, Input in, Output out, const Heads& heads, Op op,
                     const Options& opts) {
  const auto walk = walk_of(heads, reversed);
  const std::int64_t num_items = walk.end() - walk.begin();
  if (num_items > 0) {
    in.data += walk.begin();
    out.data += walk.begin();
  }
  auto plain = describe<reversed>(exclusive, in, out, num_items, op, opts);
  plain.init_pointer = opts.init_pointer;
  const segment_problem<decltype(plain), std::decay_t<decltype(walk)>> scan{plain, walk};
  if (num_items > 0) return run(scan, opts.threads);
  if (opts.total != nullptr) write_empty_totals(scan);
  return {};
}

/// Scans of segments in host memory, and by keys: segmented.hpp.
template <class Input, class Output, class Heads, class Op>
status scan_segments(bool exclusive, const Input& in, const Output& out, const Heads& given, Op op,
                     const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  Heads heads = given;
  if (const status resolved = resolve_heads(heads, opts.threads); !resolved.ok()) return resolved;
  if (const status checked = validate_segments<Op>(exclusive, in, out, heads, opts, true);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(heads)) return {};
  return opts.reverse ? scan_by_heads<true>(exclusive, in, out, heads, op, opts)
                      : scan_by_heads<false>(exclusive, in, out, heads, op, opts);
}

/// Of what libscan.a holds nothing is compiled again, however it is said.
template <class Input, class Output, class Heads, class Op, class Value>
status scan_transformed_segments(bool exclusive, const Input& in, const Output& out,
                                 const Heads& heads, Op op, const host_options<Value>& opts) {
  if constexpr (both_as_is<Input, Output>) {
    return scan_segment_pointers(exclusive, in.data, out.data, heads, op, opts);
  } else {
    static_assert(in_arrays_only<Input, Output>());
    using call = call_types<Input, Output, Op>;
    return scan_segments(exclusive, call::input(in), call::output(out), heads, call::op(op),
                         call::options(opts));
  }
}

/// With as many items as the last offset says, where that is left to it and can be read.
inline segment_heads counted(segment_heads heads) noexcept {
  if (!has_offsets(heads) || heads.num_items != 0 || heads.num_segments == 0) return heads;
  if (!validate_heads(heads, 1, true).ok()) return heads;
  heads.num_items = heads.kind == head_kind::offsets_32
                        ? static_cast<const std::int32_t*>(heads.data)[heads.num_segments]
                        : static_cast<const std::int64_t*>(heads.data)[heads.num_segments];
  return heads;
}
template <class Key, class Equal>
const keyed_heads<Key, Equal>& counted(const keyed_heads<Key, Equal>& heads) noexcept {
  return heads;
}
template <class In, class Out, class Heads, class Op, class Value>
status scan_given_segments(bool exclusive, const In& in, const Out& out, const Heads& heads, Op op,
                           const host_options<Value>& opts) {
  if (const status checked = validate_room(in, out, room_for(counted(heads), false));
      !checked.ok()) {
    return checked;
  }
  return scan_transformed_segments(exclusive, as_input(in), as_output(out), heads, op, opts);
}

}  // namespace scan::host_path

namespace scan {

/// Whether a scan by keys with functions on its way calls nothing that can throw.
template <class Types, class Op, class Key, class Equal>
constexpr bool transformed_key_scans_nothrow() noexcept {
  return scans_nothrow<typename Types::given_input, typename Types::given_output, Op>() &&
         std::is_nothrow_copy_constructible_v<Equal> &&
         std::is_nothrow_invocable_r_v<bool, const Equal&, const Key&, const Key&>;
}

/// The scans of segmented.hpp with a function applied on the way in, on the way out, or both.
template <class In, class Out, class Offset, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(host_t, const In& in, Out out, const segments<Offset>& given,
                               Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(scans_nothrow<typename Types::given_input,
                                                              typename Types::given_output, Op>()) {
  return host_path::scan_given_segments(false, in, out, heads_of_segments(given), op, opts);
}
template <class In, class Out, class Offset, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(host_t, const In& in, Out out, const segments<Offset>& given,
                               Op op = {},
                               const host_options<typename Types::value>& opts =
                                   {}) noexcept(scans_nothrow<typename Types::given_input,
                                                              typename Types::given_output, Op>()) {
  return host_path::scan_given_segments(true, in, out, heads_of_segments(given), op, opts);
}

template <class Key, class In, class Out, class Op = plus, class Equal = equal_keys,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(
    host_t, const Key* keys, const In& in, Out out, std::int64_t n, Op op = {},
    const host_options<typename Types::value>& opts = {},
    Equal equal = {}) noexcept(transformed_key_scans_nothrow<Types, Op, Key, Equal>()) {
  return host_path::scan_given_segments(false, in, out, heads_of_keys(keys, n, equal), op, opts);
}
template <class Key, class In, class Out, class Op = plus, class Equal = equal_keys,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(
    host_t, const Key* keys, const In& in, Out out, std::int64_t n, Op op = {},
    const host_options<typename Types::value>& opts = {},
    Equal equal = {}) noexcept(transformed_key_scans_nothrow<Types, Op, Key, Equal>()) {
  return host_path::scan_given_segments(true, in, out, heads_of_keys(keys, n, equal), op, opts);
}
template <class Word, class In, class Out, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive_by_key(
    host_t, const flags<Word>& heads, const In& in, Out out, std::int64_t n, Op op = {},
    const host_options<typename Types::value>& opts =
        {}) noexcept(scans_nothrow<typename Types::given_input, typename Types::given_output,
                                   Op>()) {
  return host_path::scan_given_segments(false, in, out, heads_of_flags(heads, n), op, opts);
}
template <class Word, class In, class Out, class Op = plus,
          class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive_by_key(
    host_t, const flags<Word>& heads, const In& in, Out out, std::int64_t n, Op op = {},
    const host_options<typename Types::value>& opts =
        {}) noexcept(scans_nothrow<typename Types::given_input, typename Types::given_output,
                                   Op>()) {
  return host_path::scan_given_segments(true, in, out, heads_of_flags(heads, n), op, opts);
}

}  // namespace scan

#endif
