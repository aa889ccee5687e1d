// Two-byte elements at any alignment, which move in granules that are shifted; one scan after
// another in place, each to wait for the one before.
#include <random>

#include "tests/mutations/probe.cuh"

namespace {

using item = std::uint16_t;
using shape = scan::device::tuned_for<scan::transform_input<item>, scan::transform_output<item>>;

auto described(const item* from, item* to, std::int64_t n, const scan::options<item>& opts) {
  return scan::describe<false>(false, scan::as_input(from), scan::as_output(to), n, scan::plus{},
                               opts);
}
using ring = scan::device::ring_cut<shape, decltype(described(nullptr, nullptr, 0, {}))>;

/// `scans` in place after the first.
template <class Launch>
void check(std::int64_t n, int offset, int scans, Launch launch) {
  std::mt19937 random(static_cast<unsigned>(n));
  probe::device_array<item> in(n, offset), out(n, offset * 3 % 8);
  for (std::int64_t i = 0; i < n; ++i) in[i] = static_cast<item>(random());
  in.upload(), out.upload();
  for (std::int64_t i = 0; i < n; ++i) out[i] = in[i];
  for (int turn = 0; turn < scans; ++turn) {
    const scan::status status = launch(turn == 0 ? in.data() : out.data(), out.data());
    probe::expect(status.ok(), status.message(), n, offset);
    item sum = 0;
    for (std::int64_t i = 0; i < n; ++i) out[i] = sum = static_cast<item>(sum + out[i]);
  }
  probe::expect(in.same(), "the input", n, offset);
  probe::expect(out.same(), "the output", n, offset);
}

}  // namespace

int main() {
  const scan::device::device_limits limits = probe::limits();
  const scan::device::ring_room room = probe::room_of<ring>(limits);
  scan::options<item> opts;
  scan::workspace space(10000000);
  opts.workspace = &space;
  for (int offset = 0; offset < 8; ++offset) {
    for (const int scans : {1, 4}) {
      for (const std::int64_t n : {4003, 70001, 400009}) {
        check(n, offset, scans, [&](const item* from, item* to) {
          auto plan =
              scan::device::plan_for(n, shape::element_bytes, scan::algorithm::wave, limits);
          if (plan.tile.stripes != 1) return scan::status{cudaErrorUnknown, "not one row"};
          const auto scan = described(from, to, n, opts);
          return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
            scan::device::choose_wave<shape, 1>(to, scan, plan, limits);
          });
        });
      }
      if (room.num_stages < 2) continue;
      for (const std::int64_t n : {20001, 3000017}) {
        check(n, offset, scans, [&](const item* from, item* to) {
          return probe::launch_ring(ring(described(from, to, n, opts)), opts, limits.sm_count, room,
                                    limits);
        });
      }
    }
  }
  return probe::result();
}
