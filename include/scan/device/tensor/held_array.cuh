// Rows of a column in the registers of a thread.
#ifndef SCAN_DEVICE_TENSOR_HELD_ARRAY_CUH
#define SCAN_DEVICE_TENSOR_HELD_ARRAY_CUH

#include <cstdint>
#include <cstring>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Up to `most_rows`. A row comes to coming(i), and is kept from when it is there; only then it is
/// known by its number, and `at_once` rows later its place is another's. (Places are known when
/// code is compiled, or all of it would be in memory.)
template <class Element, int most_rows, bool paired = false>
class held_array {
 public:
  static constexpr int at_once = most_rows;
  __device__ Element& coming(int i) { return rows_[i]; }
  __device__ void keep(int) {}
  __device__ Element operator[](int i) const { return rows_[i]; }

 private:
  Element rows_[most_rows];
};

/// Elements of 16 bits, which come one by one, each to a register, and are kept two in one.
template <class Element, int most_rows>
class held_array<Element, most_rows, true> {
 public:
  static_assert(sizeof(Element) == 2);
  /// With more coming at a time a thread of 512 would have more registers than there are.
  static constexpr int at_once = 48;
  __device__ Element& coming(int i) { return coming_[i % at_once]; }
  __device__ void keep(int i) {
    std::uint16_t bits;
    std::memcpy(&bits, &coming_[i % at_once], sizeof(bits));
    unsigned& pair = pairs_[i / 2];
    pair = i % 2 == 0 ? bits : pair | unsigned{bits} << 16;
  }
  __device__ Element operator[](int i) const {
    const auto bits = static_cast<std::uint16_t>(pairs_[i / 2] >> i % 2 * 16);
    Element element;
    std::memcpy(static_cast<void*>(&element), &bits, sizeof(bits));
    return element;
  }

 private:
  Element coming_[at_once];
  unsigned pairs_[(most_rows + 1) / 2];
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
