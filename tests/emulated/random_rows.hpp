// Rows for the kernels that carry rows (after words.hpp).
#ifndef TESTS_EMULATED_RANDOM_ROWS_HPP
#define TESTS_EMULATED_RANDOM_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/tensors/recurrence_resets.hpp"

namespace emulated {

/// Rows for blocks that have several, on most devices: of up to so many vectors of 16 bytes.
inline tests::placed_case many_rows(std::mt19937_64& random, std::size_t item_bytes,
                                    bool recurrence, std::int64_t most_vectors = 500) {
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto vector = 16 / static_cast<std::int64_t>(item_bytes);
  const std::int64_t rows = below(2) == 0 ? 1 + below(20) : 60 + below(60);
  const std::int64_t most = rows > 20 && below(4) > 0 ? 110 : most_vectors;
  auto c = tests::tensor_variant({rows, 1 + below(most * vector), 1}, random(), recurrence, true);
  tests::place(c, random());
  return c;
}

/// Recurrences that begin anew behind whatever there may be, in memory that ends where nobody may
/// touch.
template <class T>
void check_resets(const std::vector<scan::extents>& shapes) {
  tests::for_each_reset_case(shapes, [](const tests::tensor_case& c) {
    const tests::reset_case<T> resets(c);
    const array<T> a(resets.a, 0, guarded_pages::end::last),
        h(resets.b, 0, guarded_pages::end::last), inits(resets.inits, 0, guarded_pages::end::last);
    scan::options<T> opts;
    opts.reverse = c.reverse;
    if (c.init != tests::sequence_init::none) opts.init_pointer = inits.data();
    REQUIRE(scan::recurrence(a.data(), h.data(), h.data(), c.shape, opts).ok());
    CHECK(resets.judge(h.items()) == "");
  });
}

/// Slabs of a little more than 1 MiB of narrow columns, in the ring's order.
inline tests::placed_case narrow_columns(std::mt19937_64& random, int item_bytes, bool recurrence,
                                         unsigned num_widths = 7) {
  constexpr std::int64_t widths[] = {2, 3, 7, 16, 17, 31, 32};
  const std::int64_t inner = widths[random() % num_widths];
  const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
  const std::int64_t length = (1 << 20) / item_bytes / inner + up_to(40000 / inner);
  auto c = tests::tensor_variant({up_to(2), length, inner}, random(), recurrence, true);
  tests::place(c, random());
  return c;
}

/// Wide ones there: strips and tiles that are whole or not, anywhere, of one slab and of several;
/// rows that are whole granules, or begin anywhere. Of every fourth of sums strips share columns
/// (strip_cut.cuh), or would but are in place.
inline tests::placed_case wide_columns(std::mt19937_64& random, int item_bytes, bool recurrence) {
  const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
  const std::int64_t widths[] = {48, 64, 96, 128, 160, 336};
  const bool anywhere = random() % 2 == 0;
  const std::int64_t inner = anywhere ? (random() % 2 == 0 ? 32 + up_to(31) : 64 + up_to(40))
                                      : widths[random() % 6] * (item_bytes < 2 ? 2 : 1);
  const std::int64_t least = (item_bytes < 2 ? 384 << 10 : recurrence ? 1 << 20 : 128 << 10);
  const std::int64_t least_length = anywhere && inner > 64 ? 4096 : recurrence ? 600 : 128;
  const std::int64_t length =
      std::max<std::int64_t>(least / item_bytes / inner, least_length) + up_to(900);
  tests::placed_case c;
  if (item_bytes == 4 && !recurrence && random() % 4 == 0) {
    const bool is_odd = random() % 2 == 0;
    c = tests::tensor_variant({2, (is_odd ? 4096 : 1024) + up_to(100), is_odd ? 65 : 132}, random(),
                              recurrence, true);
    tests::place(c, random());
    return c;
  }
  c = tests::tensor_variant({up_to(3), length, inner}, random(), recurrence, true);
  tests::place(c, random());
  if (random() % 2 == 0 && !recurrence &&
      !c.in_place) {  // several slabs that begin alike in granules
    c.shape.outer = 4 + up_to(6);
    c.shape.in_pitch = length * inner + 1 + static_cast<std::int64_t>(random() % 4);
  }
  return c;
}

}  // namespace emulated

#endif
