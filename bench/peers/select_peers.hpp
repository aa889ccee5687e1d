// What the library's compactions are compared with: CUB's, and Thrust's.
#ifndef SCAN_BENCH_PEERS_SELECT_PEERS_HPP
#define SCAN_BENCH_PEERS_SELECT_PEERS_HPP

#include "bench/cells/picks.hpp"
#include "bench/peers/gpu_peers.hpp"

namespace bench {

/// The arrays of a compaction in device memory: what there is none of is null.
struct select_arrays {
  const void *in, *flags;  // `flags`: or values (int32)
  void *out, *out_2;       // `out_2`: what is rejected, or lengths or sums (int32)
  std::int64_t* count;
  std::int64_t num_items;
};

/// Enqueues it, of elements of 1, 4 or 8 bytes. What DevicePartition rejects it writes behind what
/// it keeps, the last one first.
using cub_selection = cudaError_t (*)(cub_memory& memory, const picks& what, int item_bytes,
                                      const select_arrays& of, cudaStream_t stream);

cudaError_t select_with_toolkit(cub_memory& memory, const picks& what, int item_bytes,
                                const select_arrays& of, cudaStream_t stream);
cudaError_t select_with_peer(cub_memory& memory, const picks& what, int item_bytes,
                             const select_arrays& of, cudaStream_t stream);

/// Not of flags that are bits. It returns how many are kept, and so waits for the stream:
/// `of.count` is in the host's memory. What it rejects is in an array of its own.
cudaError_t select_with_thrust(cub_memory& memory, const picks& what, int item_bytes,
                               const select_arrays& of, cudaStream_t stream);

/// In the order of `cub_peers`, which has their versions.
inline std::vector<cub_selection> cub_selections() {
  std::vector<cub_selection> all{select_with_toolkit};
  if constexpr (BENCH_HAS_PEER_CUB) all.push_back(select_with_peer);
  return all;
}

}  // namespace bench

#endif
