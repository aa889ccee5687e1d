// What recurrences of rows are compared with, if the build was given it: accelerated-scan.
#ifndef SCAN_BENCH_PEERS_ROW_RECURRENCES_HPP
#define SCAN_BENCH_PEERS_ROW_RECURRENCES_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

namespace bench {

/// Of dense rows in device memory: floats, or bfloat16.
struct row_recurrence {
  const void *factors, *offsets;
  void* states;
  std::int64_t num_rows, length;
  bool are_bfloat16;
};
/// Whether accelerated-scan takes such rows: lengths that are powers of two, 32-bit places. (Of
/// aligned rows of 4096 elements and more it has four in 16 bytes, which those of 16 bits do not
/// fill: it reads and writes twice as far as there are any. 0.3.1)
constexpr bool is_accelerated(std::int64_t num_rows, std::int64_t length, bool are_bfloat16) {
  const bool is_power = (length & (length - 1)) == 0;
  return is_power && length >= 32 && length <= (are_bfloat16 ? 2048 : 65536) &&
         num_rows * length <= INT32_MAX;
}

/// Enqueues it; there with `-Dpeer_accelerated_scan` alone.
cudaError_t accelerated_scan(const row_recurrence& rows, cudaStream_t stream);

}  // namespace bench

#endif
