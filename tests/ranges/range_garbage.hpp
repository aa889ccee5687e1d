// Segments that lie anywhere, by offsets that cannot be: nothing but what the call may touch is
// touched.
#ifndef SCAN_TESTS_RANGE_GARBAGE_HPP
#define SCAN_TESTS_RANGE_GARBAGE_HPP

#include <cstdint>
#include <random>
#include <vector>

#include "tests/ranges/range_case.hpp"

namespace tests {

inline constexpr int num_range_garbage = 7;

/// Offsets that are wrong in one of the arrays, or all. (A segment may then have another's places,
/// or be empty.)
inline void spoil_ranges(int kind, const range_case& c, range_images& images,
                         std::mt19937_64& random) {
  const std::int64_t n = c.layout.num_items;
  const auto fill = [&](std::vector<unsigned char>& image, const auto& value) {
    for (std::int64_t s = 0; s < c.layout.num_segments() && !image.empty(); ++s) {
      if (random() % 3 == 0) put_offset(image, c.kind, s, value(s));
    }
  };
  const auto near = [&](std::int64_t) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(3 * n + 200)) - n - 100;
  };
  const auto any = [&](std::int64_t) { return static_cast<std::int64_t>(random()); };
  switch (kind) {
    case 0:
      fill(images.begins, near);
      break;
    case 1:
      fill(images.ends, near);
      break;
    case 2:
      fill(c.layout.has_out_begins ? images.out_begins : images.ends, near);
      break;
    case 3:
      fill(images.begins, any);
      fill(images.ends, any);
      fill(images.out_begins, any);
      break;
    case 4:  // (of unsigned ones far behind)
      fill(images.begins,
           [&](std::int64_t) { return -1 - static_cast<std::int64_t>(random() % 9); });
      break;
    case 5:  // as long as can be
      fill(images.begins, [](std::int64_t) { return 0; });
      fill(images.ends, [&](std::int64_t s) { return n + s % 2; });
      break;
    default:
      fill(images.begins, [](std::int64_t) { return INT64_MIN; });
      fill(images.ends, [](std::int64_t) { return INT64_MAX; });
      fill(images.out_begins, [](std::int64_t s) { return INT64_MAX - s; });
      break;
  }
}

}  // namespace tests

#endif
