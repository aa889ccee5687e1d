#include <cstddef>
#include <utility>

#include "bench/contenders/contenders.hpp"
#include "bench/contenders/device_stage.hpp"
#include "bench/contenders/library.hpp"
#include "bench/peers/gpu_peers.hpp"

namespace bench {
namespace {

/// Enqueues an even number of calls, each on the output of the one before: the last one's output is
/// where the first one's input was. `after_each()` follows each.
void enqueue_chain(const gpu_pool& pool, const enqueue_call& enqueue, int num_calls,
                   const auto& after_each) {
  std::byte* in = pool.in(0);
  std::byte* out = pool.out(0);
  for (int call = 0; call < num_calls; ++call) {
    check_cuda(enqueue(in, out, pool.stream()), "enqueueing a call");
    after_each();
    std::swap(in, out);
  }
}

/// Of one call with fresh input; then the first byte in which a chain whose calls may overlap
/// differs from one whose calls are waited for.
std::int64_t first_wrong_of_chain(const device_stage& on, const enqueue_call& enqueue) {
  constexpr int num_calls = 64;
  const std::int64_t num_bytes = on.what.bytes_per_side();
  const auto start = [&] {
    on.pool.spoil();
    on.fill(on.pool.in(0));
  };
  start();
  enqueue_calls(on.pool, enqueue, 1);
  const std::int64_t wrong = on.check_scans();
  if (wrong != all_right) return wrong;
  enqueue_chain(on.pool, enqueue, num_calls, [&] { on.pool.wait("running a call"); });
  const device_buffer right(num_bytes);
  check_cuda(cudaMemcpyAsync(right.data(), on.pool.in(0), static_cast<std::size_t>(num_bytes),
                             cudaMemcpyDeviceToDevice, on.pool.stream()),
             "keeping an output");
  start();
  enqueue_chain(on.pool, enqueue, num_calls, [] {});
  return on.check_slots([&](const std::byte* in, const std::byte*, unsigned long long* found) {
    return check_copy(right.data(), in, num_bytes, found, on.pool.stream());
  });
}

/// Microseconds per call, after as many calls that are not timed: of the GPU or of the host,
/// whichever is slower.
double chain_time_us(const gpu_pool& pool, const enqueue_call& enqueue) {
  const int num_calls = pool.num_calls() / 2 * 2;
  const auto run = [&] { enqueue_chain(pool, enqueue, num_calls, [] {}); };
  run();
  pool.wait("running a chain");
  return pool.time_us(run) / num_calls;
}

}  // namespace

std::vector<contender> chain_contenders(const shared_stage& on) {
  std::vector<named_call> scans = cub_calls(on->what);
  scans.insert(scans.begin(), {scan_name, library_call(on->what, workspace_for(on->what))});
  std::vector<contender> all;
  for (const auto& [name, enqueue] : scans) {
    all.push_back({name, [on, scan = enqueue] { return first_wrong_of_chain(*on, scan); },
                   [on, scan = enqueue] { return chain_time_us(on->pool, scan); }});
  }
  const enqueue_call empty = [](const void*, void*, cudaStream_t stream) {
    return launch_empty_kernel(stream);
  };
  all.push_back({stream_empty_name, [] { return all_right; },
                 [=] { return chain_time_us(on->pool, empty); }});
  return all;
}

}  // namespace bench
