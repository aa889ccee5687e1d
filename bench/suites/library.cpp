#include "bench/suites/library.hpp"

#include <algorithm>

#include "bench/suites/scans.hpp"
#include "scan/scan.hpp"

namespace bench {
namespace {

template <class In, class Out, class Op>
scan::status enqueue(const cell& what, const In* in, Out* out, const scan::options<Out>& options) {
  if constexpr (std::is_same_v<Op, compose>) {
    return compose_scan(in, out, what.num_items, options);
  } else {
    return what.exclusive ? scan::exclusive(in, out, what.num_items, Op{}, options)
                          : scan::inclusive(in, out, what.num_items, Op{}, options);
  }
}

}  // namespace

std::shared_ptr<scan::workspace> workspace_for(const cell& what, scan::algorithm which) {
  const auto workspace = std::make_shared<scan::workspace>(
      what.num_items, static_cast<int>(std::max(what.in_bytes(), what.out_bytes())), which);
  require_success(workspace->error());
  return workspace;
}

enqueue_call library_call(const cell& what, const std::shared_ptr<scan::workspace>& workspace,
                          scan::algorithm which) {
  return [=](const void* in, void* out, cudaStream_t stream) -> cudaError_t {
    scan::status status;
    with_scan<scans>(what.scan, [&]<class In, class Out, class Op>(scan_of<In, Out, Op>) {
      const scan::options<Out> options{
          .init = {}, .stream = stream, .workspace = workspace.get(), .algorithm = which};
      status =
          enqueue<In, Out, Op>(what, static_cast<const In*>(in), static_cast<Out*>(out), options);
    });
    require_success(status);
    return status;
  };
}

host_call library_host_call(const cell& what, int num_threads) {
  host_call call;
  with_scan<plain_scans>(what.scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    call = on_elements<T>([=, n = what.num_items, exclusive = what.exclusive](const T* in, T* out) {
      const scan::host_options<T> options{.init = {}, .threads = num_threads};
      require_success(exclusive ? scan::exclusive(scan::host, in, out, n, Op{}, options)
                                : scan::inclusive(scan::host, in, out, n, Op{}, options));
    });
  });
  return call;
}

}  // namespace bench
