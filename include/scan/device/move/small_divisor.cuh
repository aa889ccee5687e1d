// Division of numbers that are less than 64 bits: of small ones by one that is known before the
// kernel runs, and of the numbers of tiles.
#ifndef SCAN_DEVICE_MOVE_SMALL_DIVISOR_CUH
#define SCAN_DEVICE_MOVE_SMALL_DIVISOR_CUH

#include <cstdint>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Numbers up to 2^16 divided by one up to 2^16, without a division.
struct small_divisor {
  int divisor;
  unsigned reciprocal;  // of 2^32, rounded up; 0 where the divisor is 1

  explicit small_divisor(int by)
      : divisor(by),
        reciprocal(by > 1 ? static_cast<unsigned>((std::uint64_t{1} << 32) / by) + 1 : 0) {}
  __device__ int quotient(int number) const {
    return reciprocal == 0 ? number : static_cast<int>(__umulhi(number, reciprocal));
  }
};

/// tile / count. There are fewer than 2^32 tiles (tile_states.hpp). Of 64 bits a division is a call
/// to ptxas, which behind it no longer takes warps for whole: see uniform.
__device__ inline std::int64_t tile_quotient(std::int64_t tile, std::int64_t count) {
  return static_cast<std::uint32_t>(tile) / static_cast<std::uint32_t>(count);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
