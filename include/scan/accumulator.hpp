// The type that a scan computes in.
#ifndef SCAN_ACCUMULATOR_HPP
#define SCAN_ACCUMULATOR_HPP

#include <type_traits>

namespace scan {

/// Elements are converted to the output's type before the operator sees them.
template <class In, class Out>
struct accumulator {
  static_assert(std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>,
                "scan moves elements as bytes: they have to be trivially copyable");
  static_assert(sizeof(In) <= 64 && sizeof(Out) <= 64, "scan takes elements of up to 64 bytes");
  using type = Out;
};

template <class In, class Out>
using accumulator_t = typename accumulator<In, Out>::type;

}  // namespace scan

#endif
