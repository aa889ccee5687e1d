// Vectors: a few consecutive elements that travel as one word.
#ifndef SCAN_DEVICE_VECTOR_CUH
#define SCAN_DEVICE_VECTOR_CUH

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `bytes` bytes in as few registers as they need; 16, 8, 4, 2 and 1 of them travel in
/// one instruction.
template <int bytes>
struct alignas(bytes % 16 == 0  ? 16
               : bytes % 8 == 0 ? 8
                                : 4) memory_word {
  unsigned data[(bytes + 3) / 4];

  /// Keeps the compiler from holding the bytes of a word in registers of their own, from where they
  /// are filled or were unpacked before to where they are unpacked again.
  __device__ void keep_packed() {
#pragma unroll
    for (unsigned& part : data) asm("" : "+r"(part));
  }
};
template <>
struct memory_word<2> {
  unsigned short data;
  __device__ void keep_packed() {}
};
template <>
struct memory_word<1> {
  unsigned char data;
  __device__ void keep_packed() {}
};

/// The elements of a vector, unpacked; held as in memory, so element 0 of a reversed one is its
/// last.
template <class T, int count_, bool reversed>
struct vector_elements {
  static constexpr int count = count_;
  using packed = memory_word<static_cast<int>(sizeof(T)) * count>;
  T element[count];

  __device__ T& operator[](int i) { return element[reversed ? count - 1 - i : i]; }
  __device__ const T& operator[](int i) const { return element[reversed ? count - 1 - i : i]; }

  __device__ static vector_elements unpack(packed word) {
    word.keep_packed();
    vector_elements result;
    memcpy(&result, &word, sizeof(result));
    return result;
  }
  __device__ packed pack() const {
    packed word;
    memcpy(&word, this, sizeof(*this));
    return word;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
