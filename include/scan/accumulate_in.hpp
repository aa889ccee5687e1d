// An operator together with the type that a scan is to compute in.
#ifndef SCAN_ACCUMULATE_IN_HPP
#define SCAN_ACCUMULATE_IN_HPP

#include <type_traits>

#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What accumulate_in makes.
template <class T, class Op>
struct SCAN_SHOWN accumulating {
  Op op;
};

/// `op` of numbers of type T, whatever the output's type is: `accumulate_in<double>(scan::plus{})`
/// sums floats in double and rounds each output once; `accumulate_in<__half>(scan::plus{})` rounds
/// each sum to `__half`, as CUB does. Init and total keep the output's type; with a function on the
/// way out, which is given a T, they are a T too.
template <class T, class Op = plus>
constexpr accumulating<T, Op> accumulate_in(Op op = {}) {
  static_assert(std::is_same_v<T, std::decay_t<T>>, "scan::accumulate_in<T>: T is a plain type");
  return {op};
}

/// What a scan computes in by `Op`'s wish, or void; and the operator itself.
template <class Op>
struct wished {
  using accumulated = void;
  using op = Op;
  static const op& bare(const Op& given) { return given; }
};
template <class T, class Op>
struct wished<accumulating<T, Op>> {
  using accumulated = T;
  using op = Op;
  static const op& bare(const accumulating<T, Op>& given) { return given.op; }
};

/// `Output` of a scan that computes in T.
template <class Output, class T>
struct accumulated_output : Output {
  using accumulated = T;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
