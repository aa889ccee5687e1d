// What the library's scans of segments are compared with: CUB's by key, with one that has it its
// segmented scan, and Thrust's by key.
#ifndef SCAN_BENCH_PEERS_SEGMENT_PEERS_HPP
#define SCAN_BENCH_PEERS_SEGMENT_PEERS_HPP

#include <string>
#include <vector>

#include "bench/cells/ragged.hpp"
#include "bench/peers/gpu_peers.hpp"

namespace bench {

/// In device memory, as the cell's pointers are.
struct peer_segments {
  const void* heads;
  std::int64_t num_segments, num_items;
};

/// Enqueues an inclusive sum, one of `suite_segment_sums`.
struct segment_scan {
  std::string name;
  cudaError_t (*enqueue)(cub_memory& memory, const void* in, void* out, const peer_segments& of,
                         cudaStream_t stream);
};

/// The ways of a CUB to scan segments that are told like that. By flags it scans as Thrust's
/// example of head flags does: an element's key equals the one before unless it has a flag.
std::vector<segment_scan> segment_scans_of_toolkit(std::size_t scan, head_words heads);
std::vector<segment_scan> segment_scans_of_peer(std::size_t scan, head_words heads);
/// Of the toolkit, by keys.
std::vector<segment_scan> thrust_segment_scans(std::size_t scan, head_words heads);

inline std::vector<segment_scan> segment_peers(std::size_t scan, head_words heads) {
  std::vector<segment_scan> all = segment_scans_of_toolkit(scan, heads);
  const auto add = [&](const std::vector<segment_scan>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if constexpr (BENCH_HAS_PEER_CUB) add(segment_scans_of_peer(scan, heads));
  add(thrust_segment_scans(scan, heads));
  return all;
}

}  // namespace bench

#endif
