// The interface of <scan/nccl.hpp> for nvcc: any trivially copyable element type of up to 64 bytes
// and any associative operator, with functions applied on the way in and out. Link libscan_nccl.a,
// libscan.a and NCCL.
#ifndef SCAN_NCCL_CUH
#define SCAN_NCCL_CUH

#include "scan/device/launch/slice_launch.cuh"
#include "scan/nccl.hpp"
#include "scan/scan.cuh"

#endif
