// Where a call goes, and the functions that take it there: the device's kernels, CPU threads. What
// libscan.a holds of them is declared here and compiled nowhere else; others are defined by
// <scan/scan.cuh> and <scan/host/host_scan.hpp>.
#ifndef SCAN_CALL_ENTRIES_HPP
#define SCAN_CALL_ENTRIES_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call/gradient_call.hpp"
#include "scan/call/prebuilt.hpp"
#include "scan/call/range_offsets.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/extents.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What a call scans, as entries are given it: one sequence of `std::int64_t` elements, or of a
/// `count` of them, the sequences of `extents`, segments (`segment_heads`, `keyed_heads`), or
/// segments that lie anywhere (`range_offsets`).
template <class Shape>
inline constexpr bool is_sequence = std::is_same_v<Shape, std::int64_t>;
template <class Shape>
inline constexpr bool is_counted = std::is_same_v<Shape, count>;
template <class Shape>
inline constexpr bool is_tensor = std::is_same_v<Shape, extents>;
template <class Shape>
inline constexpr bool is_ranges = std::is_same_v<Shape, range_offsets>;
template <class Shape>
inline constexpr bool is_segmented =
    !is_sequence<Shape> && !is_counted<Shape> && !is_tensor<Shape> && !is_ranges<Shape>;
/// Keys of types, and with equalities, that libscan.a does not know.
template <class Shape>
inline constexpr bool is_keyed = is_segmented<Shape> && !std::is_same_v<Shape, segment_heads>;

/// Whether libscan.a holds recurrences with such factors: of sequences and, on CPU threads, of
/// segments; of segments on the device.
template <class In, class Out, class Factors>
inline constexpr bool is_recurrence_held = false;
template <class In, class Out, class Factors>
inline constexpr bool is_segment_recurrence_held = false;
// (A type in parentheses is none.) NOLINTBEGIN(bugprone-macro-parentheses)
#define SCAN_HELD_RECURRENCE(In, Out, Factors) \
  template <>                                  \
  inline constexpr bool is_recurrence_held<In, Out, Factors> = true;
#define SCAN_HELD_SEGMENT_RECURRENCE(In, Out, Factors) \
  template <>                                          \
  inline constexpr bool is_segment_recurrence_held<In, Out, Factors> = true;
// NOLINTEND(bugprone-macro-parentheses)
SCAN_RECURRENCES_HELD(SCAN_HELD_RECURRENCE)
SCAN_SEGMENT_RECURRENCES_HELD(SCAN_HELD_SEGMENT_RECURRENCE)
#undef SCAN_HELD_RECURRENCE
#undef SCAN_HELD_SEGMENT_RECURRENCE

namespace device {

/// To the current device.
struct on_device {
  static constexpr bool is_of_ranks = false;
  template <class In, class Out, class Op>
  using known = shared_kernel<In, Out, Op>;
  template <class Shape, class In, class Out, class Op>
  static constexpr bool holds =
      is_sequence<Shape>  ? is_prebuilt<In, Out, Op>
      : is_counted<Shape> ? is_count_prebuilt<In, Out, Op>
      : is_ranges<Shape>  ? is_range_prebuilt<In, Out, Op>
                          : !is_keyed<Shape> && is_tensor_prebuilt<In, Out, Op>;
};

/// A scan whose arguments nobody has looked at yet, but for the sizes of spans.
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out, std::int64_t n,
                  Op op, const options<typename scan_types<Input, Output>::value>& opts) noexcept;
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out, const count& n,
                  Op op, const options<typename scan_types<Input, Output>::value>& opts) noexcept;
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out,
                  const range_offsets& where, Op op,
                  const options<typename scan_types<Input, Output>::value>& opts) noexcept;
/// (A row that goes as one sequence is given to the function above, by the front door if that can
/// be told without the device.)
template <class Input, class Output, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out,
                  const extents& shape, Op op,
                  const options<typename scan_types<Input, Output>::value>& opts) noexcept;
template <class Input, class Output, class Heads, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out, const Heads& heads,
                  Op op, const options<typename scan_types<Input, Output>::value>& opts) noexcept;
/// `Input`: a recurrence_input.
template <class Input, class Out>
status recur(on_device, const Input& in, Out* out, const extents& shape,
             const options<state_t<Out>>& opts) noexcept;
/// By segments and keys; `Heads` as of scans.
template <class Input, class Out, class Heads>
status recur_segments(on_device, const Input& in, Out* out, const Heads& heads,
                      const options<state_t<Out>>& opts) noexcept;
/// Its gradient.
template <class T>
status recur_back(on_device, const gradient_input<T>& in, const gradient_output<T>& out,
                  const extents& shape, const gradient_options<state_t<T>>& opts) noexcept;

/// Defined by <scan/nccl.cuh>, which holds the scans across GPUs of every other type and operator.
struct slice_scans;

/// Waits for the device: of segments that validate_heads lets pass.
status check_offsets(const segment_heads& heads, cudaStream_t stream) noexcept;

#define SCAN_HELD(In, Out, Shape, Op)                                            \
  extern template status scan_shape(on_device, bool, const transform_input<In>&, \
                                    const transform_output<Out>&, Shape, Op,     \
                                    const options<Out>&) noexcept;
#define SCAN_HELD_SEQUENCES(In, Out, Op) SCAN_HELD(In, Out, std::int64_t, Op)
#define SCAN_HELD_TENSORS(In, Out, Op) \
  SCAN_HELD(In, Out, const extents&, Op) SCAN_HELD(In, Out, const segment_heads&, Op)
#define SCAN_HELD_COUNTS(In, Out, Op) SCAN_HELD(In, Out, const count&, Op)
#define SCAN_HELD_RANGES(In, Out, Op) SCAN_HELD(In, Out, const range_offsets&, Op)
SCAN_KERNELS_HELD(SCAN_HELD_SEQUENCES)
SCAN_COUNT_KERNELS_HELD(SCAN_HELD_COUNTS)
#undef SCAN_HELD_COUNTS
SCAN_RANGES_HELD(SCAN_HELD_RANGES)
SCAN_TENSOR_KERNELS_HELD(SCAN_HELD_TENSORS)
#undef SCAN_HELD

// (NOLINTs: T is a type, which takes no parentheses.)
// NOLINTBEGIN(bugprone-macro-parentheses)
#define SCAN_HELD_RECURRENCES(In, Out, Factors)                                       \
  extern template status recur(on_device, const recurrence_input<In, Factors>&, Out*, \
                               const extents&, const options<state_t<Out>>&) noexcept;
#define SCAN_HELD_BY_SEGMENTS(In, Out, Factors)                                                \
  extern template status recur_segments(on_device, const recurrence_input<In, Factors>&, Out*, \
                                        const segment_heads&,                                  \
                                        const options<state_t<Out>>&) noexcept;
#define SCAN_HELD_GRADIENTS(T)                                                 \
  extern template status recur_back(on_device, const gradient_input<T>&,       \
                                    const gradient_output<T>&, const extents&, \
                                    const gradient_options<state_t<T>>&) noexcept;
// NOLINTEND(bugprone-macro-parentheses)
SCAN_RECURRENCES_HELD(SCAN_HELD_RECURRENCES)
SCAN_SEGMENT_RECURRENCES_HELD(SCAN_HELD_BY_SEGMENTS)
SCAN_GRADIENTS_HELD(SCAN_HELD_GRADIENTS)
#undef SCAN_HELD_RECURRENCES
#undef SCAN_HELD_BY_SEGMENTS
#undef SCAN_HELD_GRADIENTS

}  // namespace device

namespace host_path {

/// To CPU threads.
struct on_host {
  static constexpr bool is_of_ranks = false;
  template <class In, class Out, class Op>
  using known = shared_host_scan<In, Out, Op>;
  template <class Shape, class In, class Out, class Op>
  static constexpr bool holds =
      is_sequence<Shape> ? is_prebuilt_on_host<In, Out, Op>
      : is_ranges<Shape> ? is_range_prebuilt_on_host<In, Out, Op>
                         : !is_keyed<Shape> && is_tensor_prebuilt_on_host<In, Out, Op>;
};

/// As on the device.
template <class Input, class Output, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out, std::int64_t n,
                  Op op, const host_options<typename scan_types<Input, Output>::value>& opts);
template <class Input, class Output, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out, const extents& shape,
                  Op op, const host_options<typename scan_types<Input, Output>::value>& opts);
template <class Input, class Output, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out,
                  const range_offsets& where, Op op,
                  const host_options<typename scan_types<Input, Output>::value>& opts);
template <class Input, class Output, class Heads, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out, const Heads& heads,
                  Op op, const host_options<typename scan_types<Input, Output>::value>& opts);
template <class Input, class Out>
status recur(on_host, const Input& in, Out* out, const extents& shape,
             const host_options<state_t<Out>>& opts) noexcept;
template <class Input, class Out, class Heads>
status recur_segments(on_host, const Input& in, Out* out, const Heads& heads,
                      const host_options<state_t<Out>>& opts);
template <class T>
status recur_back(on_host, const gradient_input<T>& in, const gradient_output<T>& out,
                  const extents& shape, const host_gradient_options<state_t<T>>& opts) noexcept;
/// `threads` as in host_options.
status check_offsets(const segment_heads& heads, int threads) noexcept;
/// Whether all segments lie within input and output.
status check_ranges(const range_offsets& where, int threads) noexcept;

#define SCAN_HELD(In, Out, Shape, Op)                                          \
  extern template status scan_shape(on_host, bool, const transform_input<In>&, \
                                    const transform_output<Out>&, Shape, Op,   \
                                    const host_options<Out>&);
SCAN_HOST_HELD(SCAN_HELD_SEQUENCES)
SCAN_TENSOR_HOST_HELD(SCAN_HELD_TENSORS)
SCAN_RANGES_HELD(SCAN_HELD_RANGES)
#undef SCAN_HELD
#undef SCAN_HELD_RANGES
#undef SCAN_HELD_SEQUENCES
#undef SCAN_HELD_TENSORS

// NOLINTBEGIN(bugprone-macro-parentheses)
#define SCAN_HELD_RECURRENCES(In, Out, Factors)                                              \
  extern template status recur(on_host, const recurrence_input<In, Factors>&, Out*,          \
                               const extents&, const host_options<state_t<Out>>&) noexcept;  \
  extern template status recur_segments(on_host, const recurrence_input<In, Factors>&, Out*, \
                                        const segment_heads&, const host_options<state_t<Out>>&);
#define SCAN_HELD_GRADIENTS(T)                                                                    \
  extern template status recur_back(on_host, const gradient_input<T>&, const gradient_output<T>&, \
                                    const extents&,                                               \
                                    const host_gradient_options<state_t<T>>&) noexcept;
// NOLINTEND(bugprone-macro-parentheses)
SCAN_RECURRENCES_HELD(SCAN_HELD_RECURRENCES)
SCAN_GRADIENTS_HELD(SCAN_HELD_GRADIENTS)
#undef SCAN_HELD_RECURRENCES
#undef SCAN_HELD_GRADIENTS

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
