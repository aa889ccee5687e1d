// The interface of <scan/scan.hpp> for nvcc: any trivially copyable element type of up to 64 bytes
// and any associative operator, on the device and on CPU threads, with functions applied on the way
// in and out. Compile as C++17 or newer with the CUDA toolkit's libcu++ on the include path, and
// link libscan.a.
#ifndef SCAN_SCAN_CUH
#define SCAN_SCAN_CUH

#include "scan/device/launch/compaction_launch.cuh"
#include "scan/device/launch/counted_launch.cuh"
#include "scan/device/launch/gradient_launch.cuh"
#include "scan/device/launch/range_launch.cuh"
#include "scan/device/launch/segment_launch.cuh"
#include "scan/device/launch/segment_recurrence_launch.cuh"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/launch/tensor_launch.cuh"
#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"

#endif
