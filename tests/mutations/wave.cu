// The wave, by tickets and states and in a cluster.
#include "tests/mutations/probe.cuh"

int main() {
  const scan::device::device_limits limits = probe::limits();
  scan::device::device_limits no_clusters = limits;
  no_clusters.has_clusters = false;
  for (int how = 0; how < probe::num_ways; ++how) {
    for (const std::int64_t n : {5, 1001, 5003, 30001, 131072}) {
      for (const auto& given : {limits, no_clusters}) {
        auto plan =
            scan::device::plan_for(n, probe::shape::element_bytes, scan::algorithm::wave, given);
        probe::expect(plan.tile.stripes == 1, "the plan: rows", n, how);
        probe::check_sequence(n, how, [&](const auto& scan, const auto& opts) {
          return tests::launch_chosen(scan, opts, given, [&](auto& to) {
            scan::device::choose_wave<probe::shape, 1>(to, scan, plan, given);
          });
        });
      }
    }
  }
  return probe::result();
}
