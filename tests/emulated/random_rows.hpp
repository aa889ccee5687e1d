// Rows for the kernels that carry rows (after words.hpp).
#ifndef TESTS_EMULATED_RANDOM_ROWS_HPP
#define TESTS_EMULATED_RANDOM_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/emulated/check_tensor.hpp"

namespace emulated {

/// Rows of which a block has several, now and then of whole tiles.
inline tests::placed_case some_rows(std::mt19937_64& random, std::size_t item_bytes,
                                    bool recurrence) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::int64_t tile = 4096 / static_cast<std::int64_t>(item_bytes);
  const std::int64_t length = below(3) == 0 ? tile * (1 + below(3)) : tile / 5 + below(2 * tile);
  auto c = tests::tensor_variant({20 + below(30), length, 1}, random(), recurrence, true);
  tests::place(c, random() % 2 == 0 ? random() : 0);
  return c;
}

/// Rows enough for few warps to walk each, and blocks several.
inline tests::placed_case many_rows(std::mt19937_64& random, std::size_t item_bytes,
                                    bool recurrence) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::int64_t tile = 4096 / static_cast<std::int64_t>(item_bytes);
  const std::int64_t rows = below(2) == 0 ? 70 + below(40) : 385 + below(20);
  const std::int64_t most = rows > 200 ? tile : 3 * tile;
  auto c = tests::tensor_variant({rows, tile / 7 + below(static_cast<std::uint64_t>(most)), 1},
                                 random(), recurrence, true);
  tests::place(c, random());
  return c;
}

}  // namespace emulated

#endif
