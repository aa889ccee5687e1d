// A line that is asked for. Here alone, since CUDA C++ has no word for it: what runs kernels
// elsewhere has a header of its own in its place.
#ifndef SCAN_DEVICE_MOVE_PREFETCH_CUH
#define SCAN_DEVICE_MOVE_PREFETCH_CUH

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Asks the L2 for the line of `wanted`, which may be anywhere.
__device__ inline void prefetch_line(const void* wanted) {
  // There is no intrinsic for it. Touches no state that C++ knows of.
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(wanted)));
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
