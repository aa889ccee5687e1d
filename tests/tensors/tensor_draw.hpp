// Random scans of tensors.
#ifndef SCAN_TESTS_TENSOR_DRAW_HPP
#define SCAN_TESTS_TENSOR_DRAW_HPP

#include <algorithm>
#include <cstdint>
#include <random>

#include "tests/matrices/tensor_matrix.hpp"
#include "tests/tensors/random_extents.hpp"

namespace tests {

/// Everything about a scan by `row`; no side of it, gaps included, has more than `most_bytes`
/// bytes.
inline placed_case random_tensor_case(const tensor_row& row, std::mt19937_64& random,
                                      std::int64_t most, std::int64_t most_bytes) {
  const scan::extents shape = random_extents(random, most);
  const std::uint64_t variant = random(), where = random();
  for (const std::uint64_t turn : {where, where - where % 16}) {  // the latter without gaps
    placed_case c = tensor_variant(shape, variant, row.recurrence, row.can_be_in_place());
    place(c, turn);
    if (std::max(c.in_span(), c.out_span()) * row.widest() <= most_bytes) return c;
  }
  return tensor_variant({1, 1, 1, 0, 0}, 0, row.recurrence, false);
}

}  // namespace tests

#endif
