#include "bench/gpu_contenders.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "bench/call_graph.hpp"
#include "bench/gpu_calls.hpp"

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
        pool(data.elements.num_bytes(),
             std::make_shared<gpu_memory>(gpu_pool::side_bytes(data.elements.num_bytes()))),
        output(data.elements.num_bytes()),
        repeated(data.elements.num_bytes()) {
    for (int slot = 0; slot < pool.num_slots(); ++slot) {
      copy(pool.in(slot), slot == 0 ? data.elements.data() : pool.in(0));
    }
  }

  /// Between host and device or on the device, and waits for it.
  void copy(void* to, const void* from) const {
    check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(data.elements.num_bytes()),
                               cudaMemcpyDefault, pool.stream()),
               "copying to or from the device");
    pool.wait("copying to or from the device");
  }

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
  on.copy(on.output.data(), on.pool.out(0));
  const std::int64_t wrong = is_copy ? on.first_difference(on.data.elements, on.output)
                                     : first_wrong(on.what, on.data, on.output.data());
  if (wrong != all_right) return wrong;
  for (int slot = 1; slot < on.pool.num_slots(); ++slot) {
    on.copy(on.repeated.data(), on.pool.out(slot));
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

/// The toolkit's ways to compute this, if it has any: its minimum and maximum are compiled for few
/// types, and those of floats forget a NaN or keep it, depending on the order of tiles.
std::vector<cub_scan> toolkit_scans(const problem& what, const dataset& data) {
  return with_types(what, [&](auto zero, auto op) -> std::vector<cub_scan> {
    using T = decltype(zero);
    using Op = decltype(op);
    constexpr bool sums = std::is_same_v<Op, scan::plus>;
    const T* elements = reinterpret_cast<const T*>(data.elements.data());
    if (!sums && !data.exact &&
        std::any_of(elements, elements + data.num_items, [](const T& x) { return x != x; })) {
      return {};
    }
    // Sums of u32 and u64 are those of i32 and i64, bit for bit, and not compiled again.
    constexpr bool as_signed = sums && std::is_unsigned_v<T> && sizeof(T) >= 4;
    using same_size = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using compiled = std::conditional_t<as_signed, same_size, T>;
    constexpr std::size_t index = index_of<suite_scans, scan_of<compiled, compiled, Op>>();
    return cub_peers(index, what.exclusive).front().scans;
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
  for (const cub_scan& scan : toolkit_scans(what, data)) {
    all.push_back(make(on, "CUB", cub_call(scan, data.num_items)));
  }
  all.push_back(make(on, "copy", copy_kernel_call(num_bytes), true));
  all.push_back(make(on, "copy", memcpy_call(num_bytes), true));
  return all;
}

}  // namespace bench
