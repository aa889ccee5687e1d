// Linear recurrences that start anew many times in one array: packed sequences, of which offsets,
// keys or flags say where they begin.
//
// Included by <scan/scan.hpp>. libscan.a holds those of float and `__nv_bfloat16` with an array of
// factors, and on CPU threads all that it holds of recurrences, by offsets, flags and the keys that
// it knows (segmented.hpp); for more include <scan/scan.cuh> or, for CPU threads,
// <scan/host/host_scan.hpp>.
#ifndef SCAN_SEGMENTED_RECURRENCE_HPP
#define SCAN_SEGMENTED_RECURRENCE_HPP

#include <type_traits>

#include "scan/call/element_count.hpp"
#include "scan/call/entries.hpp"
#include "scan/call/given_shape.hpp"
#include "scan/options.hpp"
#include "scan/recurrence.hpp"
#include "scan/segments.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The state of a recurrence whose sides are pointers, spans or iterators over arrays, its factors
/// possibly one number.
template <class A, class B, class H>
using sided_state_t =
    typename state_of_sides<element_behind<H>, spanned_factors_t<A>, element_behind<B>>::type;

/// Whether libscan.a holds a recurrence by `Heads`, or its header has been included; the compiler's
/// user is told which.
template <class Where, class Heads, class Input, class Out>
constexpr bool can_recur() noexcept {
  using In = typename Input::element;
  using Factors = typename Input::Factors;
  constexpr bool is_known = std::is_same_v<Heads, segment_heads>;
  if constexpr (std::is_same_v<Where, on_device>) {
    static_assert((is_known && is_segment_recurrence_held<In, Out, Factors>) ||
                      included<device_scans, void(Heads, Input, Out)>,
                  "libscan.a holds no recurrence by segments or keys for these element types, "
                  "factors, or keys: include <scan/scan.cuh> and compile with nvcc");
  } else {
    static_assert((is_known && is_recurrence_held<In, Out, Factors>) ||
                      included<host_scans, void(Heads, Input, Out)>,
                  "libscan.a holds no recurrence by segments or keys for these element types, "
                  "factors, or keys: include <scan/host/host_scan.hpp>");
  }
  return true;
}

/// `given`: segments or runs.
template <class Where, class A, class B, class H, class Given, template <class> class Options,
          class Value>
status recur_segments_by(Where where, const A& a, const B& b, const H& h, const Given& given,
                         const Options<Value>& opts) {
  using T = element_behind<H>;
  using In = std::remove_const_t<element_behind<B>>;
  using Factor = std::conditional_t<is_one_factor<A>, In, spanned_factors_t<A>>;
  static_assert(!is_each_factor<A>,
                "scan::recurrence by segments or keys takes an array of factors, or one "
                "scan::factor for all; not factor_each");
  if constexpr (is_recurrence<std::remove_const_t<Factor>, In, T, Value>() && !is_each_factor<A>) {
    const auto heads = shape_of(given);
    if (const status checked = validate_heads_of(given, heads); !checked.ok()) return checked;
    if (const status checked = validate_recurrence_room(a, b, h, counted_by<Where>(heads));
        !checked.ok()) {
      return checked;
    }
    const shown<Where, T> range("recurrence", heads);
    const auto input = input_of<In, Value>(a, pointer_of(b));
    static_assert(
        can_recur<Where, std::decay_t<decltype(heads)>, std::decay_t<decltype(input)>, T>());
    return recur_segments(where, input, pointer_of(h), heads, opts);
  }
}

/// h[i] = a[i] * h[i-1] + b[i] within each of many segments of any lengths: see `segments`. In
/// device memory; types and arrays are those of `recurrence` (recurrence.hpp), so in place of `d_a`
/// may be one `scan::factor`.
///
/// At a segment's first element h[i] is b[i], bit for bit, whatever the factor there is and
/// whatever has been before, infinite or NaN. With `opts.init`, the same for all, or
/// `opts.init_pointer`, one state a segment, it is a[i] * init + b[i]. `opts.total` receives each
/// segment's last state, unrounded; that of an empty one is its init, or 0. `opts.reverse` walks
/// each from its end. `opts.complete` is refused. `d_h` may be `d_b`; else it overlaps none of what
/// is read. Elements in no segment are left alone.
///
/// As of every recurrence the factors of several steps are multiplied first, within a segment
/// alone, so what over- or underflows in one is not seen in another. A factor of exactly 0 begins
/// anew. Reproducible as `inclusive` of segments: a segment's last bits depend on where it lies.
/// Errors: as `inclusive` of segments.
template <class A, class B, class H, class Offset, class Value = sided_state_t<A, B, H>>
[[nodiscard]] status recurrence(const A& d_a, const B& d_b, H d_h, const segments<Offset>& given,
                                const options<Value>& opts = {}) noexcept {
  return recur_segments_by(on_device{}, d_a, d_b, d_h, given, opts);
}
/// The same in host memory on CPU threads, which share a long segment, too. Offsets that cannot be
/// are an error here, with `status::index()` the first that is wrong and the output untouched.
template <class A, class B, class H, class Offset, class Value = sided_state_t<A, B, H>>
[[nodiscard]] status recurrence(host_t, const A& a, const B& b, H h, const segments<Offset>& given,
                                const host_options<Value>& opts = {}) noexcept {
  return recur_segments_by(on_host{}, a, b, h, given, opts);
}

/// The same of runs of equal keys, or as `flags` say: see `inclusive_by_key`, from which are
/// `d_by`, `n` and `equal`. `opts.init_pointer` and `opts.total` are refused.
template <class By, class A, class B, class H, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Value = sided_state_t<A, B, H>>
[[nodiscard]] status recurrence_by_key(By d_by, const A& d_a, const B& d_b, H d_h, element_count n,
                                       const options<Value>& opts = {}, Equal equal = {}) noexcept {
  return recur_segments_by(on_device{}, d_a, d_b, d_h, runs_of<By, Equal>{d_by, n, equal}, opts);
}
/// In host memory.
template <class By, class A, class B, class H, class Equal = equal_keys,
          class = std::enable_if_t<says_runs<By>>, class Value = sided_state_t<A, B, H>>
[[nodiscard]] status recurrence_by_key(host_t, By by, const A& a, const B& b, H h, element_count n,
                                       const host_options<Value>& opts = {},
                                       Equal equal = {}) noexcept(asks_nothrow<By, Equal>()) {
  return read_first(n, [&](std::int64_t known) {
    return recur_segments_by(on_host{}, a, b, h, runs_of<By, Equal>{by, known, equal}, opts);
  });
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
