// A module (shared object) with the library inside, for symbols_test.py: calls of scans that
// libscan.a holds, and one that is compiled here.
#include "scan/host/host_scan.hpp"

namespace {

struct later {
  int operator()(int, int b) const { return b; }
};

}  // namespace

extern "C" {

int scans_held(const int* in, int* out, std::int64_t n) {
  scan::workspace states(n);
  scan::options<int> opts{};
  opts.workspace = &states;
  return scan::exclusive(in, out, n, scan::plus{}, opts);
}

int scans_held_on_host(const float* in, float* out, std::int64_t n) {
  const scan::status result = scan::inclusive(scan::host, in, out, n);
  return result.ok() ? 0 : static_cast<int>(result.index());
}

int scans_here(const int* in, int* out, std::int64_t n) {
  return scan::inclusive(scan::host, in, out, n, later{});
}

/// Sums of segments: in lanes, with masks that all scans of a module have in common.
const void* of_all_scans() { return &scan::host_path::masks_of_lanes<4>; }
}
