// Rows and columns that are walked, and narrow columns in the ring, on the stand-in GPU.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <scan/scan.cuh>
#include <string>
#include <vector>

#include "tests/emulated/random_rows.hpp"

using namespace emulated;

constexpr scan::algorithm walk = scan::algorithm::walk;

TEST_CASE("many rows") {
  draw(24, 0, {"held_row_kernel"}, [](std::mt19937_64& random) {
    check_recurrence<float>(many_rows(random, sizeof(float), true), random);
  });
}

// (Of those above a factor of 0 does as any other: no state is infinite.)
TEST_CASE("rows begin anew") { check_resets<float>({{2, 150, 1, 0, 0}, {2, 301, 1, 0, 0}}); }

/// Of up to so many slabs, rows and columns each.
tests::placed_case columns(std::mt19937_64& random, int slabs, int rows, int columns,
                           bool recurrence) {
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % n); };
  auto c = tests::tensor_variant({1 + below(slabs), 1 + below(rows), 2 + below(columns)}, random(),
                                 recurrence, true);
  tests::place(c, random());
  return c;
}

TEST_CASE("columns") {
  draw(50, 0, {"column_walk_kernel"}, [](std::mt19937_64& random) {
    check_scan<float>(columns(random, 3, 900, 40, false), scan::plus{}, random, walk);
  });
}

TEST_CASE("columns of few strips") {
  draw(50, 0, {"column_wave_kernel"}, [](std::mt19937_64& random) {
    check_recurrence<float>(columns(random, 3, 2500, 40, true), random, walk);
  });
}

// (By clusters on the first device, by blocks that look back on the second.)
TEST_CASE("long rows") {
  const std::vector<std::string> kernels{"held_row_kernel", "row_round_kernel",
                                         "row_round_kernel of a cluster"};
  draw(24, 1, kernels, [](std::mt19937_64& random) {
    const auto below = [&](int n) { return static_cast<std::int64_t>(random() % n); };
    auto c = tests::tensor_variant({1 + below(3), 2100 + below(20000), 1}, random(), true, true);
    tests::place(c, random());
    check_recurrence<float>(c, random);
  });
}

TEST_CASE("rows of sums in registers") {
  draw(16, 0, {"held_shares_kernel"}, [](std::mt19937_64& random) {
    const auto below = [&](int n) { return static_cast<std::int64_t>(random() % n); };
    const std::int64_t whole = below(2) > 0 ? 4 : 1, length = (2180 + below(7000)) / whole * whole;
    auto c = tests::tensor_variant({1 + below(9), length, 1}, random(), false, true);
    tests::place(c, random());
    check_scan<float>(c, scan::plus{}, random);
  });
}

/// Draws sums along some rows more than `more`, whose length has up to 8000 items more than one of
/// `least`, in turn.
void draw_long_rows(const std::string& kernel, const std::vector<std::int64_t>& least,
                    std::int64_t more, scan::algorithm which) {
  draw(8, 0, {kernel}, [&](std::mt19937_64& random) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    const std::int64_t length = least[now.seed % least.size()] + below(8000);
    auto c = tests::tensor_variant({more + 1 + below(3 - more), length, 1}, random(), false, true);
    tests::place(c, random());
    check_scan<float>(c, scan::plus{}, random, which);
  });
}
// Of some tiles, more than 32, and more than eight blocks.
TEST_CASE("rows of sums in clusters") {
  draw_long_rows("held_shares_kernel of a cluster", {10300, 33000, 57000, 20000}, 0,
                 scan::algorithm::automatic);
}
// Of 8 tiles, 33 to 41, 56 to 64 and 132 (or 131).
TEST_CASE("rows of sums that look back") {
  draw_long_rows("held_shares_kernel", {10300, 33000, 57000, 98000}, 1, scan::algorithm::look_back);
}

// (Of recurrences what is two chunks before is seldom seen: factors of 0 are many.)
TEST_CASE("long rows of sums") {
  draw(8, 0, {"row_round_kernel of a cluster"}, [](std::mt19937_64& random) {
    tests::placed_case c;
    c.shape = {2, 4400 + static_cast<std::int64_t>(random() % 16000), 1};
    check_scan<std::int32_t>(c, scan::plus{}, random);
  });
}

/// By a wave, a warp or a lane, by how many there are: the first ones' bits are the same.
TEST_CASE("short rows") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> number(-1, 1);
  for (const std::int64_t length : {28, 31, 49, 67}) {
    std::vector<float> items(1200 * length), few(3 * length), all(items.size());
    for (float& item : items) item = number(random);
    REQUIRE(scan::inclusive(items.data(), few.data(), scan::extents{3, length, 1}).ok());
    REQUIRE(scan::inclusive(items.data(), all.data(), scan::extents{1200, length, 1}).ok());
    CHECK(std::equal(few.begin(), few.end(), all.begin()));
    CHECK(std::count(all.end() - length, all.end(), 0.0f) == 0);
  }
}

TEST_CASE("narrow columns") {
  draw(12, 0, {"column_ring_kernel"}, [](std::mt19937_64& random) {
    check_scan<float>(narrow_columns(random, sizeof(float), false), scan::plus{}, random);
  });
}

// Of batches that are whole, and of slabs and rows that begin anywhere in granules; and of strips
// that share columns.
TEST_CASE("wide columns") {
  draw(2, 0, {"strip_ring_kernel"}, [](std::mt19937_64& random) {
    check_scan<float>(emulated::wide_columns(random, sizeof(float), false), scan::plus{}, random);
    tests::placed_case c;
    c.shape = {2, 2600, 48};
    c.reverse = true;
    c.in_offset = 3;
    check_scan<float>(c, scan::plus{}, random);
    c.reverse = random() % 2 == 0;
    for (const scan::extents& shape :
         {scan::extents{6, 690, 48, 690 * 48 + 1}, scan::extents{1, 690, 49},
          scan::extents{3, 4100, 67, 4100 * 67 + 2}, scan::extents{2, 1030, 132}}) {
      c.shape = shape;
      check_scan<float>(c, scan::plus{}, random);
    }
    c.in_place = true;
    c.in_offset = 0;
    check_scan<float>(c, scan::plus{}, random);
  });
  CHECK(seen.kernels.size() == 1);
}
