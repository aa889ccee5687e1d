// Which scans share kernels. Scans that differ in nothing but how bits are read are one kernel:
//
//   sums, products and bitwise operators  wrap around alike for signed and unsigned integers
//   minimum and maximum                   are minima of signed integers once some bits are inverted
//   bit_and and bit_or                    are bit_or once all bits are inverted
//
// So libscan.a holds half as many, and a build takes half as long.
#ifndef SCAN_CALL_SHARED_KERNELS_HPP
#define SCAN_CALL_SHARED_KERNELS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/operands/accumulator.hpp"
#include "scan/operands/applied.hpp"
#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The integer of a sign and of as many bytes as `T`. (`long long` and `int64_t` may be two types;
/// so are `char` and `int8_t` or `uint8_t`, and `bool`.)
template <class T, bool is_signed>
struct fixed_width {
  template <class I8, class I16, class I32, class I64>
  using sized = std::conditional_t<sizeof(T) <= 2, std::conditional_t<sizeof(T) == 1, I8, I16>,
                                   std::conditional_t<sizeof(T) == 4, I32, I64>>;
  using type =
      std::conditional_t<is_signed, sized<std::int8_t, std::int16_t, std::int32_t, std::int64_t>,
                         sized<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
};
template <class T, bool is_signed>
using fixed_width_t = typename fixed_width<T, is_signed>::type;

/// What two element types are to operators.
enum class numbers { integers, floats, others };
template <class T>
inline constexpr numbers numbers_of =
    std::is_integral_v<T> && sizeof(T) <= 8 ? numbers::integers
    : std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, __half> ||
            std::is_same_v<T, __nv_bfloat16>
        ? numbers::floats
        : numbers::others;
/// Of two. (As a bool an integer is true or false, which a kernel that scans bytes does not make of
/// it.)
template <class In, class Out>
inline constexpr numbers numbers_between = numbers_of<In> == numbers_of<Out> &&
                                                   (!std::is_same_v<Out, bool> ||
                                                    std::is_same_v<In, bool>)
                                               ? numbers_of<In>
                                               : numbers::others;

/// The input of a shared kernel whose output is an integer of `Out`'s size: of narrower integers
/// the sign says how they are widened, of others it says nothing.
template <class In, class Out, bool is_signed>
using shared_input = fixed_width_t<In, sizeof(In) < sizeof(Out) ? std::is_signed_v<In> : is_signed>;

/// The scan from `In` to `Out` with `Op`, as libscan.a knows it: types of the same sizes, and what
/// becomes of the operator. Most are what they are.
template <class In, class Out, class Op, numbers = numbers_between<In, Out>>
struct shared_kernel {
  using in = In;
  using out = Out;
  using op = Op;
  static op shared(Op given) noexcept { return given; }
};

template <class In, class Out, class Op>
struct wrapping_kernel {
  using in = shared_input<In, Out, false>;
  using out = fixed_width_t<Out, false>;
  using op = Op;
  static op shared(Op) noexcept { return {}; }
};
template <class In, class Out>
struct shared_kernel<In, Out, plus, numbers::integers> : wrapping_kernel<In, Out, plus> {};
template <class In, class Out>
struct shared_kernel<In, Out, multiplies, numbers::integers>
    : wrapping_kernel<In, Out, multiplies> {};
template <class In, class Out>
struct shared_kernel<In, Out, bit_xor, numbers::integers> : wrapping_kernel<In, Out, bit_xor> {};

/// With an operator in whose operands the bits `inverted` are.
template <class In, class Out, class Op, std::uint64_t inverted>
struct masked_kernel {
  using in = In;
  using out = Out;
  using op = masked<Op, accumulator_t<In, Out>>;
  template <class Given>
  static op shared(Given) noexcept {
    return {static_cast<typename op::bits>(inverted)};
  }
};
inline constexpr std::uint64_t every_bit = ~std::uint64_t{0};
template <class T>
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << (8 * sizeof(T) - 1);

template <class In, class Out, std::uint64_t inverted>
using bitwise_kernel =
    masked_kernel<shared_input<In, Out, false>, fixed_width_t<Out, false>, bit_or, inverted>;
template <class In, class Out>
struct shared_kernel<In, Out, bit_or, numbers::integers> : bitwise_kernel<In, Out, 0> {};
template <class In, class Out>
struct shared_kernel<In, Out, bit_and, numbers::integers> : bitwise_kernel<In, Out, every_bit> {};

// With the sign bit inverted, unsigned integers are in the order of signed ones; with the others
// inverted, or all, that order is turned around. Floats turn around with their sign, NaNs as well.
template <class In, class Out, std::uint64_t inverted>
using least_integer_kernel =
    masked_kernel<shared_input<In, Out, true>, fixed_width_t<Out, true>, minimum, inverted>;
template <class Out>
inline constexpr std::uint64_t unsigned_bit = std::is_signed_v<Out> ? 0 : sign_bit<Out>;
template <class In, class Out>
struct shared_kernel<In, Out, minimum, numbers::integers>
    : least_integer_kernel<In, Out, unsigned_bit<Out>> {};
template <class In, class Out>
struct shared_kernel<In, Out, maximum, numbers::integers>
    : least_integer_kernel<In, Out, every_bit ^ unsigned_bit<Out>> {};
template <class In, class Out>
struct shared_kernel<In, Out, minimum, numbers::floats> : masked_kernel<In, Out, minimum, 0> {};
template <class In, class Out>
struct shared_kernel<In, Out, maximum, numbers::floats>
    : masked_kernel<In, Out, minimum, sign_bit<accumulator_t<In, Out>>> {};

/// The same on CPU threads, where compilers make vector code of the operators as they are.
template <class In, class Out, class Op, numbers = numbers_between<In, Out>>
struct shared_host_scan {
  using in = In;
  using out = Out;
  using op = Op;
  static op shared(const Op& given) { return given; }
};
template <class In, class Out, class Op>
struct shared_host_scan<In, Out, Op, numbers::integers> {
  using op = Op;
  static op shared(const Op& given) { return given; }
  static constexpr bool ordered = std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;
  using out = fixed_width_t<Out, ordered && std::is_signed_v<Out>>;
  using in = shared_input<In, Out, std::is_signed_v<out>>;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
