// Compaction: elements are thrown away, or told apart, in one pass. Of what is kept the k-th goes
// to place k, in the order of the input.
//
// Which elements are kept is said by flags (`scan::flags{d_flags}`: a byte an element, or bits of
// std::uint32_t), by a predicate, or by what they follow. libscan.a holds flags for elements of 1,
// 2, 4, 8 and 16 bytes (aligned to their size, of 8 bytes and more to 4), unique and runs for
// integers (unique for float and double, too), and of reduce_by_key sums of integers of 4 and 8
// bytes, float and double, by integer keys of 4 and 8 bytes; other elements, operators, predicates
// and equalities want <scan/scan.cuh>.
//
// Every call here is asynchronous and capturable, allocates in stream order unless it is given a
// workspace, and writes nothing but the outputs' first min(kept, capacity) elements and `count`.
// `n` is a number, or `scan::count{d_n, capacity}`: one that only the device knows, so that the
// count of one call is the n of the next and nobody waits for the host.
//
// Arrays are aligned to their type (of up to 16 bytes' alignment) and do not overlap, but the first
// output of select, partition, unique, runs and reduce_by_key may be the first input. Errors are
// those of scans, and name the argument; then nothing has been enqueued.
#ifndef SCAN_COMPACTION_HPP
#define SCAN_COMPACTION_HPP

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "scan/call/call_types.hpp"
#include "scan/call/compaction_call.hpp"
#include "scan/call/front_door.hpp"
#include "scan/options.hpp"
#include "scan/segments.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

// ---- the way in, on either side ----

/// The elements that `by`, flags or a predicate, keeps of `in`, as `Results` of what is moved.
template <template <class> class Results, class Where, class In, class By, class Options,
          class... Out>
status select_by(Where where, const In* in, const By& by, const element_count& n,
                 const Options& opts, Out*... out) {
  static_assert(std::is_trivially_copyable_v<In> && sizeof(In) <= 64,
                "scan: elements are trivially copyable and have up to 64 bytes");
  const shown<Where, In> range(sizeof...(Out) == 1 ? "select" : "partition", n.most());
  const std::int64_t room = std::min(n.most(), opts.capacity);
  const call_numbers numbers(n, opts.count);
  if constexpr (is_flags<By>) {
    using moved = moved_t<In>;
    return compact_checked(where, reinterpret_cast<const moved*>(in), marks_of(by),
                           Results<moved>{reinterpret_cast<moved*>(out)...}, n, opts,
                           {{SCAN_ARRAY_MESSAGES("the input"), in, n.most()},
                            {SCAN_ARRAY_MESSAGES("an output"), out, room}...,
                            flags_array(by, n.most()),
                            numbers.known,
                            numbers.count});
  } else {
    static_assert(std::is_invocable_v<std::decay_t<By>&, const In&>,
                  "scan::select and partition take scan::flags{...}, or a predicate of an element");
    using moved = asked_t<In>;
    return compact_checked(where, reinterpret_cast<const moved*>(in),
                           predicate_marks<std::decay_t<By>>{by},
                           Results<moved>{reinterpret_cast<moved*>(out)...}, n, opts,
                           {{SCAN_ARRAY_MESSAGES("the input"), in, n.most()},
                            {SCAN_ARRAY_MESSAGES("an output"), out, room}...,
                            numbers.known,
                            numbers.count});
  }
}

/// Where the flags are that are set.
template <class Where, class Word, class Int, class Options>
status indices_by(Where where, const flags<Word>& by, Int* positions, const element_count& n,
                  const Options& opts) {
  static_assert(std::is_integral_v<Int> && (sizeof(Int) == 4 || sizeof(Int) == 8),
                "scan::indices writes integers of 4 or 8 bytes");
  using moved = std::conditional_t<sizeof(Int) == 4, std::int32_t, std::int64_t>;
  const shown<Where, Int> range("indices", n.most());
  if (sizeof(Int) == 4 &&
      n.most() - 1 > static_cast<std::int64_t>(std::numeric_limits<Int>::max())) {
    return {cudaErrorInvalidValue, "n is too large for positions of 4 bytes"};
  }
  const call_numbers numbers(n, opts.count);
  return compact_checked(
      where, static_cast<const no_items*>(nullptr), marks_of(by),
      kept_positions<moved>{reinterpret_cast<moved*>(positions)}, n, opts,
      {flags_array(by, n.most()),
       numbers.known,
       {SCAN_ARRAY_MESSAGES("the output"), positions, std::min(n.most(), opts.capacity)},
       numbers.count});
}

/// What begins runs, and, where `lengths` are given, how long these are.
template <class Where, class In, class Equal, class Options, class... Int>
status runs_by(Where where, const In* in, In* first, const element_count& n, Equal equal,
               const Options& opts, Int*... lengths) {
  static_assert(std::is_trivially_copyable_v<In> && sizeof(In) <= 64,
                "scan: elements are trivially copyable and have up to 64 bytes");
  static_assert(std::is_invocable_r_v<bool, Equal&, const In&, const In&>,
                "scan::unique and runs take an equality of two elements before the options");
  using moved = compared_t<In, Equal>;
  const shown<Where, In, Int...> range(sizeof...(Int) == 0 ? "unique" : "runs", n.most());
  const std::int64_t room = std::min(n.most(), opts.capacity);
  const call_numbers numbers(n, opts.count);
  const compaction_array input(SCAN_ARRAY_MESSAGES("the input"), in, n.most());
  const compaction_array output(SCAN_ARRAY_MESSAGES("the output"), first, room);
  const auto* const from = reinterpret_cast<const moved*>(in);
  auto* const to = reinterpret_cast<moved*>(first);
  const run_marks<Equal> marks{{equal}};
  if constexpr (sizeof...(Int) == 0) {
    return compact_checked(where, from, marks, kept_items<moved>{to}, n, opts,
                           {input, output, numbers.known, numbers.count});
  } else {
    static_assert(((std::is_integral_v<Int> && (sizeof(Int) == 4 || sizeof(Int) == 8)) && ...),
                  "scan::runs writes lengths that are integers of 4 or 8 bytes");
    using length = std::conditional_t<(sizeof(Int) + ...) == 4, std::int32_t, std::int64_t>;
    constexpr auto longest =
        static_cast<std::int64_t>(std::min({std::numeric_limits<Int>::max()...}));
    if (sizeof(length) == 4 && n.most() > longest) {
      return {cudaErrorInvalidValue, "n is too large for lengths of 4 bytes"};
    }
    return compact_checked(where, from, marks,
                           kept_runs<moved, length>{to, reinterpret_cast<length*>(lengths)...}, n,
                           opts,
                           {input,
                            output,
                            {SCAN_ARRAY_MESSAGES("the lengths"), lengths, room}...,
                            numbers.known,
                            numbers.count});
  }
}

/// What begins runs, and what the values of these fold to.
template <class Where, class Key, class In, class Out, class Op, class Equal, class Options>
status folds_by(Where where, const Key* keys, const In* values, Key* first, Out* folds,
                const element_count& n, const Op& op, Equal equal, const Options& opts) {
  static_assert(std::is_trivially_copyable_v<Key> && sizeof(Key) <= 64,
                "scan: elements are trivially copyable and have up to 64 bytes");
  static_assert(std::is_invocable_r_v<bool, Equal&, const Key&, const Key&>,
                "scan::reduce_by_key takes an equality of two keys after the options");
  using call = pointer_call<In, Out, Op>;
  static_assert(!call::is_wish, "scan::reduce_by_key does not take scan::accumulate_in");
  static_assert(!std::is_same_v<Op, equal_keys>,
                "scan::reduce_by_key takes the operator first, and an equality after the options");
  static_assert(holds_results<Out, typename call::op_type>);
  using as = folded_as<In, Out, typename call::op_type>;
  using moved = compared_t<Key, Equal>;
  const shown<Where, In, Out> range("reduce_by_key", n.most());
  const std::int64_t room = std::min(n.most(), opts.capacity);
  const call_numbers numbers(n, opts.count);
  const auto bound = in_scan_order<false, typename as::value>(call::op(op));
  const folded_runs<moved, typename as::in, typename as::out, std::decay_t<decltype(bound)>> to{
      reinterpret_cast<moved*>(first), reinterpret_cast<const typename as::in*>(values),
      reinterpret_cast<typename as::out*>(folds), bound};
  return compact_checked(where, reinterpret_cast<const moved*>(keys), run_marks<Equal>{{equal}}, to,
                         n, opts,
                         {{SCAN_ARRAY_MESSAGES("the array of keys"), keys, n.most()},
                          {SCAN_ARRAY_MESSAGES("the output of keys"), first, room},
                          {SCAN_ARRAY_MESSAGES("the array of values"), values, n.most()},
                          {SCAN_ARRAY_MESSAGES("the output of values"), folds, room},
                          numbers.known,
                          numbers.count});
}

// ---- the calls ----

/// d_out: the elements of d_in, n of them, whose flag is set, or of which the predicate `by` is
/// true; it is pure and may be asked more than once.
template <class In, class By>
[[nodiscard]] status select(const In* d_in, const By& by, In* d_out, element_count n,
                            const select_options& opts = {}) noexcept {
  return select_by<kept_items>(on_device{}, d_in, by, n, opts, d_out);
}
/// The same in host memory, on CPU threads; returns when it is written. In place one thread works.
/// What a predicate, or below an equality or operator, throws reaches the caller; of the output
/// nothing is known then.
template <class In, class By>
[[nodiscard]] status select(host_t, const In* in, const By& by, In* out, element_count n,
                            const host_select_options& opts = {}) {
  return select_by<kept_items>(on_host{}, in, by, n, opts, out);
}

/// d_kept as of select, d_rejected the others, both in the order of the input; options.count is how
/// many are kept, options.capacity the room of each.
template <class In, class By>
[[nodiscard]] status partition(const In* d_in, const By& by, In* d_kept, In* d_rejected,
                               element_count n, const select_options& opts = {}) noexcept {
  return select_by<split_items>(on_device{}, d_in, by, n, opts, d_kept, d_rejected);
}
template <class In, class By>
[[nodiscard]] status partition(host_t, const In* in, const By& by, In* kept, In* rejected,
                               element_count n, const host_select_options& opts = {}) {
  return select_by<split_items>(on_host{}, in, by, n, opts, kept, rejected);
}

/// d_positions: where the flags are set, rising; integers of 4 or 8 bytes.
template <class Word, class Int>
[[nodiscard]] status indices(const flags<Word>& by, Int* d_positions, element_count n,
                             const select_options& opts = {}) noexcept {
  return indices_by(on_device{}, by, d_positions, n, opts);
}
template <class Word, class Int>
[[nodiscard]] status indices(host_t, const flags<Word>& by, Int* positions, element_count n,
                             const host_select_options& opts = {}) {
  return indices_by(on_host{}, by, positions, n, opts);
}

/// d_out: the first of each run of elements that equal the one before them.
template <class In, class Equal = equal_keys>
[[nodiscard]] status unique(const In* d_in, In* d_out, element_count n, Equal equal = {},
                            const select_options& opts = {}) noexcept {
  return runs_by(on_device{}, d_in, d_out, n, equal, opts);
}
template <class In, class Equal = equal_keys>
[[nodiscard]] status unique(host_t, const In* in, In* out, element_count n, Equal equal = {},
                            const host_select_options& opts = {}) {
  return runs_by(on_host{}, in, out, n, equal, opts);
}

/// Run-length encoding: d_unique as of unique, and d_lengths, integers of 4 or 8 bytes.
template <class In, class Int, class Equal = equal_keys>
[[nodiscard]] status runs(const In* d_keys, In* d_unique, Int* d_lengths, element_count n,
                          Equal equal = {}, const select_options& opts = {}) noexcept {
  return runs_by(on_device{}, d_keys, d_unique, n, equal, opts, d_lengths);
}
template <class In, class Int, class Equal = equal_keys>
[[nodiscard]] status runs(host_t, const In* keys, In* unique_keys, Int* lengths, element_count n,
                          Equal equal = {}, const host_select_options& opts = {}) {
  return runs_by(on_host{}, keys, unique_keys, n, equal, opts, lengths);
}

/// Sums by key, or another fold: d_unique as of unique of d_keys, and d_folds[k] what the d_values
/// of run k fold to, `op(earlier, later)` in the order of the input. (Of float sums the last bits
/// depend on where a run lies, on n, or what it is said to be at most, and the kind of GPU; the
/// same call has the same bits.) Values are computed with as in scans: in Out, 16-bit floats in
/// float. As of scans by key the operator comes before the options, the equality of keys behind
/// them.
template <class Key, class In, class Out, class Op = plus, class Equal = equal_keys>
[[nodiscard]] status reduce_by_key(const Key* d_keys, const In* d_values, Key* d_unique,
                                   Out* d_folds, element_count n, Op op = {},
                                   const select_options& opts = {}, Equal equal = {}) noexcept {
  return folds_by(on_device{}, d_keys, d_values, d_unique, d_folds, n, op, equal, opts);
}
template <class Key, class In, class Out, class Op = plus, class Equal = equal_keys>
[[nodiscard]] status reduce_by_key(host_t, const Key* keys, const In* values, Key* unique_keys,
                                   Out* folds, element_count n, Op op = {},
                                   const host_select_options& opts = {}, Equal equal = {}) {
  return folds_by(on_host{}, keys, values, unique_keys, folds, n, op, equal, opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
