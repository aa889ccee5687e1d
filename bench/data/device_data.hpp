// Inputs that are made and judged on the GPU: at 2^31 elements the host would take minutes.
#ifndef SCAN_BENCH_DATA_DEVICE_DATA_HPP
#define SCAN_BENCH_DATA_DEVICE_DATA_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace bench {

/// Enqueues the writing of the elements (elements.hpp) that a scan of `scans` is measured on.
cudaError_t fill_input(std::size_t scan, void* in, std::int64_t num_items, cudaStream_t stream);

/// Enqueues the comparison of all of `out` with the scan of what `fill_input` writes, by induction:
/// out[0] is in[0] (exclusive: the identity), and out[i] is out[i - 1] op in[i] (in[i - 1]). It
/// makes the input anew instead of reading it, so a scan in place has the same judge. Lowers
/// `*first_wrong`, in device memory, to the index of the first element that is wrong.
cudaError_t check_output(std::size_t scan, const void* out, std::int64_t num_items, bool exclusive,
                         unsigned long long* first_wrong, cudaStream_t stream);

/// Enqueues the comparison of two stretches of memory, both aligned to 16 bytes. Lowers
/// `*first_wrong` to the index of the first byte that differs.
cudaError_t check_copy(const void* in, const void* out, std::int64_t num_bytes,
                       unsigned long long* first_wrong, cudaStream_t stream);

}  // namespace bench

#endif
