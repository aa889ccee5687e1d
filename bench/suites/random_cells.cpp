// Cells that nobody chose. Of the standard library's generators and distributions only the former
// are the same everywhere, and logarithms differ in their last bits: so all is made of integers,
// products and square roots, which are exact or rounded in one way.
#include <algorithm>
#include <cmath>

#include "bench/suites/cells.hpp"
#include "bench/suites/scans.hpp"

namespace bench {
namespace {

/// Splitmix64.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint32_t bits() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((x ^ (x >> 31)) >> 32);
  }
  /// Of [0, count).
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>((std::uint64_t{bits()} * count) >> 32);
  }
  bool one_in(std::uint32_t count) { return below(count) == 0; }

  /// from * (to / from)^u, u uniform in [0, 1): each bit of u has its root of the quotient.
  std::int64_t log_uniform(std::int64_t from, std::int64_t to) {
    double value = static_cast<double>(from), root = static_cast<double>(to) / value;
    for (std::uint32_t u = bits(); u != 0; u <<= 1) {
      root = std::sqrt(root);
      if (u >> 31 != 0) value *= root;
    }
    return static_cast<std::int64_t>(value);
  }

 private:
  std::uint64_t state_;
};

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
