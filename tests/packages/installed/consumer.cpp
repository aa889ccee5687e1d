// A program of somebody who has the library installed.
#include <cstdio>
#include <scan/scan.hpp>
#include <vector>

int main() {
  const std::vector<long> in{3, 1, 4, 1, 5};
  std::vector<long> out(in.size());
  if (const scan::status e = scan::exclusive(scan::host, in.data(), out.data(), 5); !e.ok()) {
    std::fprintf(stderr, "%s\n", e.message());
    return 1;
  }
  // The device path has to link too; without a GPU it says so.
  const scan::status device = scan::inclusive(in.data(), out.data(), 0);
  return device.ok() && out == std::vector<long>{0, 3, 4, 8, 9} ? 0 : 1;
}
