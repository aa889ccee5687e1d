#include "bench/build_info.hpp"
#include "bench/cub_scan.hpp"

namespace bench {
namespace {

// "3.0.1" for CUB's 300001.
std::string version_text(int version) {
  return std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
         std::to_string(version % 100);
}

template <cub_source source>
cub_peer peer_of(int version, std::size_t index, bool exclusive) {
  constexpr std::size_t num_sums = std::tuple_size_v<equal_sums>;
  std::vector<cub_scan> scans;
  if (index < num_sums) {
    scans = exclusive ? cub_scans<source, equal_sums, true>(index)
                      : cub_scans<source, equal_sums, false>(index);
  } else if (!exclusive) {
    scans = cub_scans<source, other_scans, false>(index - num_sums);
  }
  return {version_text(version), scans};
}

}  // namespace

std::vector<cub_peer> cub_peers(std::size_t index, bool exclusive) {
  std::vector<cub_peer> all{peer_of<cub_source::toolkit>(BENCH_CUB_VERSION, index, exclusive)};
  if constexpr (BENCH_PEER_CUB_VERSION > 0) {
    all.push_back(peer_of<cub_source::peer>(BENCH_PEER_CUB_VERSION, index, exclusive));
  }
  return all;
}

}  // namespace bench
