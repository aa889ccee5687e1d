// Kernels that other work is to meet, and scans by code that is compiled for another default
// stream.
#ifndef SCAN_TESTS_CALL_KERNELS_HPP
#define SCAN_TESTS_CALL_KERNELS_HPP

#include <driver_types.h>

#include <cstdint>

#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace tests {

/// Enqueues `num_blocks` blocks each of which has a multiprocessor to itself until told to leave.
/// Of the flags, which the host sees too, block b sets flags[1 + b]; flags[0] tells them to leave.
cudaError_t occupy(int num_blocks, int* flags, cudaStream_t stream);

/// Enqueues a kernel that takes its time and then sets data[i] = value, for i < n.
cudaError_t write_late(int* data, std::int64_t n, int value, cudaStream_t stream);

/// Sums in the null stream, from a source compiled with `--default-stream per-thread`: by kernels
/// that are compiled there, and by those of libscan.a.
scan::status sum_by_own_kernels(const int* in, int* out, std::int64_t n, scan::workspace* space);
scan::status sum_by_prebuilt_kernels(const int* in, int* out, std::int64_t n,
                                     scan::workspace* space);
/// Takes from the ring kernel that is compiled there what the library has prepared it with, as
/// another context or a reset would.
cudaError_t unprepare_ring();
/// The bytes of shared memory that a block of it may have: more than every kernel has anyway, once
/// it has been prepared.
int ring_bytes_prepared();

}  // namespace tests

#endif
