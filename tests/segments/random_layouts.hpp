// Random segments.
#ifndef SCAN_TESTS_RANDOM_LAYOUTS_HPP
#define SCAN_TESTS_RANDOM_LAYOUTS_HPP

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/segments/segment_layouts.hpp"
#include "tests/tensors/random_extents.hpp"

namespace tests {

/// Segments of up to `most` elements in all: of lengths up to a random one, small ones as often as
/// large ones, or all of it, some of them empty; now and then a giant, many empty ones in one
/// place, elements before and behind.
inline segment_layout random_layout(std::mt19937_64& random, std::int64_t most) {
  const auto rarely = [&](std::uint64_t one_in) { return random() % one_in == 0; };
  const std::int64_t n = rarely(100) ? 0 : random_extent(random, most);
  const std::int64_t longest = random_extent(random, std::max<std::int64_t>(n, 1));
  const bool all_alike = rarely(4), log_uniform = rarely(3);
  const std::uint64_t empty_in = rarely(2) ? 1000000 : 1 + random() % 6;
  std::vector<std::int64_t> lengths;
  std::int64_t sum = 0;
  while (sum < n && lengths.size() < 300000) {
    std::int64_t length = longest;
    if (log_uniform) {
      length = random_extent(random, longest);
    } else if (!all_alike) {
      length = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest));
    }
    if (random() % empty_in == 1) length = 0;
    if (rarely(1000)) length = n;
    if (rarely(300)) lengths.resize(lengths.size() + random() % 1000, 0);
    lengths.push_back(std::min(length, n - sum));
    sum += lengths.back();
  }
  if (rarely(4)) lengths.resize(lengths.size() + random() % 5000, 0);
  if (rarely(50)) lengths.clear();
  const auto gap = [&] {
    const auto most = static_cast<std::uint64_t>(rarely(8) ? n : 100) + 1;
    return rarely(3) ? static_cast<std::int64_t>(random() % most) : std::int64_t{0};
  };
  const std::int64_t before = gap();
  return layout_of_lengths("random", lengths, before, gap());
}

/// The same with an element and a segment at least.
inline segment_layout random_filled_layout(std::mt19937_64& random, std::int64_t most) {
  segment_layout layout = random_layout(random, most);
  while (layout.num_items == 0 || layout.num_segments() == 0) layout = random_layout(random, most);
  return layout;
}

/// So many segments that their boundaries are searched for beyond samples, most of them empty: here
/// and there one that is not, or all that are not in one place.
inline segment_layout layout_of_many(std::mt19937_64& random) {
  constexpr std::int64_t numbers[] = {40000, 40000, 250000, 1200000};
  const std::int64_t num_segments = numbers[random() % 4];
  const std::uint64_t kind = random() % 3;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(num_segments));
  for (std::int64_t i = 0; i < num_segments; ++i) {
    auto& length = lengths[static_cast<std::size_t>(i)];
    if (kind == 0) length = random() % 16 == 0;
    if (kind == 1 && i % (num_segments / 100) == 5) {
      length = 1 + static_cast<std::int64_t>(random() % 2000);
    }
    if (kind == 2) length = i > num_segments - 40000 ? 2 : i < 500 ? 60 : 0;
  }
  return layout_of_lengths("many", lengths, 3, 2);
}

}  // namespace tests

#endif
