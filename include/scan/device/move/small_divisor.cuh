// Division of small numbers by one that is known before the kernel runs.
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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
