// Words of shared memory that the warps of a block write at the same time.
#ifndef SCAN_PROTOCOL_SHARED_WORDS_CUH
#define SCAN_PROTOCOL_SHARED_WORDS_CUH

#include <cstdint>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Sets the bits of `mask`, while others may set other bits of the word.
__device__ inline void set_bits(unsigned* word, unsigned mask) {
  // Relaxed: pairs with the other warps' only so that none is lost, which atomicity alone gives;
  // who reads waits for all of them at a barrier. Read and written apart, two heads could become
  // one.
  atomicOr(word, mask);
}
/// Bit `place` of some words.
__device__ inline void set_bit(unsigned* bits, unsigned place) {
  set_bits(bits + place / 32, 1u << place % 32);
}

/// Lowers a number of shared memory, while others may.
__device__ inline void lower_to(std::int64_t* number, std::int64_t to) {
  // Relaxed, as above: who reads waits for all at a barrier. Compared and written apart, a number
  // that is not the least could be the last one written.
  static_assert(sizeof(long long) == sizeof(std::int64_t));
  atomicMin(reinterpret_cast<long long*>(number), static_cast<long long>(to));
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
