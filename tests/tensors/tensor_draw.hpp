// Random scans of tensors.
#ifndef SCAN_TESTS_TENSOR_DRAW_HPP
#define SCAN_TESTS_TENSOR_DRAW_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "tests/matrices/tensor_matrix.hpp"

namespace tests {

/// A number of up to `most` >= 1, small ones as often as large ones.
inline std::int64_t random_extent(std::mt19937_64& random, std::int64_t most) {
  const double bits = std::log2(static_cast<double>(most) + 0.5);
  const double drawn = std::exp2(std::uniform_real_distribution<>(0, bits)(random));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 1, most);
}

/// Extents of up to `most` elements: rows, columns, one slab or many; now and then an extent is 0.
inline scan::extents random_extents(std::mt19937_64& random, std::int64_t most) {
  const std::int64_t elements = random_extent(random, std::max<std::int64_t>(most, 1));
  scan::extents shape;
  const std::uint64_t kind = random() % 8;
  if (kind >= 3) shape.inner = random_extent(random, std::min<std::int64_t>(elements, 40));
  if (kind >= 6) shape.inner = random_extent(random, std::min<std::int64_t>(elements, 5000));
  const std::int64_t rest = elements / shape.inner;
  shape.length = random() % 4 == 0 ? rest : random_extent(random, rest);
  shape.outer = random() % 3 == 0 ? 1 : rest / shape.length;
  if (random() % 200 == 0) {
    std::int64_t* const fields[] = {&shape.outer, &shape.length, &shape.inner};
    *fields[random() % 3] = 0;
  }
  return shape;
}

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
