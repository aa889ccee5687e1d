// The ring kernel in few blocks, so that stages are used again; with an argument in as many as the
// device takes, while only one multiprocessor is free.
#include "tests/calls/call_kernels.hpp"
#include "tests/mutations/probe.cuh"

namespace {

using ring = scan::device::ring_cut<probe::shape, probe::problem>;

void check_starved(const scan::device::device_limits& limits, const scan::device::ring_room& room) {
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
    const scan::status status = probe::launch_ring(ring(scan), opts, limits.sm_count, room, limits);
    stream.wait();
    there[0] = 1;
    occupied.wait();
    return status;
  });
}

}  // namespace

int main(int argc, char**) {
  const scan::device::device_limits limits = probe::limits();
  const scan::device::ring_room room = probe::room_of<ring>(limits);
  if (room.num_stages < 2) return 77;
  if (argc > 1) {
    check_starved(limits, room);
    return probe::result();
  }
  for (int how = 0; how < probe::num_ways; ++how) {
    for (const std::int64_t blocks : {1, 3, 40}) {
      const std::int64_t n = blocks * 4 * room.num_stages * ring::tile_items - 5 - 37 * how;
      probe::check_sequence(n, how, [&](const auto& scan, const auto& opts) {
        return probe::launch_ring(ring(scan), opts, blocks, room, limits);
      });
    }
  }
  return probe::result();
}
