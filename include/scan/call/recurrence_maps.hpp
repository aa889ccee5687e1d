// Linear recurrences, h[i] = a[i] * h[i-1] + b[i], as scans of maps h -> a * h + b.
#ifndef SCAN_CALL_RECURRENCE_MAPS_HPP
#define SCAN_CALL_RECURRENCE_MAPS_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/operands/accumulator.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What the states of a recurrence over elements of type `T` are kept in: float for the 16-bit
/// floats.
template <class T>
using state_t = std::conditional_t<is_narrow_float<T>, float, T>;

/// Whether there are recurrences over elements of type `T`.
template <class T>
inline constexpr bool has_recurrence =
    std::is_same_v<T, float> || std::is_same_v<T, double> || is_narrow_float<T>;

/// Whether a recurrence goes from a and b to h with options of `Value`; the compiler's user is told
/// what it takes.
template <class A, class B, class H, class Value>
constexpr bool is_recurrence() noexcept {
  static_assert(has_recurrence<H>, "scan::recurrence takes float, double, __half, __nv_bfloat16");
  static_assert(std::is_same_v<A, H> && std::is_same_v<B, H>,
                "scan::recurrence: a, b and h have to be of one element type; of 16-bit floats the "
                "states are kept in float, and options.total receives the last one unrounded");
  static_assert(std::is_same_v<Value, state_t<H>>,
                "scan::recurrence: its options are of the type of the states: of __half and "
                "__nv_bfloat16 options<float>, else of the element type");
  return has_recurrence<H> && std::is_same_v<A, H> && std::is_same_v<B, H> &&
         std::is_same_v<Value, state_t<H>>;
}

/// a * h + b; on a GPU with one rounding, which is also one instruction.
template <class S>
SCAN_HOST_DEVICE S multiply_add(S a, S h, S b) noexcept {
#ifdef __CUDA_ARCH__
  return fma(a, h, b);
#else
  return a * h + b;
#endif
}

/// The map h -> factor * h + offset, of one step or of several after each other.
///
/// A step whose factor is 0 begins the sequence anew: it gives its offset, whatever h is, be it
/// infinite or NaN. A map with such a step has a NaN for its factor, which products keep. (Not 0,
/// which products of small factors become; an infinite or NaN h has to go through these.)
template <class S>
struct affine_map {
  S factor, offset;

  SCAN_HOST_DEVICE S apply(S h) const noexcept {
    const S next = multiply_add(factor, h, offset);
    return factor != factor ? offset : next;
  }
};
template <class S>
inline constexpr S begins_anew = std::numeric_limits<S>::quiet_NaN();

/// One step, as it is read.
template <class S>
struct recurrence_step {
  S factor, offset;

  SCAN_HOST_DEVICE S apply(S h) const noexcept {
    const S next = multiply_add(factor, h, offset);
    return factor == 0 ? offset : next;
  }
  /// As a map. The first step of all, with no init before it, gives its offset whatever its factor
  /// is. (Else what a factor that is NaN makes of any h is a NaN.)
  SCAN_HOST_DEVICE affine_map<S> run(bool is_first) const noexcept {
    return {factor == 0 || is_first ? begins_anew<S> : factor,
            factor != factor && !is_first ? factor : offset};
  }
};

/// Maps one after another: first `earlier`, then `later`.
struct compose_maps {
  template <class S>
  SCAN_HOST_DEVICE affine_map<S> operator()(const affine_map<S>& earlier,
                                            const affine_map<S>& later) const noexcept {
    return {later.factor * earlier.factor, later.apply(earlier.offset)};
  }
  /// The same, of steps without a detour by their maps.
  template <class S>
  SCAN_HOST_DEVICE affine_map<S> operator()(const affine_map<S>& earlier,
                                            const recurrence_step<S>& next) const noexcept {
    return {next.factor == 0 ? begins_anew<S> : next.factor * earlier.factor,
            next.apply(earlier.offset)};
  }
};

/// The two arrays that a recurrence reads; `data` is that of the offsets, b.
template <class T>
struct recurrence_input {
  using element = T;
  const T* data;
  const T* factors;
};
template <class T>
struct recurrence_output {
  using element = T;
  T* data;
};

/// One recurrence, checked and described, as the workers take it: see `problem`, whose members it
/// has. Items are numbered as they are walked, so element n - 1 - i is item i of a `reversed` one.
template <class T_, bool reversed_>
struct recurrence_problem {
  using in_type = T_;
  using out_type = T_;
  using value_type = state_t<T_>;
  using T = affine_map<value_type>;
  using op_type = compose_maps;
  static constexpr bool reversed = reversed_;
  static constexpr int num_inputs = 2;

  recurrence_input<T_> in;
  recurrence_output<T_> out;
  std::int64_t num_items;
  op_type op{};
  prefix<T> init{};                          // by value, or absent
  const value_type* init_pointer = nullptr;  // or null
  value_type* total = nullptr;               // receives the last state, or null
  static constexpr bool exclusive = false;
  T first_output{};  // of no items without an init: 0

  SCAN_HOST_DEVICE const in_type* input(int which) const {
    return which == 0 ? in.data : in.factors;
  }
  SCAN_HOST_DEVICE recurrence_step<value_type> take_all(const in_type (&elements)[2]) const {
    return {convert<value_type>(elements[1]), convert<value_type>(elements[0])};
  }
  SCAN_HOST_DEVICE out_type give(const T& result) const { return convert<out_type>(result.offset); }

  SCAN_HOST_DEVICE bool has_init() const { return init_pointer != nullptr || init.exists; }
  SCAN_HOST_DEVICE prefix<T> start() const {
    return init_pointer != nullptr ? prefix<T>{as_operand(*init_pointer), true} : init;
  }
  /// A state as the map that everything goes to.
  SCAN_HOST_DEVICE T as_operand(const value_type& state) const {
    return {begins_anew<value_type>, state};
  }
  SCAN_HOST_DEVICE value_type as_value(const T& operand) const { return operand.offset; }
  SCAN_HOST_DEVICE void write_start(const prefix<T>&) const {}
  SCAN_HOST_DEVICE void write_end(const prefix<T>& end) const {
    if (total != nullptr) *total = as_value(end.exists ? end.value : first_output);
  }

  /// The same of another sequence of a tensor.
  SCAN_HOST_DEVICE recurrence_problem moved(std::int64_t in_offset, std::int64_t out_offset,
                                            std::int64_t sequence) const {
    recurrence_problem other = *this;
    other.in.data += in_offset;
    other.in.factors += in_offset;
    other.out.data += out_offset;
    if (init_pointer != nullptr) other.init_pointer += sequence;
    if (total != nullptr) other.total += sequence;
    return other;
  }
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
