// Columns: one tile a slab and (of many slabs) several slabs a tile, several tiles, and so many
// that the look-back has batches and spans.
#include "tests/mutations/probe.cuh"

int main() {
  const scan::device::device_limits limits = probe::limits();
  constexpr std::int64_t shapes[][3] = {
      {4000, 33, 4}, {3, 7, 1000}, {2, 513, 33}, {3, 3001, 20}, {1, 900001, 2}};
  for (int how = 0; how < probe::num_ways; ++how) {
    for (const auto& [outer, length, inner] : shapes) {
      probe::check_slabs(outer, length, inner, how, [&](const auto& scan, const auto& opts) {
        return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
          return scan::device::choose_columns(to, scan, limits, false, false);
        });
      });
    }
  }
  return probe::result();
}
