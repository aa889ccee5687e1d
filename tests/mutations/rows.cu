// Rows of several tiles and of one, in blocks that take groups of tiles.
#include "tests/mutations/probe.cuh"

int main() {
  const scan::device::device_limits limits = probe::limits();
  constexpr std::int64_t shapes[][2] = {{300, 700}, {5, 1000}, {9, 30001}, {2, 68003}, {3, 131072}};
  for (int how = 0; how < probe::num_ways; ++how) {
    for (const auto& [outer, length] : shapes) {
      const auto plan = scan::device::plan_rows(outer, length, probe::shape::element_bytes,
                                                limits.ring_bytes_of_block > 0, limits.sm_count);
      probe::expect(plan.stripes == 1, "the plan: rows a thread", length, how);
      probe::check_slabs(outer, length, 1, how, [&](const auto& scan, const auto& opts) {
        return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
          return scan::device::choose_row_groups<probe::shape::element_bytes, 1>(to, scan, plan,
                                                                                 limits);
        });
      });
    }
  }
  return probe::result();
}
