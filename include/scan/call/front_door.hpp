// The way of every scan from its public call to the function that carries it out: what the caller
// gave as input, output, shape and operator becomes what that function takes.
#ifndef SCAN_CALL_FRONT_DOOR_HPP
#define SCAN_CALL_FRONT_DOOR_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "scan/call/call_range.hpp"
#include "scan/call/call_types.hpp"
#include "scan/call/entries.hpp"
#include "scan/call/given_shape.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/iterators.hpp"
#include "scan/operands/numbers.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

using device::on_device;
using host_path::on_host;

/// Whether a scan in host memory calls nothing of the user's own that can throw.
template <class Types, class Op>
constexpr bool given_scan_nothrow() noexcept {
  return scans_nothrow<typename Types::given_input, typename Types::given_output, Op>();
}

// ---- by which types a call is handed over ----

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

/// Whether libscan.a holds a call, one of `Shape`; `Call`: the call_types.
template <class Where, class Shape, class Call>
constexpr bool is_call_held() noexcept {
  using Input = typename Call::given_input;
  using Output = typename Call::given_output;
  if constexpr (Call::is_wish || !both_as_is<Input, Output>) {
    return false;
  } else {
    return Where::template holds<Shape, typename Input::element, typename Output::element,
                                 typename Call::op_type>;
  }
}

/// The arguments of a call as its entry takes them: of the types that libscan.a knows it by, where
/// it holds it, else as `Call` has them.
template <class Where, class Shape, class Call, bool is_held = is_call_held<Where, Shape, Call>()>
struct handed : Call {};
template <class Where, class Shape, class Call>
struct handed<Where, Shape, Call, true> {
  using In = typename Call::given_input::element;
  using Out = typename Call::given_output::element;
  using known = typename Where::template known<In, Out, typename Call::op_type>;
  using from = typename known::in;
  using to = typename known::out;

  static transform_input<from> input(const transform_input<In>& in) noexcept {
    return as_input(reinterpret_cast<const from*>(in.data));
  }
  static transform_output<to> output(const transform_output<Out>& out) noexcept {
    return as_output(reinterpret_cast<to*>(out.data));
  }
  template <class Op>
  static typename known::op op(const Op& given) noexcept {
    return known::shared(Call::op(given));
  }
  template <class Options>
  static auto options(const Options& given) noexcept {
    return retyped<to>(given, start_of_bools<Out, typename Call::op_type>());
  }
};

/// Whether a call is held, or its header has been included; the compiler's user is told which. (On
/// CPU threads a call is compiled with the caller's own types: the compiler may assume that `long`
/// and `long long` never share memory.)
template <class Where, class Shape, class Call>
constexpr bool can_be_handed() noexcept {
  using Input = typename Call::given_input;
  using Output = typename Call::given_output;
  constexpr bool as_is = both_as_is<Input, Output>;
  constexpr bool is_open = is_call_held<Where, Shape, Call>();
  if constexpr (std::is_same_v<Where, on_device>) {
    constexpr bool is_here = is_open || included<device_scans, void(Shape, Call)>;
    static_assert(is_here || as_is,
                  "libscan.a never holds scans with functions on the way in or out, or through "
                  "iterators: include <scan/scan.cuh> and compile with nvcc");
    static_assert(is_here || !is_keyed<Shape>,
                  "libscan.a never holds scans by keys of this type or with this equality: include "
                  "<scan/scan.cuh> and compile with nvcc");
    static_assert(is_here || !as_is || !is_sequence<Shape>,
                  "libscan.a holds no kernel for these element types with this operator: include "
                  "<scan/scan.cuh> and compile with nvcc, or build the library with "
                  "-Dprebuilt=full");
    static_assert(is_here || !as_is || !is_counted<Shape>,
                  "libscan.a holds no scan of a scan::count of elements for these types with this "
                  "operator: include <scan/scan.cuh> and compile with nvcc, or build the library "
                  "with -Dprebuilt=full");
    static_assert(is_here || !as_is || !is_tensor<Shape>,
                  "libscan.a holds no scan of tensors for these element types with this operator: "
                  "include <scan/scan.cuh> and compile with nvcc, or build the library with "
                  "-Dprebuilt=full");
    static_assert(is_here || !as_is || !std::is_same_v<Shape, segment_heads>,
                  "libscan.a holds no scan of segments for these element types with this operator: "
                  "include <scan/scan.cuh> and compile with nvcc, or build the library with "
                  "-Dprebuilt=full");
    static_assert(is_here || !as_is || !is_ranges<Shape>,
                  "libscan.a holds no scan of segment_ranges for these element types with this "
                  "operator: include <scan/scan.cuh> and compile with nvcc");
  } else if constexpr (std::is_same_v<Where, on_host>) {
    constexpr bool is_here = is_open || included<host_scans, void(Shape, Call)>;
    static_assert(is_here || as_is,
                  "libscan.a never holds scans with functions on the way in or out, or through "
                  "iterators: include <scan/host/host_scan.hpp>");
    static_assert(is_here || !is_keyed<Shape>,
                  "libscan.a never holds scans by keys of this type or with this equality: include "
                  "<scan/host/host_scan.hpp>");
    static_assert(is_here || !as_is || !is_sequence<Shape>,
                  "libscan.a holds no scan for these element types with this operator: include "
                  "<scan/host/host_scan.hpp>, or build the library with -Dprebuilt=full");
    static_assert(is_here || !as_is || !is_tensor<Shape>,
                  "libscan.a holds no scan of tensors for these element types with this operator: "
                  "include <scan/host/host_scan.hpp>, or build the library with -Dprebuilt=full");
    static_assert(is_here || !as_is || !std::is_same_v<Shape, segment_heads>,
                  "libscan.a holds no scan of segments for these element types with this operator: "
                  "include <scan/host/host_scan.hpp>, or build the library with -Dprebuilt=full");
    static_assert(is_here || !as_is || !is_ranges<Shape>,
                  "libscan.a holds no scan of segment_ranges for these element types with this "
                  "operator: include <scan/host/host_scan.hpp>");
  } else {
    constexpr bool is_here = is_open || included<device::slice_scans, void(Shape, Call)>;
    static_assert(is_here,
                  "libscan_nccl.a holds no kernel for these element types with this operator: "
                  "include <scan/nccl.cuh> and compile with nvcc, or build the library with "
                  "-Dprebuilt=full");
  }
  return true;
}

// ---- the way in ----

/// Whether the sequences of `given` are one, that goes as such. (What extents cannot be, and that
/// there is no input for them, is said by those who scan tensors; and of a row so long that a
/// device has to be asked whether it has a ring they find out.)
template <class Types, class Options>
bool is_one_sequence(on_device, const void* in, const extents& given,
                     const Options& opts) noexcept {
  tensor_shape shape;
  if (given.outer != 1 || given.inner != 1) return false;
  if (given.length > 0 && in == nullptr) return false;
  if (!resolve(given, opts.complete, Types::widest, shape).ok()) return false;
  if (opts.algorithm != algorithm::automatic) return opts.algorithm != algorithm::walk;
  return device::goes_as_sequence(given.length, Types::widest, false);
}

/// What profilers show of a call.
template <class Where, class Input, class Output, class Op>
struct shown_call {
  using type = shown<Where, Input, Output, Op>;
};
template <class Where, class In, class Out, class Op>
struct shown_call<Where, transform_input<In>, transform_output<Out>, Op> {
  using type = shown<Where, In, Out, Op>;
};

/// A scan from and to what the caller gave. `Where`: on_device, on_host, or on_ranks of nccl.hpp;
/// `given`: a number or a count of elements, extents, segments or runs.
template <class Where, class In, class Out, class Shape, class Op, class Options>
status scan_by(Where where, bool exclusive, const In& in, const Out& out, const Shape& given, Op op,
               const Options& opts) {
  const auto& shape = shape_of(given);
  using shape_type = std::decay_t<decltype(shape)>;
  if constexpr (!Where::is_of_ranks) {
    if (const status checked = validate_rooms<Where>(in, out, given, shape, opts.complete);
        !checked.ok()) {
      return checked;
    }
  }
  const auto& from = as_input(in);
  const auto& to = as_output(out);
  using Input = std::decay_t<decltype(from)>;
  using Output = std::decay_t<decltype(to)>;
  using call = call_types<Input, Output, Op>;
  if constexpr (both_as_is<Input, Output>) {
    static_assert(holds_results<typename Output::element, typename call::op_type>);
  }
  if constexpr (Where::is_of_ranks) {
    if (!where.made().ok()) return where.made();
    // (Else it does not compile, for the one reason that is said below.)
    if constexpr (is_call_held<Where, shape_type, call>() ||
                  included<device_scans, void(shape_type, call)>) {
      if (where.is_alone()) {
        const auto alone = where.template alone<typename call::types>(given, opts);
        return scan_by(on_device{}, exclusive, in, out, given, op, alone);
      }
    }
    where.template number<call>(exclusive, opts);
  }
  const typename shown_call<Where, Input, Output, Op>::type range(device::name_of_scan(exclusive),
                                                                  shape);
  if constexpr (is_tensor<shape_type> || Where::is_of_ranks) {
    static_assert(in_arrays_only<Input, Output>());
  }
  static_assert(can_be_handed<Where, shape_type, call>());
  if constexpr (is_tensor<shape_type> && !std::is_same_v<Where, on_host>) {
    using row = handed<Where, std::int64_t, call>;
    if (is_one_sequence<typename call::types>(where, from.data, shape, opts)) {
      return scan_shape(where, exclusive, row::input(from), row::output(to), shape.length,
                        row::op(op), row::options(opts));
    }
  }
  using entry = handed<Where, shape_type, call>;
  return scan_shape(where, exclusive, entry::input(from), entry::output(to), shape, entry::op(op),
                    entry::options(opts));
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
