#include "bench/build_info.hpp"
#include "bench/peers/gpu_peers.hpp"

namespace bench {
namespace {

// "3.0.1" for CUB's 300001.
std::string version_text(int version) {
  return std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
         std::to_string(version % 100);
}

}  // namespace

std::vector<cub_peer> cub_peers(std::size_t scan, bool exclusive) {
  std::vector<cub_peer> all{
      {version_text(BENCH_CUB_VERSION), cub_scans<cub_source::toolkit>(scan, exclusive)}};
  if constexpr (BENCH_PEER_CUB_VERSION > 0) {
    all.push_back(
        {version_text(BENCH_PEER_CUB_VERSION), cub_scans<cub_source::peer>(scan, exclusive)});
  }
  return all;
}

}  // namespace bench
