// What the library is compared with on the GPU: kernels of our own, and CUB's scans, those of the
// toolkit and, if the build was given another CCCL, those of a peer.
#ifndef SCAN_BENCH_PEERS_GPU_PEERS_HPP
#define SCAN_BENCH_PEERS_GPU_PEERS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/build_info.hpp"

namespace bench {

/// Enqueues a copy of device memory, both ends aligned to 16 bytes: one-shot blocks of 256 threads
/// that move two 16-byte vectors each, the fastest plain copy kernel measured on an H200.
cudaError_t copy_with_kernel(const void* in, void* out, std::int64_t num_bytes,
                             cudaStream_t stream);

/// Enqueues a kernel that does nothing, with as many bytes of parameters as the library's kernels.
cudaError_t launch_empty_kernel(cudaStream_t stream);

/// Device memory that CUB asks its caller for; with `data` null a call only sets `num_bytes`.
struct cub_memory {
  void* data = nullptr;
  std::size_t num_bytes = 0;
};

/// The toolkit's, "3.0.1".
std::string thrust_version();

/// Enqueues a scan. An exclusive one starts from the operator's identity.
using cub_scan = cudaError_t (*)(cub_memory& memory, const void* in, void* out,
                                 std::int64_t num_items, cudaStream_t stream);

/// The ways to have a CUB compute a scan of `scans`: in the library's accumulator type; for sums of
/// 8-bit and 16-bit integers also in int, which is what cub::DeviceScan::InclusiveSum does. None
/// where no suite measures it.
struct cub_peer {
  std::string version;  // "3.0.1"
  std::vector<cub_scan> scans;
};
/// One in a source for each CUB that is compiled in.
cub_peer cub_of_toolkit(std::size_t scan, bool exclusive);
cub_peer cub_of_peer(std::size_t scan, bool exclusive);

/// Rows of a matrix, and the pitches from one to the next.
struct cub_rows {
  std::int64_t num_rows, length, in_pitch, out_pitch;
};
/// The ways of the peer's CUB to scan rows, by the names that they are reported under: segmented,
/// and of dense rows by key, their number. Of one of `suite_tensor_sums`, in the library's
/// accumulator type.
struct cub_row_scan {
  std::string name;
  cudaError_t (*enqueue)(cub_memory& memory, const void* in, void* out, const cub_rows& rows,
                         cudaStream_t stream);
};
std::vector<cub_row_scan> row_scans_of_peer(std::size_t scan, const cub_rows& rows);

/// None without a peer's CUB that has a segmented scan: from CCCL 3.3 on.
inline std::vector<cub_row_scan> cub_row_scans(std::size_t scan, const cub_rows& rows) {
  if constexpr (BENCH_HAS_CUB_ROWS) return row_scans_of_peer(scan, rows);
  return {};
}

/// A scan of `scans` by every CUB there is: the toolkit's first.
inline std::vector<cub_peer> cub_peers(std::size_t scan, bool exclusive) {
  std::vector<cub_peer> all{cub_of_toolkit(scan, exclusive)};
  if constexpr (BENCH_HAS_PEER_CUB) all.push_back(cub_of_peer(scan, exclusive));
  return all;
}

}  // namespace bench

#endif
