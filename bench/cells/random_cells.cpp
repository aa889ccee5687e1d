// Cells that nobody chose.
#include <algorithm>

#include "bench/cells/cells.hpp"
#include "bench/cells/random_numbers.hpp"
#include "bench/cells/scans.hpp"

namespace bench {
namespace {

/// All is drawn whether it is used or not, so that each cell takes as many numbers.
cell draw_cell(random_numbers& random, const random_draw& draw) {
  static const std::vector<std::size_t> sums = places_of<suite_sums>();
  static const std::vector<std::size_t> maxima = places_of<suite_maxima>();
  const auto type = random.below(static_cast<std::uint32_t>(sums.size()));
  cell what{.scan = random.one_in(2) ? sums[type] : maxima[type]};
  const std::int64_t num_bytes = random.log_uniform(draw.from_bytes, draw.to_bytes);
  what.num_items = std::max<std::int64_t>(1, num_bytes / what.in_bytes());
  const bool off = random.one_in(4);
  const int in_offset = static_cast<int>(random.below(16));
  const int out_offset = static_cast<int>(random.below(16));
  what.in_place = random.one_in(8);
  what.warm = random.one_in(2);
  if (off) {
    what.in_offset = what.in_place ? out_offset : in_offset;
    what.out_offset = out_offset;
  }
  return what;
}

}  // namespace

std::vector<cell> random_cells(const random_draw& draw) {
  random_numbers random(draw.seed);
  std::vector<cell> cells;
  for (int i = 0; i < draw.num_cells; ++i) cells.push_back(draw_cell(random, draw));
  return cells;
}

}  // namespace bench
