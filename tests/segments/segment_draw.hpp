// Random scans of segments.
#ifndef SCAN_TESTS_SEGMENT_DRAW_HPP
#define SCAN_TESTS_SEGMENT_DRAW_HPP

#include <cstdint>
#include <random>

#include "tests/matrices/segment_matrix.hpp"
#include "tests/segments/random_layouts.hpp"

namespace tests {

/// Everything about a scan by `row`.
inline segment_case random_segment_case(const segment_row& row, std::mt19937_64& random,
                                        std::int64_t most) {
  const segment_layout layout = random_layout(random, most);
  segment_case c = segment_variant(layout, random(), row.can_be_in_place());
  place(c, random());
  return c;
}

}  // namespace tests

#endif
