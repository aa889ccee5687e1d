// The probes of kernels, one or two each, which compile in seconds.
#ifndef SCAN_TESTS_MUTATIONS_PROBE_CUH
#define SCAN_TESTS_MUTATIONS_PROBE_CUH

#include <algorithm>
#include <cstdlib>

#include "scan/scan.cuh"
#include "tests/mutations/probe.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/launch_chosen.hpp"

namespace probe {

class device_side {
 public:
  explicit device_side(std::size_t num_bytes) : memory_(num_bytes) {}
  void* data() const { return memory_.as<void>(); }
  void write(const void* from, std::size_t n) {
    tests::cuda_check(cudaMemcpy(data(), from, n, cudaMemcpyHostToDevice));
  }
  void read(void* to, std::size_t n) const {
    tests::cuda_check(cudaMemcpy(to, data(), n, cudaMemcpyDeviceToHost));
  }

 private:
  tests::device_memory memory_;
};
template <class T>
using device_array = array<T, device_side>;

/// One sequence, with an init by value: `launch(problem, options)`.
template <class Launch>
void check_sequence(std::int64_t n, int how, Launch launch) {
  check_tensor<segment, device_side>(
      1, n, 1, how,
      [&](auto* from, auto* to, const auto&, auto*, auto* total, auto op, bool exclusive) {
        scan::options<segment> opts;
        opts.init = segment{93, 100};
        opts.total = total;
        return launch(scan::describe<false>(exclusive, scan::as_input(from), scan::as_output(to), n,
                                            op, opts),
                      opts);
      });
}
/// A tensor: `launch(problem, options)`.
template <class Launch>
void check_slabs(std::int64_t outer, std::int64_t length, std::int64_t inner, int how,
                 Launch launch) {
  check_tensor<segment, device_side>(
      outer, length, inner, how,
      [&](auto* from, auto* to, const auto& shape, auto* inits, auto* totals, auto op,
          bool exclusive) {
        scan::options<segment> opts;
        opts.init_pointer = inits;
        opts.total = totals;
        return launch(scan::describe_tensor<false>(exclusive, scan::as_input(from),
                                                   scan::as_output(to), shape, op, opts),
                      opts);
      });
}

/// What the launch of scans of segments needs.
using shape =
    scan::device::tuned_for<scan::transform_input<segment>, scan::transform_output<segment>>;
using problem = decltype(scan::describe<false>(
    false, scan::as_input(static_cast<const segment*>(nullptr)),
    scan::as_output(static_cast<segment*>(nullptr)), 0, concatenate{}, scan::options<segment>{}));

inline scan::device::device_limits limits() {
  scan::device::device_limits here;
  if (!scan::device::current_limits(here).ok()) {
    std::puts("skipped: no CUDA device");
    std::exit(77);
  }
  return here;
}

/// Stages of a ring there, and room for them.
template <class Tiled>
scan::device::ring_room room_of(const scan::device::device_limits& limits) {
  scan::device::ring_room room;
  const scan::status found = scan::device::find_room<Tiled>(limits, room);
  expect(found.ok(), found.message(), 0, 0);
  return room;
}
/// Launches the ring kernel.
template <class Tiled, class Options>
scan::status launch_ring(const Tiled& tiled, const Options& opts, std::int64_t most_blocks,
                         const scan::device::ring_room& room,
                         const scan::device::device_limits& limits) {
  return tests::launch_chosen(tiled, opts, limits, [&](auto& to) {
    scan::device::choose_ring(to, tiled, most_blocks, room);
  });
}

}  // namespace probe

#endif
