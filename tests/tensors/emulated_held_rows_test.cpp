// Rows of sums that a block holds in registers (held_shares.cuh), on the stand-in GPU.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/check_tensor.hpp"

namespace {

using namespace emulated;

/// Rows of `least` to twice as many vectors, in one tile of single vectors or pairs, or in several.
template <class T>
tests::placed_case held_rows(std::int64_t least, std::mt19937_64& random) {
  const std::int64_t items = least * 16 / static_cast<std::int64_t>(sizeof(T));
  auto c = tests::tensor_variant({1 + static_cast<std::int64_t>(random() % 9),
                                  items + static_cast<std::int64_t>(random() % items), 1},
                                 random(), false, true);
  tests::place(c, random());
  return c;
}
TEST_CASE("emulated rows of the wave's tiles, held in registers") {
  draw(24, 1, {"held_shares_kernel"}, [](std::mt19937_64& random) {
    for (const std::int64_t least : {545, 1089}) {
      check_scan<float>(held_rows<float>(least, random), scan::plus{}, random);
      check_scan<__nv_bfloat16>(held_rows<__nv_bfloat16>(least, random), scan::plus{}, random);
      check_scan<double>(held_rows<double>(545, random), scan::plus{}, random);
    }
    check_widened(held_rows<std::uint32_t>(545, random), random);
  });
}
// ... of which a block has several, or each of several warps some shares.
TEST_CASE("emulated rows of one tile, held in registers") {
  draw(4, 1, {"held_shares_kernel"}, [](std::mt19937_64& random) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    const auto check = [&](auto element, std::int64_t most) {
      constexpr std::int64_t items = 16 / static_cast<std::int64_t>(sizeof(element));
      const std::int64_t length = 33 * items + below(most * items);
      auto c = tests::tensor_variant({16000 * items / length + below(9), length, 1}, random(),
                                     false, true);
      tests::place(c, random());
      check_scan<decltype(element)>(c, scan::plus{}, random);
    };
    check(0.0f, 60);
    check(__half{}, 300);
    check(0.0, 500);
  });
}
// ... which are as wide as rows are cut by.
TEST_CASE("emulated rows of the wave's tiles that registers do not hold") {
  draw(8, 2, {"row_kernel"}, [](std::mt19937_64& random) {
    const auto wide = held_rows<float>(545, random);
    const auto op = scan::accumulate_in<double>(scan::plus{});
    check_tensor<float, float>(
        wide, scan::algorithm::automatic, random_vector<float>(wide.in_span(), random),
        [&](const float* in, float* out, const auto& opts) {
          return wide.exclusive ? scan::exclusive(in, out, wide.shape, op, opts)
                                : scan::inclusive(in, out, wide.shape, op, opts);
        },
        [&](const float* in, float* out, const auto& inits, float* totals) {
          tests::scan_tensor_serially(wide, in, out, inits, totals, scan::plus{});
        },
        random);
  });
  CHECK(seen.kernels["held_shares_kernel"] == 0);
}
// Each with the bits of the call for one sequence: of numbers whose sums depend on their order.
template <class T>
void check_bits(std::mt19937_64& random) {
  std::uniform_real_distribution<float> number(-1, 1);
  auto c = held_rows<T>(random() % 2 == 0 ? 545 : 1089, random);
  c.shape.outer = 2 + c.shape.outer;
  c.in_place = false;
  std::vector<T> items(static_cast<std::size_t>(c.in_span()));
  for (T& each : items) each = static_cast<T>(number(random));
  const array<T> in(items, c.in_offset, random_end(random)),
      out(std::vector<T>(c.out_span()), c.out_offset, random_end(random));
  scan::options<T> opts;
  opts.reverse = c.reverse;
  if (random() % 2 == 0) opts.init = number(random);
  const auto scan_into = [&](const T* from, T* to, const auto& what) {
    return c.exclusive ? scan::exclusive(from, to, what, scan::plus{}, opts)
                       : scan::inclusive(from, to, what, scan::plus{}, opts);
  };
  REQUIRE(scan_into(in.data(), out.data(), c.shape).ok());
  std::vector<T> alone(static_cast<std::size_t>(c.shape.length));
  const std::int64_t in_pitch =
      c.in_span() > c.shape.length && c.shape.in_pitch > 0 ? c.shape.in_pitch : c.shape.length;
  const std::int64_t out_pitch = c.shape.out_pitch > 0 ? c.shape.out_pitch : c.shape.length;
  for (std::int64_t row = 0; row < c.shape.outer; ++row) {
    REQUIRE(scan_into(in.data() + row * in_pitch, alone.data(), c.shape.length).ok());
    CHECK(std::memcmp(alone.data(), out.data() + row * out_pitch, alone.size() * sizeof(T)) == 0);
  }
  CHECK((in.is_intact() && out.is_intact()));
}
TEST_CASE("emulated rows in registers have the bits of sequences") {
  draw(20, 1, {"held_shares_kernel"}, [](std::mt19937_64& random) {
    check_bits<float>(random);
    check_bits<__nv_bfloat16>(random);
  });
}

// Which rows are held; at most as many warps as a block has, and tiles of single vectors or pairs.
TEST_CASE("rows that are held in registers") {
  using scan::device::rows_lie;
  const auto held = [](std::int64_t rows, std::int64_t length, int bytes, rows_lie lie,
                       int most_warps = 16, bool widens = false) {
    const auto plan = scan::device::plan_rows(rows, length, bytes, true, 132);
    return scan::device::are_shares_held(plan, rows, length, bytes, widens, lie, most_warps);
  };
  const rows_lie whole = rows_lie::whole, alike = rows_lie::alike, anywhere = rows_lie::anywhere;
  CHECK(held(1000, 2200, 4, whole));
  for (const std::int64_t length : {72000, 300000, 1081345, 4000000}) {
    for (const int bytes : {1, 2, 4, 8}) CHECK_FALSE(held(2, length, bytes, anywhere));
  }
  CHECK_FALSE(held(2, 5000, 4, whole, 7));
  // Large calls, of rows of one tile: of so many vectors not yet, of one more.
  const auto begins_at = [&](int bytes, rows_lie lie) {
    const int items = 16 / bytes;
    int vectors = 33;
    while (vectors < 500 && !held(100000, std::int64_t{vectors} * items, bytes, lie)) ++vectors;
    return vectors;
  };
  CHECK((begins_at(4, whole) == 81 && begins_at(4, alike) == 77 && begins_at(4, anywhere) == 33));
  CHECK((begins_at(2, whole) == 97 && begins_at(2, alike) == 65 && begins_at(2, anywhere) == 33));
  CHECK((begins_at(8, whole) == 113 && begins_at(8, alike) == 113));
  for (const rows_lie lie : {whole, alike, anywhere}) {
    // Of 200 floats up to 12 MiB, of results wider than items up to 16; of 9000 whole to 25.
    CHECK(held(15728, 200, 4, lie));
    CHECK(held(15729, 200, 4, lie) == (lie == anywhere));
    CHECK(held(10485, 400, 4, lie, 16, true));
    CHECK_FALSE(held(10486, 400, 4, lie, 16, true));
    CHECK(held(728, 9000, 4, lie));
    CHECK(held(729, 9000, 4, lie) == (lie != whole));
    CHECK(held(4000, 4800, 4, lie));                       // a warp a tile
    CHECK(held(4000, 5400, 4, lie) == (lie == anywhere));  // two, of three shares
    CHECK(held(4000, 9000, 4, lie) == (lie != whole));     // two, of five
  }
}

}  // namespace
