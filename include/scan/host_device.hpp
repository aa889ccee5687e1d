// The macros of the public headers: the same function runs on both sides, and only nvcc knows the
// words for it.
#ifndef SCAN_HOST_DEVICE_HPP
#define SCAN_HOST_DEVICE_HPP

#ifdef __CUDACC__
#define SCAN_HOST_DEVICE __host__ __device__
// For a template that calls what its caller brought, which may exist on one side only; the template
// is then used on that side only.
#define SCAN_CALLS_EITHER_SIDE _Pragma("nv_exec_check_disable")
#else
#define SCAN_HOST_DEVICE
#define SCAN_CALLS_EITHER_SIDE
#endif

// For a loop whose arrays belong in registers, which have no run-time index. Host compilers do not
// know the pragma.
#ifdef __CUDA_ARCH__
#define SCAN_UNROLL _Pragma("unroll")
#else
#define SCAN_UNROLL
#endif

#endif
