// The look-back kernel, in few blocks and in many.
#include "tests/mutations/probe.cuh"

int main() {
  const scan::device::device_limits limits = probe::limits();
  for (int how = 0; how < probe::num_ways; ++how) {
    for (const std::int64_t blocks : {1, 7, 1000}) {
      for (const std::int64_t n : {3001, 150001, 2500003}) {
        auto plan = scan::device::plan_for(n, probe::shape::element_bytes,
                                           scan::algorithm::look_back, limits);
        plan.most_blocks = std::min(plan.most_blocks, blocks);
        probe::check_sequence(n, how, [&](const auto& scan, const auto& opts) {
          return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
            scan::device::choose_look_back<probe::shape>(to, scan, plan);
          });
        });
      }
    }
  }
  return probe::result();
}
