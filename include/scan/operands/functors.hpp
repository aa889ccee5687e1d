// Functors of other libraries that say what one of the library's operators says. They are taken for
// it, so that they go by the same kernels: those that libscan.a holds, or the ones that know sums.
//
// Those of <functional> by their types; libcu++'s, which Thrust's are, by their names: whether a
// header of theirs is included, and which, must not matter.
#ifndef SCAN_OPERANDS_FUNCTORS_HPP
#define SCAN_OPERANDS_FUNCTORS_HPP

#include <functional>
#include <type_traits>

#include "scan/operands/numbers.hpp"
#include "scan/operands/type_name.hpp"
#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

template <class Own, class Operand>
struct known_as {
  using own = Own;
  using operand = Operand;
};

/// libcu++'s functors, each an instance of a template of one type. (Of floats with a NaN its
/// `minimum` and `maximum` differ from version to version: newer ones skip it, older ones keep or
/// skip it by where it is. Here the first one stays.)
template <class Functor>
constexpr auto libcu_operator() noexcept {
  constexpr std::string_view name = type_name<Functor>();
  if constexpr (is_named(name, "cuda::std::plus")) {
    return plus{};
  } else if constexpr (is_named(name, "cuda::std::multiplies")) {
    return multiplies{};
  } else if constexpr (is_named(name, "cuda::minimum")) {
    return minimum{};
  } else if constexpr (is_named(name, "cuda::maximum")) {
    return maximum{};
  } else if constexpr (is_named(name, "cuda::std::bit_and")) {
    return bit_and{};
  } else if constexpr (is_named(name, "cuda::std::bit_or")) {
    return bit_or{};
  } else if constexpr (is_named(name, "cuda::std::bit_xor")) {
    return bit_xor{};
  }
}
template <class Functor>
struct functor_by_name : known_as<void, void> {};
template <template <class> class Functor, class T>
struct functor_by_name<Functor<T>> : known_as<decltype(libcu_operator<Functor<T>>()), T> {};

/// The library's operator that `Functor` is for operands of type `operand`; void: of any type. Void
/// if it is none. To be specialised for others, by who knows that they say the same of numbers.
template <class Functor>
struct known_functor : functor_by_name<Functor> {};
template <class T>
struct known_functor<std::plus<T>> : known_as<plus, T> {};
template <class T>
struct known_functor<std::multiplies<T>> : known_as<multiplies, T> {};
template <class T>
struct known_functor<std::bit_and<T>> : known_as<bit_and, T> {};
template <class T>
struct known_functor<std::bit_or<T>> : known_as<bit_or, T> {};
template <class T>
struct known_functor<std::bit_xor<T>> : known_as<bit_xor, T> {};

/// Whether integers of both types are the same bits and in the same order.
template <class A, class B>
constexpr bool same_integers() noexcept {
  if constexpr (is_integer<A> && is_integer<B> && !std::is_same_v<A, bool> &&
                !std::is_same_v<B, bool>) {
    return sizeof(A) == sizeof(B) && (A(-1) < A(0)) == (B(-1) < B(0));
  } else {
    return false;
  }
}

/// Whether `Functor` is one of the library's operators in a scan that computes in numbers of type T
/// and writes `Value`s. A functor for operands of a third type rounds or cuts off between any two
/// steps, and `true + true` is `true` where a bool is the sum: these stay what they are.
template <class Functor, class T, class Value>
constexpr bool is_known_functor() noexcept {
  using own = typename known_functor<Functor>::own;
  using operand = typename known_functor<Functor>::operand;
  constexpr bool sums = std::is_same_v<own, plus> || std::is_same_v<own, multiplies>;
  constexpr bool orders = std::is_same_v<own, minimum> || std::is_same_v<own, maximum>;
  if (std::is_void_v<own> || (std::is_same_v<T, bool> && sums)) return false;
  if (!(sums || orders ? is_number<T> || has_nan<T> : is_integer<T>)) return false;
  return std::is_void_v<operand> || std::is_same_v<operand, T> || std::is_same_v<operand, Value> ||
         same_integers<operand, T>();
}

/// What a scan takes `Op` for.
template <class Op, class T, class Value>
using own_operator_t = typename std::conditional_t<is_known_functor<Op, T, Value>(),
                                                   known_functor<Op>, known_as<Op, void>>::own;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
