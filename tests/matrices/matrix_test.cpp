// Every row of the matrix with every variant, on CPU threads and on the device.
#include "tests/matrices/matrix.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/support/eager_workers.hpp"
#include "tests/support/plan_switches.hpp"

namespace {

/// All variants of a scan of `n` elements; alignments take turns.
std::vector<tests::single_case> all_variants(std::int64_t n, bool can_be_in_place) {
  using tests::sequence_init;
  std::vector<tests::single_case> cases;
  for (const sequence_init init :
       {sequence_init::none, sequence_init::by_value, sequence_init::by_pointer}) {
    for (int bits = 0; bits < 32; ++bits) {
      const auto turn = static_cast<std::int64_t>(cases.size()) + n;
      tests::single_case c;
      c.exclusive = (bits & 1) != 0;
      c.in_place = (bits & 2) != 0;
      c.reverse = (bits & 4) != 0;
      c.complete = (bits & 8) != 0;
      c.with_total = (bits & 16) != 0;
      c.init = init;
      c.n = n;
      c.in_offset = turn % 4 / 2;
      c.out_offset = turn % 3;
      if ((c.exclusive || !c.complete) && (can_be_in_place || !c.in_place)) cases.push_back(c);
    }
  }
  return cases;
}

std::int64_t host_tile(const tests::matrix_row& row) {
  return 62 * 1024 / static_cast<std::int64_t>(std::max(row.in_bytes, row.out_bytes));
}

struct sized {
  std::int64_t n;
  scan::algorithm algorithm;
  std::uint64_t one_in;  // of the variants
};

/// Sizes of each kernel that the device has, and `automatic`: around its first tiles, and with more
/// tiles than a block looks at in one batch, with a few variants.
std::vector<sized> device_sizes(const tests::matrix_row& row) {
  const int widest = row.widest();
  const auto limits = tests::limits_here();
  const std::int64_t most_items = std::min(12 << 20, (48 << 20) / widest);  // as the buffers hold
  std::vector<sized> sizes;
  for (const std::int64_t n : {0, 1, 2, 17, 1021}) {
    for (const scan::algorithm which : tests::algorithms_here()) {
      sizes.push_back({n, which, tests::algorithms_here().size()});
    }
  }
  for (const std::int64_t n : tests::state_edges(widest, limits)) {
    sizes.push_back({n, scan::algorithm::automatic, 2});
  }
  for (const scan::algorithm which : tests::algorithms_here()) {
    for (const std::int64_t n : tests::tile_edges(widest, limits, which)) {
      sizes.push_back({n, which, 2});
    }
    const std::int64_t many = tests::first_of_tiles(301, widest, limits, most_items, which);
    if (many > 0) sizes.push_back({many + 4, which, 48});
  }
  return sizes;
}

}  // namespace

TEST_SUITE("matrix") {
  TEST_CASE("it holds 12 types, 9 pairs of two, and 7 operators, each combination once") {
    std::set<std::string> names;
    for (const tests::matrix_row& row : tests::matrix()) names.insert(row.name);
    // By default what libscan.a holds: all sums, and minima and maxima of equal types. (Bitwise
    // operators are for the 8 + 6 pairs of integers.)
    CHECK(names.size() == (SCAN_TESTS_WIDEST ? 4 * (12 + 9) + 3 * (8 + 6) : (12 + 9) + 2 * 12));
    CHECK(names.size() == tests::matrix().size());
  }

  TEST_CASE("a wrong element, a wrong total and a stray write are found") {
    const tests::matrix_row& row = tests::matrix().front();
    tests::single_case c;
    c.n = 100;
    c.out_offset = 1;
    c.init = tests::sequence_init::by_value;
    c.with_total = true;
    const auto judged = [&](auto spoil) {
      tests::single_problem problem(row, c, 1);
      REQUIRE(row.on_host(c,
                          {problem.in.data(), nullptr, problem.out.data(), problem.totals.data(),
                           problem.inits.data()},
                          1)
                  .ok());
      spoil(problem);
      return problem.judge();
    };
    CHECK(judged([](auto&) {}) == "");
    CHECK(judged([](auto& p) { p.out.data()[99 * 1] ^= 1; }) == "output 99 is wrong");
    CHECK(judged([](auto& p) { p.totals.data()[0] ^= 1; }) == "total 0 is wrong");
    CHECK(judged([](auto& p) { p.out.data()[-1] ^= 1; }).find("outside") != std::string::npos);
    CHECK(judged([](auto& p) { p.in.data()[5] ^= 1; }) == "the input was written");
    CHECK(judged([](auto& p) { p.inits.data()[0] ^= 1; }) == "the inits were written");
    c.with_total = false;
    CHECK(judged([](auto&) {}) == "totals were written that nobody asked for");
  }

  TEST_CASE("on CPU threads") {
    for (const tests::matrix_row& row : tests::matrix()) {
      std::uint64_t seed = 1;
      const std::int64_t tile = host_tile(row);
      for (const std::int64_t n :
           {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{17}, std::int64_t{1021},
            tile - 1, tile, 4 * tile + 7}) {
        for (const tests::single_case& c : all_variants(n, row.can_be_in_place())) {
          // Inits by pointer now and then, large sizes with every third variant.
          if (c.init == tests::sequence_init::by_pointer && ++seed % 4 != 0) continue;
          if (n >= tile - 1 && ++seed % 3 != 0) continue;
          ++seed;
          const int threads = 1 + static_cast<int>(seed % 3);
          const std::int64_t shared = tests::num_shared_calls();
          REQUIRE(tests::check_on_host(row, c, seed, threads) == "");
          if (n > 4 * tile) REQUIRE(tests::num_shared_calls() == shared + (threads > 1));
        }
      }
    }
  }

  TEST_CASE("on the device") {
    if (!tests::gpu_present()) {
      MESSAGE("skipped: no CUDA device");
      return;
    }
    scan::workspace space(64 << 20), classic(12 << 20, 8, tests::hungriest(12 << 20, 8));
    REQUIRE(space.error().ok());
    REQUIRE(classic.error().ok());
    tests::device_checker device(std::size_t{64} << 20);
    int num_rows = 0;
    std::mt19937_64 random(1);
    for (const tests::matrix_row& row : tests::matrix()) {
      if (!row.prebuilt) continue;
      ++num_rows;
      std::uint64_t seed = 1;
      for (const auto& [n, algorithm, one_in] : device_sizes(row)) {
        for (tests::single_case c : all_variants(n, row.can_be_in_place())) {
          if (random() % one_in != 0) continue;
          ++seed;
          c.algorithm = algorithm;
          REQUIRE(device.check(row, c, seed, nullptr, seed % 4 == 0 ? nullptr : &space) == "");
          if (!row.with_baselines) continue;
          c.algorithm = tests::baseline_of_turn(seed);
          REQUIRE(device.check(row, c, seed, nullptr, seed % 4 == 0 ? nullptr : &classic) == "");
        }
      }
    }
    MESSAGE("rows of this build: ", num_rows);
  }
}
