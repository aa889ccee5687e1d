// CUB's scans: those of the toolkit and, if the build was given another CCCL, those of a peer.
#ifndef SCAN_BENCH_CUB_SCAN_HPP
#define SCAN_BENCH_CUB_SCAN_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/suite_scans.hpp"

namespace bench {

enum class cub_source { toolkit, peer };

/// Device memory that CUB asks its caller for; with `data` null a call only sets `num_bytes`.
struct cub_memory {
  void* data = nullptr;
  std::size_t num_bytes = 0;
};

/// Enqueues a scan. An exclusive one starts from the operator's identity.
using cub_scan = cudaError_t (*)(cub_memory& memory, const void* in, void* out,
                                 std::int64_t num_items, cudaStream_t stream);

/// The ways to have CUB compute the `index`-th of `Scans`: in the library's accumulator type; for
/// sums of 8-bit and 16-bit integers also in int, which is what cub::DeviceScan::InclusiveSum does.
/// Specialised in one source for each set of arguments, so that they compile side by side.
template <cub_source source, class Scans, bool exclusive>
std::vector<cub_scan> cub_scans(std::size_t index);

/// A CUB that was compiled in.
struct cub_peer {
  std::string version;  // "3.0.1"
  std::vector<cub_scan> scans;
};

/// The `index`-th of `suite_scans` by every CUB there is: the toolkit's first. No scans where none
/// is compiled (exclusive ones of anything but `equal_sums`).
std::vector<cub_peer> cub_peers(std::size_t index, bool exclusive);

}  // namespace bench

#endif
