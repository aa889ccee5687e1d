// thrust::inclusive_scan_by_key of the toolkit, in memory that is there before it is timed.
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cuda/std/functional>

#include "bench/cells/scans.hpp"
#include "bench/peers/piecemeal.hpp"
#include "bench/peers/segment_peers.hpp"

namespace bench {
namespace {

/// Sums of bfloat16 in bfloat16: it takes no other accumulator. (What memory it needs Thrust does
/// not say: states of tiles, of no less than 512 bytes of elements.)
template <class Scan>
cudaError_t enqueue(cub_memory& memory, const void* in, void* out, const peer_segments& of,
                    cudaStream_t stream) {
  if (memory.data == nullptr) {
    memory.num_bytes = (std::size_t{1} << 20) + static_cast<std::size_t>(of.num_items) / 2;
    return cudaSuccess;
  }
  piecemeal pieces(memory);
  const auto* const keys = static_cast<const std::uint32_t*>(of.heads);
  thrust::inclusive_scan_by_key(thrust::cuda::par_nosync(pieces).on(stream), keys,
                                keys + of.num_items, static_cast<const typename Scan::In*>(in),
                                static_cast<typename Scan::Out*>(out), cuda::std::equal_to<>{},
                                cuda::std::plus<typename Scan::In>{});
  return cudaPeekAtLastError();
}

}  // namespace

std::vector<segment_scan> thrust_segment_scans(std::size_t scan, head_words heads) {
  std::vector<segment_scan> all;
  if (heads != head_words::keys) return all;
  with_scan<scans>(scan, [&](auto of) {
    using Scan = decltype(of);
    if constexpr (is_among<Scan, suite_segment_sums>) {
      all.push_back({"Thrust by key " + thrust_version(), enqueue<Scan>});
    }
  });
  return all;
}

}  // namespace bench
