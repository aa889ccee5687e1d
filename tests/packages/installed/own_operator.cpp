// A program of somebody who has the library installed, with an operator and a type of their own.
#include <cstdio>
#include <scan/host/host_scan.hpp>
#include <vector>

int main() {
  __extension__ typedef __int128 wide;
  const std::vector<wide> in{3, 1, 4, 1, 5};
  std::vector<wide> out(in.size());
  const auto either = [](wide a, wide b) { return a | b; };
  if (const scan::status e = scan::inclusive(scan::host, in.data(), out.data(), 5, either);
      !e.ok()) {
    std::fprintf(stderr, "%s\n", e.message());
    return 1;
  }
  return out == std::vector<wide>{3, 3, 7, 7, 7} ? 0 : 1;
}
