#include "bench/gpu_contenders.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/gpu_peers.hpp"
#include "bench/gpu_pool.hpp"

namespace bench {
namespace {

/// What all contenders of a size share.
struct stage {
  problem what;
  const dataset& data;
  gpu_pool pool;
  host_buffer output, repeated;

  stage(const problem& what, const dataset& data)
      : what(what),
        data(data),
        pool(data),
        output(data.elements.num_bytes()),
        repeated(data.elements.num_bytes()) {}

  std::int64_t first_difference(const host_buffer& a, const host_buffer& b) const {
    const auto at = std::mismatch(a.data(), a.data() + a.num_bytes(), b.data()).first;
    return at == a.data() + a.num_bytes() ? all_right : (at - a.data()) / element_bytes(what.type);
  }
};

/// Runs the graph that will be timed, and looks at every output: the first against the reference,
/// the others against the first. They have the same input, but sums of a file's floats may differ
/// between calls where an algorithm (CUB) leaves their order open, so those go to the reference.
std::int64_t verify(const stage& on, const call_graph& graph, bool is_copy) {
  on.pool.spoil();
  graph.run();
  on.pool.download(0, on.output.data());
  const std::int64_t wrong = is_copy ? on.first_difference(on.data.elements, on.output)
                                     : first_wrong(on.what, on.data, on.output.data());
  if (wrong != all_right) return wrong;
  for (int slot = 1; slot < on.pool.num_slots(); ++slot) {
    on.pool.download(slot, on.repeated.data());
    const std::int64_t differs = on.first_difference(on.output, on.repeated);
    if (differs == all_right) continue;
    if (is_copy || on.data.exact) return differs;
    const std::int64_t also_wrong = first_wrong(on.what, on.data, on.repeated.data());
    if (also_wrong != all_right) return also_wrong;
  }
  return all_right;
}

contender make(const std::shared_ptr<stage>& on, std::string name, enqueue_call enqueue,
               bool is_copy = false) {
  const auto graph = std::make_shared<call_graph>(on->pool, std::move(enqueue));
  return {std::move(name), [=] { return verify(*on, *graph, is_copy); },
          // `on` goes with the closure: the graph refers to its pool.
          [on, graph] { return graph->time_us(); }};
}

enqueue_call library_scan(const problem& what, std::int64_t num_items) {
  const auto workspace =
      std::make_shared<scan::workspace>(num_items, static_cast<int>(element_bytes(what.type)));
  if (!workspace->error().ok()) throw std::runtime_error(workspace->error().message());
  return [=](const void* in, void* out, cudaStream_t stream) -> cudaError_t {
    const scan::status status = with_types(what, [&](auto zero, auto op) {
      using T = decltype(zero);
      const T* from = static_cast<const T*>(in);
      T* to = static_cast<T*>(out);
      const scan::options<T> options{.init = {}, .stream = stream, .workspace = workspace.get()};
      return what.exclusive ? scan::exclusive(from, to, num_items, op, options)
                            : scan::inclusive(from, to, num_items, op, options);
    });
    if (!status.ok()) throw std::runtime_error(std::string("scan: ") + status.message());
    return status;
  };
}

enqueue_call toolkit_scan(const problem& what, std::int64_t num_items) {
  const auto enqueue = [=](cub_memory& memory, const void* in, void* out, cudaStream_t stream) {
    switch (what.op) {
      case scan_operator::plus:
        return cub_scan<scan::plus>(what, memory, in, out, num_items, stream);
      case scan_operator::minimum:
        return cub_scan<scan::minimum>(what, memory, in, out, num_items, stream);
      case scan_operator::maximum:
        break;
    }
    return cub_scan<scan::maximum>(what, memory, in, out, num_items, stream);
  };
  cub_memory asked;
  check_cuda(enqueue(asked, nullptr, nullptr, nullptr), "asking CUB for its memory");
  const auto held = std::make_shared<device_buffer>(static_cast<std::int64_t>(asked.num_bytes));
  return [=](const void* in, void* out, cudaStream_t stream) {
    cub_memory memory{held->data(), asked.num_bytes};
    return enqueue(memory, in, out, stream);
  };
}

/// Whether CUB is a peer here: its minimum and maximum are built for few types, and those of floats
/// forget a NaN or keep it, depending on the order of tiles.
bool cub_defines(const problem& what, const dataset& data) {
  if (what.op == scan_operator::plus) return true;
  return with_type(what.type, [&](auto zero) {
    using T = decltype(zero);
    if (!cub_is_built<scan::minimum, T>) return false;
    const T* elements = reinterpret_cast<const T*>(data.elements.data());
    return data.exact ||
           std::none_of(elements, elements + data.num_items, [](const T& x) { return x != x; });
  });
}

}  // namespace

gpu_description describe_gpu() {
  int num_devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&num_devices);
  if (code != cudaSuccess) return {false, cudaGetErrorString(code), {}};
  if (num_devices == 0) return {false, "no CUDA device", {}};
  cudaDeviceProp properties = {};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
  return {true, {}, properties.name};
}

std::vector<contender> gpu_contenders(const problem& what, const dataset& data) {
  const auto on = std::make_shared<stage>(what, data);
  const std::int64_t num_bytes = data.elements.num_bytes();
  std::vector<contender> all;
  all.push_back(make(on, "scan", library_scan(what, data.num_items)));
  if (cub_defines(what, data)) all.push_back(make(on, "CUB", toolkit_scan(what, data.num_items)));
  const auto copy_with_memcpy = [=](const void* in, void* out, cudaStream_t stream) {
    return cudaMemcpyAsync(out, in, static_cast<std::size_t>(num_bytes), cudaMemcpyDeviceToDevice,
                           stream);
  };
  const auto copy = [=](const void* in, void* out, cudaStream_t stream) {
    return copy_with_kernel(in, out, num_bytes, stream);
  };
  all.push_back(make(on, "copy", copy, true));
  all.push_back(make(on, "copy", copy_with_memcpy, true));
  return all;
}

}  // namespace bench
