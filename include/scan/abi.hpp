// What keeps copies of the library in one process apart: modules (shared objects) may each hold
// one, of other versions, or built for other GPUs.
//
// Every file opens, instead of `namespace scan {`,
//
//     namespace SCAN_HIDDEN scan {
//     inline namespace SCAN_ABI {
//
// SCAN_ABI, which the build writes, names version and build (`scan::plus` is spelled without it):
// headers and a libscan.a of different builds do not link. SCAN_HIDDEN keeps functions, and what
// they remember, inside the module that they are compiled into. Types that callers may hold in
// classes of their own are SCAN_SHOWN, since a class that other modules see may not have members
// that they do not; the functions of these types are SCAN_HIDDEN one by one. (Constructors that a
// compiler writes may be seen; they keep nothing.)
#ifndef SCAN_ABI_HPP
#define SCAN_ABI_HPP

#include "scan/prebuilt_set.hpp"  // written by the build

#define SCAN_HIDDEN [[gnu::visibility("hidden")]]
#define SCAN_SHOWN [[gnu::visibility("default")]]

// Of function templates: nvcc warns of those for types of unnamed namespaces, which nobody else
// sees.
#ifdef __CUDACC__
#define SCAN_HIDDEN_TEMPLATE
#else
#define SCAN_HIDDEN_TEMPLATE SCAN_HIDDEN
#endif

// ---- Words for either side: the same function runs on both, and only nvcc knows them.
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
