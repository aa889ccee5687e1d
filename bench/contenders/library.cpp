#include "bench/contenders/library.hpp"

#include <algorithm>

#include "bench/cells/scans.hpp"
#include "bench/contenders/contenders.hpp"
#include "bench/peers/gpu_peers.hpp"
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
  return call_of<scans>(what.scan, [=]<class In, class Out, class Op>(scan_of<In, Out, Op>,
                                                                      const void* in, void* out,
                                                                      cudaStream_t stream) {
    const scan::options<Out> options{
        .init = {}, .stream = stream, .workspace = workspace.get(), .algorithm = which};
    return enqueue<In, Out, Op>(what, static_cast<const In*>(in), static_cast<Out*>(out), options);
  });
}

std::vector<named_call> cub_calls(const cell& what) {
  std::vector<named_call> calls;
  for (const cub_peer& cub : cub_peers(what.scan, what.exclusive)) {
    for (const cub_scan& scan : cub.scans) {
      const auto of_all = [scan, n = what.num_items](cub_memory& memory, const void* in, void* out,
                                                     cudaStream_t stream) {
        return scan(memory, in, out, n, stream);
      };
      calls.push_back({cub_prefix + cub.version, with_memory(of_all)});
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
