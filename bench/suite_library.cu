#include "bench/suite_library.hpp"
#include "bench/suite_scans.hpp"
#include "scan/scan.cuh"

namespace bench {

scan::status library_scan(std::size_t index, bool exclusive, const void* in, void* out,
                          std::int64_t num_items, cudaStream_t stream, scan::workspace& workspace,
                          scan::algorithm which) {
  scan::status status;
  with_scan<suite_scans>(index, [&](auto of) {
    using Scan = decltype(of);
    using Op = typename Scan::Op;
    const auto* from = static_cast<const typename Scan::In*>(in);
    auto* to = static_cast<typename Scan::Out*>(out);
    const scan::options<typename Scan::Out> options{
        .init = {}, .stream = stream, .workspace = &workspace, .algorithm = which};
    if constexpr (scan::has_identity<Op, typename Scan::Acc>) {
      if (exclusive) {
        status = scan::exclusive(from, to, num_items, Op{}, options);
        return;
      }
    }
    status = scan::inclusive(from, to, num_items, Op{}, options);
  });
  return status;
}

}  // namespace bench
