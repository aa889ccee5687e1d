// By itself: the only scan here that is not in libscan.a, and so is compiled.
#include "bench/cells/scans.hpp"
#include "scan/scan.cuh"

namespace bench {

scan::status compose_scan(const affine* in, affine* out, std::int64_t num_items,
                          const scan::options<affine>& options) {
  return scan::inclusive(in, out, num_items, compose{}, options);
}

}  // namespace bench
