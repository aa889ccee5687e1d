// Programmatic dependent launch: a kernel's blocks start while the kernel before it in the stream
// or graph ends, and wait there, so that the start of one overlaps with the end of the other.
//
// Before: nothing of the caller's is read or written, and no ticket drawn, until all of the kernel
// before has ended and what it wrote is visible. (The L2 may be asked for it: it is where others'
// writes arrive, too. And the slices of slice_problem.cuh are read: the kernel before has waited
// for all that was before itself.) What was before that kernel has ended as well if it has waited,
// as ours do, or was not launched for it. After: who comes next is let in once each of our blocks
// runs, so it takes no room that one of them needs; and it has to wait as we do, or was not
// launched for it, and then the hardware has it wait. We let it in before we have waited: until it
// has, it may run beside what is before us, too.
#ifndef SCAN_DEVICE_LAUNCH_DEPENDENT_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_DEPENDENT_LAUNCH_CUH

#include <cuda_runtime.h>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Lets in who comes next: a kernel's first step.
__device__ inline void admit_later_kernels() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
/// Each thread, before it touches memory that is not the block's own.
__device__ inline void await_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
