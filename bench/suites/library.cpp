#include "bench/suites/library.hpp"

#include <algorithm>

#include "bench/peers/gpu_peers.hpp"
#include "bench/suites/contenders.hpp"
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

/// With the device memory that it asks for.
enqueue_call cub_call(cub_scan scan, std::int64_t num_items) {
  cub_memory asked;
  check_cuda(scan(asked, nullptr, nullptr, num_items, nullptr), "asking CUB for its memory");
  const auto held = std::make_shared<device_buffer>(static_cast<std::int64_t>(asked.num_bytes));
  return [=](const void* in, void* out, cudaStream_t stream) {
    cub_memory memory{held->data(), asked.num_bytes};
    return scan(memory, in, out, num_items, stream);
  };
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

std::vector<named_call> cub_calls(const cell& what) {
  std::vector<named_call> calls;
  for (const cub_peer& cub : cub_peers(what.scan, what.exclusive)) {
    for (const cub_scan& scan : cub.scans) {
      calls.push_back({cub_prefix + cub.version, cub_call(scan, what.num_items)});
    }
  }
  return calls;
}

enqueue_call placed(const cell& what, enqueue_call scan) {
  const std::int64_t in_offset = what.in_offset * what.in_bytes();
  const std::int64_t out_offset = what.out_offset * what.out_bytes();
  const bool in_place = what.in_place;
  return [=](const void* in, void* out, cudaStream_t stream) {
    void* const to = static_cast<std::byte*>(out) + out_offset;
    return scan(in_place ? to : static_cast<const std::byte*>(in) + in_offset, to, stream);
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
