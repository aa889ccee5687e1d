// Barriers of some of a block's warps, by number: 0 is that of __syncthreads. Here alone, since
// CUDA C++ has no words for them: what runs kernels elsewhere has a header of its own in its place.
#ifndef SCAN_DEVICE_FOLD_NAMED_BARRIER_CUH
#define SCAN_DEVICE_FOLD_NAMED_BARRIER_CUH

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of `num_threads` threads, whole warps, at whatever lines these meet. What they wrote to shared
/// memory is visible to those who have met.
template <int number>
struct named_barrier {
  int num_threads;

  __device__ void meet() const {
    __syncwarp();
    asm volatile("barrier.cta.sync %0, %1;" ::"n"(number), "r"(num_threads) : "memory");
  }
  /// Meets, at one line; the number of threads that say so. (At several, synccheck takes it for
  /// divergence.)
  __device__ int count(bool says) const {
    __syncwarp();
    int of_all;
    asm volatile(
        "{\n .reg .pred says;\n setp.ne.s32 says, %3, 0;\n"
        " barrier.cta.red.popc.u32 %0, %1, %2, says;\n}"
        : "=r"(of_all)
        : "n"(number), "r"(num_threads), "r"(says ? 1 : 0)
        : "memory");
    return of_all;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
