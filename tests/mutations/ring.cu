// The ring kernel in few blocks, so that stages are used again; with an argument in as many as the
// device takes, while only one multiprocessor is free.
#include "probe.cuh"
#include "tests/call_kernels.hpp"

namespace {

using ring = scan::device::ring_problem<probe::shape, probe::problem>;

void check_starved(const scan::device::device_limits& limits, int num_stages) {
  const auto flag_bytes = static_cast<std::size_t>(limits.sm_count) * sizeof(int);
  int* flags = nullptr;
  tests::cuda_check(cudaMallocHost(&flags, flag_bytes));
  probe::check_sequence(3000000, 0, [&](const auto& scan, auto opts) {
    const tests::stream occupied, stream;
    std::memset(flags, 0, flag_bytes);
    tests::cuda_check(tests::occupy(limits.sm_count - 1, flags, occupied));
    volatile int* const there = flags;
    for (int i = 1; i < limits.sm_count; ++i) {
      while (there[i] == 0) {
      }
    }
    opts.stream = stream;
    const scan::status status =
        scan::device::launch_ring(ring(scan), opts, limits.sm_count, limits, num_stages);
    stream.wait();
    there[0] = 1;
    occupied.wait();
    return status;
  });
}

}  // namespace

int main(int argc, char**) {
  const scan::device::device_limits limits = probe::limits();
  int num_stages = 0;
  tests::cuda_check(scan::device::prepared_ring<ring>::stages(limits, num_stages));
  if (num_stages < 2) return 77;
  if (argc > 1) {
    check_starved(limits, num_stages);
    return probe::result();
  }
  for (int how = 0; how < probe::num_ways; ++how) {
    for (const std::int64_t blocks : {1, 3, 40}) {
      const std::int64_t n = blocks * 4 * num_stages * ring::tile_items - 5 - 37 * how;
      probe::check_sequence(n, how, [&](const auto& scan, const auto& opts) {
        return scan::device::launch_ring(ring(scan), opts, blocks, limits, num_stages);
      });
    }
  }
  return probe::result();
}
