// Rows of up to 32 vectors, and some more of two shares.
#include "tests/mutations/probe.cuh"

int main() {
  const scan::device::device_limits limits = probe::limits();
  for (int how = 0; how < probe::num_ways; ++how) {
    for (const std::int64_t length : {1, 2, 5, 17, 31, 64}) {
      probe::check_slabs(3001, length, 1, how, [&](const auto& scan, const auto& opts) {
        return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
          using walk = scan::device::short_row_walk_cut<std::decay_t<decltype(scan)>>;
          if (walk::takes(scan, opts.complete)) {
            return scan::device::choose_row_vectors(to, scan, opts.complete, limits);
          }
          return scan::device::choose_row_stretches(to, scan, opts.complete, limits);
        });
      });
    }
    constexpr int vector = scan::device::vector_items_for(sizeof(probe::segment));
    for (const std::int64_t length : {33 * vector, 41 * vector + vector / 2, 48 * vector}) {
      probe::check_slabs(1001, length, 1, how, [&](const auto& scan, const auto& opts) {
        return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
          return scan::device::choose_row_stretches(to, scan, opts.complete, limits);
        });
      });
    }
  }
  return probe::result();
}
