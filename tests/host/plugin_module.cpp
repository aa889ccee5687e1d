// A plugin that scans on several threads, for plugin_test.
#include <vector>

#include "scan/host/host_scan.hpp"

extern "C" int scans(int threads) {
  const std::vector<int> ones(3'000'000, 1);
  std::vector<int> sums(ones.size());
  const auto n = static_cast<std::int64_t>(ones.size());
  const scan::status result =
      scan::inclusive(scan::host, ones.data(), sums.data(), n, scan::plus{}, {{}, threads});
  return result.ok() && sums.back() == n && sums.front() == 1;
}
