// The elements that tensors and recurrences are measured on, as elements.hpp has them: numbered
// along each sequence, and with exact results in every association.
//
// States of a recurrence are h(i) = g(i) q(i), g a power of two with a sign, q a bounded whole
// number: then factors g(i) / g(i - 1) and offsets h(i) - g(i) q(i - 1) are exact, and so is every
// composition of them, g(j) / g(i - 1) and g(j) (q(j) - q(i - 1)). No factor is 0: what goes wrong
// anywhere shows in all that follows.
#ifndef SCAN_BENCH_DATA_SHAPE_ELEMENTS_HPP
#define SCAN_BENCH_DATA_SHAPE_ELEMENTS_HPP

#include <cstdint>

#include "bench/data/elements.hpp"
#include "scan/extents.hpp"

namespace bench {

/// Of a tensor's sequence the element number `step`. Numbers of two sequences do not touch, so that
/// what leaks from one into the next is wrong.
struct numbered_step {
  std::int64_t outer, step, inner;
  std::int64_t number;

  SCAN_HOST_DEVICE std::int64_t at(std::int64_t pitch, std::int64_t row) const {
    return outer * pitch + step * row + inner;
  }
};

/// The `index`-th element of the dense tensor.
SCAN_HOST_DEVICE inline numbered_step step_of(std::int64_t index, const scan::tensor_shape& of) {
  const std::int64_t rows = index / of.inner, inner = index - rows * of.inner;
  const std::int64_t outer = rows / of.length, step = rows - outer * of.length;
  return {outer, step, inner, (outer * of.inner + inner) * (of.length + 1) + step};
}

template <class T>
inline constexpr std::uint32_t most_of_state = sizeof(T) == 2 ? 63 : 511;

/// g(number): 1/4 to 4, of either sign.
SCAN_HOST_DEVICE inline float scale_of_state(std::int64_t number) {
  const std::uint64_t bits = hash(~number) >> 48;
  const float magnitude = static_cast<float>(1 << ((bits & 0xffff) % 5)) * 0.25f;
  return (bits & 0x100) != 0 ? -magnitude : magnitude;
}

/// h(number), the right result.
template <class T>
SCAN_HOST_DEVICE float state_of_recurrence(std::int64_t number) {
  return scale_of_state(number) * bounded(number, most_of_state<T>);
}

/// The factor that leads there. That of step 0, which has no use, is none that would do no harm.
template <class T>
SCAN_HOST_DEVICE T factor_of_recurrence(std::int64_t number) {
  return scan::convert<T>(scale_of_state(number) / scale_of_state(number - 1));
}

template <class T>
SCAN_HOST_DEVICE T offset_of_recurrence(std::int64_t number, bool first) {
  const float from = first ? 0.0f : bounded(number - 1, most_of_state<T>);
  return scan::convert<T>(scale_of_state(number) * (bounded(number, most_of_state<T>) - from));
}

}  // namespace bench

#endif
