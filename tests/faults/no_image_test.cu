// A kernel that has no code for the device: the call says so, touches nothing, waits for nothing,
// and leaves no error pending. Compiled for one architecture alone (see meson.build); on a device
// of that one it scans. Skipped, with exit code 77, where there is no GPU.
#include <cstdio>
#include <cstring>
#include <vector>

#include "scan/scan.cuh"
#include "tests/support/device_memory.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

int wrong(const char* what) {
  std::fprintf(stderr, "wrong: %s\n", what);
  return 1;
}

}  // namespace

int main() {
  using item = std::uint32_t;
  using shape = scan::device::tuned_for<scan::transform_input<item>, scan::transform_output<item>>;
  if (!tests::gpu_present()) {
    std::puts("skipped: no CUDA device");
    return 77;
  }
  scan::device::device_limits limits;
  if (!scan::device::current_limits(limits).ok()) return wrong("the device's limits");
  constexpr std::int64_t n = 100000;
  const tests::device_memory in(n * sizeof(item)), out(n * sizeof(item));
  const std::vector<item> ones(n, 1);
  tests::cuda_check(
      cudaMemcpy(in.as<void>(), ones.data(), n * sizeof(item), cudaMemcpyHostToDevice));
  tests::cuda_check(cudaMemset(out.as<void>(), 0, n * sizeof(item)));
  scan::workspace space(n);
  // A block, a cluster, and tickets with states, of a workspace and of the call's own.
  for (const std::int64_t count : {std::int64_t{1000}, std::int64_t{10000}, n}) {
    for (scan::workspace* const use : {&space, static_cast<scan::workspace*>(nullptr)}) {
      scan::options<item> opts;
      opts.workspace = use;
      const scan::device::pending_error the_callers;  // as every call of the library begins
      auto plan =
          scan::device::plan_for(count, shape::element_bytes, scan::algorithm::wave, limits);
      const auto described =
          scan::describe<false>(false, scan::as_input(in.as<const item>()),
                                scan::as_output(out.as<item>()), count, scan::plus{}, opts);
      const scan::status status = tests::launch_chosen(described, opts, limits, [&](auto& to) {
        scan::device::choose_wave<shape, 1>(to, described, plan, limits);
      });
      if (status.ok()) {
        std::puts("this device has code of it");
        continue;
      }
      std::printf("%lld: %s (%s)\n", static_cast<long long>(count), status.message(),
                  cudaGetErrorString(static_cast<cudaError_t>(status)));
      if (status != cudaErrorNoKernelImageForDevice && status != cudaErrorInvalidDeviceFunction) {
        return wrong("another code");
      }
      std::vector<item> there(n, 1);
      if (cudaMemcpy(there.data(), out.as<void>(), n * sizeof(item), cudaMemcpyDeviceToHost) !=
          cudaSuccess) {
        return wrong("the device is lost");
      }
      if (there != std::vector<item>(n, 0)) return wrong("the output is touched");
    }
  }
  return cudaPeekAtLastError() == cudaSuccess ? 0 : wrong("an error is pending");
}
