// Random extents of tensors.
#ifndef SCAN_TESTS_RANDOM_EXTENTS_HPP
#define SCAN_TESTS_RANDOM_EXTENTS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "scan/extents.hpp"

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

}  // namespace tests

#endif
