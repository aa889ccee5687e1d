// Rows of sums that a block holds in registers (held_shares.cuh), on the stand-in GPU.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <scan/scan.cuh>
#include <string>
#include <utility>
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
void check_bits(tests::placed_case c, std::mt19937_64& random,
                scan::algorithm which = scan::algorithm::automatic) {
  std::uniform_real_distribution<float> number(-1, 1);
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
  opts.algorithm = which;
  REQUIRE(scan_into(in.data(), out.data(), c.shape).ok());
  opts.algorithm = scan::algorithm::automatic;
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
  const auto several = [](tests::placed_case c) {
    c.shape.outer += 2;
    return c;
  };
  draw(20, 1, {"held_shares_kernel"}, [&](std::mt19937_64& random) {
    const std::int64_t least = random() % 2 == 0 ? 545 : 1089;
    check_bits<float>(several(held_rows<float>(least, random)), random);
    check_bits<__nv_bfloat16>(several(held_rows<__nv_bfloat16>(least, random)), random);
  });
}

// ---- Rows that a cluster has. ----

/// Two or three of `least` to a tenth more vectors.
template <class T>
tests::placed_case spread_rows(std::int64_t least, std::mt19937_64& random) {
  const std::int64_t items = least * 16 / static_cast<std::int64_t>(sizeof(T));
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
  auto c =
      tests::tensor_variant({2 + below(2), items + below(items / 10), 1}, random(), false, true);
  tests::place(c, random());
  return c;
}
// Of eight tiles of single vectors or pairs, more than 32, and 132, whose folds are scanned in
// parts; those of doubles, and the last, by more than eight blocks.
TEST_CASE("emulated rows that clusters have") {
  const std::string cluster = "held_shares_kernel of a cluster";
  draw(6, 0, {cluster}, [](std::mt19937_64& random) {
    check_scan<float>(spread_rows<float>(2561, random), scan::plus{}, random);
    check_scan<__nv_bfloat16>(spread_rows<__nv_bfloat16>(4400, random), scan::plus{}, random);
    check_scan<double>(spread_rows<double>(1700, random), scan::plus{}, random);
    check_widened(spread_rows<std::uint32_t>(2600, random), random);
    check_bits<float>(spread_rows<float>(4400, random), random);
  });
  CHECK(seen.kernels["row_kernel"] == 0);
  draw(3, 0, {cluster}, [](std::mt19937_64& random) {
    check_bits<float>(spread_rows<float>(9000, random), random);
    check_bits<float>(spread_rows<float>(17000, random), random);
    check_scan<double>(spread_rows<double>(17000, random), scan::plus{}, random);
  });
  CHECK(seen.kernels["row_kernel"] == 0);
}
// ... if there is room for such a cluster, and the kernel was compiled for them: else blocks look
// back, with tiles in registers, and on a GPU without a ring in shared memory.
TEST_CASE("emulated rows that no cluster has") {
  const auto kernels_of = [](int device, std::int64_t least,
                             scan::algorithm which = scan::algorithm::automatic, int rows = 2) {
    std::mt19937_64 random(5);
    seen = {};
    now.device = device;
    auto c = spread_rows<float>(least, random);
    c.shape.outer = rows;
    check_bits<float>(c, random, which);
    now.device = 0;
    return seen.kernels;
  };
  CHECK(kernels_of(0, 26000).count("held_shares_kernel of a cluster") == 1);
  CHECK(kernels_of(2, 26000).count("held_shares_kernel") == 1);
  // (Device 0 has four large ones at once.)
  CHECK(kernels_of(0, 26000, scan::algorithm::automatic, 5).count("held_shares_kernel") == 1);
  CHECK(kernels_of(2, 10000).count("held_shares_kernel of a cluster") == 1);
  CHECK(kernels_of(1, 10000).count("row_kernel") == 1);
  CHECK(kernels_of(0, 10000, scan::algorithm::look_back).count("held_shares_kernel") == 1);
  CHECK(kernels_of(0, 10000, scan::algorithm::walk).count("held_shares_kernel of a cluster") == 1);
}
// Of eight tiles of single vectors or pairs, of one part of 32 or two, of 132 tiles, and of pairs
// in 132.
TEST_CASE("emulated rows in registers that look back") {
  const auto which = scan::algorithm::look_back;
  draw(5, 0, {"held_shares_kernel"}, [&](std::mt19937_64& random) {
    for (const std::int64_t least : {2561, 4400, 9000, 13000}) {
      check_scan<float>(spread_rows<float>(least, random), scan::plus{}, random, which);
      check_bits<float>(spread_rows<float>(least, random), random, which);
    }
    check_scan<__nv_bfloat16>(spread_rows<__nv_bfloat16>(4400, random), scan::plus{}, random,
                              which);
    check_bits<__half>(spread_rows<__half>(2600, random), random, which);
    check_scan<double>(spread_rows<double>(5000, random), scan::plus{}, random, which);
  });
  CHECK(seen.kernels["row_kernel"] == 0);
  CHECK(seen.kernels["held_shares_kernel of a cluster"] == 0);
  draw(2, 0, {"held_shares_kernel"}, [&](std::mt19937_64& random) {
    check_scan<float>(spread_rows<float>(17000, random), scan::plus{}, random, which);
    check_bits<float>(spread_rows<float>(17000, random), random, which);
    check_bits<float>(spread_rows<float>(71900, random), random, which);
  });
  CHECK(seen.kernels["row_kernel"] == 0);
}
// ... in large calls where clusters could have them.
TEST_CASE("emulated rows in registers of a large call") {
  now.device = 0;
  seen = {};
  std::mt19937_64 random(9);
  tests::placed_case c;
  c.shape = {191, 33001, 1, 33003, 33002};
  c.in_offset = 1;
  c.out_offset = 2;
  c.reverse = true;
  check_scan<float>(c, scan::plus{}, random);
  CHECK(seen.kernels.count("held_shares_kernel") == 1);
  CHECK(seen.kernels.size() == 1);
}
// A workspace whose epochs run out is cleared by the last of a call's blocks.
TEST_CASE("emulated rows in registers that look back in the last epochs") {
  constexpr std::int64_t length = 34567, rows = 3;
  now.device = 0;
  std::mt19937_64 random(3);
  const array<float> in(random_vector<float>(rows * length, random), 1, array<float>::end::last),
      wanted(rows * length, 2, array<float>::end::last),
      out(rows * length, 2, array<float>::end::last);
  const auto scan_rows = [&](const array<float>& to, std::int64_t outer, const auto& opts) {
    const scan::extents shape{outer, length, 1};
    REQUIRE(scan::inclusive(in.data(), to.data(), shape, scan::plus{}, opts).ok());
  };
  scan_rows(wanted, rows, scan::options<float>{});
  scan::workspace space(scan::extents{rows, length, 1}, sizeof(float));
  static_cast<scan::tile_states_header*>(space.states())->tickets = std::uint64_t{0xfffffffc} << 32;
  scan::options<float> opts;
  opts.workspace = &space;
  opts.algorithm = scan::algorithm::look_back;
  seen = {};
  for (std::uint64_t call = 0; call < 9; ++call) {
    now.seed = call;
    const auto outer = static_cast<std::int64_t>(2 + call % 2);
    scan_rows(out, outer, opts);
    const auto same = static_cast<std::ptrdiff_t>(outer * length);
    const std::vector<float> results = out.items(), right = wanted.items();
    CHECK(std::equal(results.begin(), results.begin() + same, right.begin()));
  }
  CHECK(seen.kernels["held_shares_kernel"] == 9);
}
TEST_CASE("rows in registers that look back") {
  using namespace scan::device;
  const auto look = [](std::int64_t rows, std::int64_t length, int bytes, rows_lie lie) {
    const row_plan plan = plan_rows(rows, length, bytes, true, 132);
    const held_shares_plan held = hold_shares(plan, length, bytes);
    return are_looks_held(held, rows * length * bytes, bytes, lie);
  };
  const rows_lie whole = rows_lie::whole, alike = rows_lie::alike, anywhere = rows_lie::anywhere;
  // To 24 MiB all; then those anywhere, and those alike of narrow elements, of others to 96 MiB.
  CHECK((look(191, 32768, 4, whole) && !look(192, 32768, 4, whole)));
  CHECK((look(767, 32768, 4, alike) && !look(768, 32768, 4, alike)));
  CHECK((look(768, 32768, 4, anywhere) && look(768, 65536, 2, alike)));
  // Large ones of more than eight tiles, of up to 12 warps each.
  CHECK((look(100, 17000, 4, anywhere) && !look(1000, 17000, 4, anywhere)));
  CHECK((look(20, 700000, 4, anywhere) && !look(20, 820000, 4, anywhere)));
  // More tiles than are looked at, as there are without a ring.
  const held_shares_plan many = hold_shares(plan_rows(1, 1100000, 4, false, 132), 1100000, 4);
  CHECK((many.tiles == 269 && !are_looks_held(many, 4400000, 4, whole)));
  // Blocks of four warps, or of as many as a tile has.
  const auto spread_over = [](std::int64_t length, int bytes) {
    held_shares_plan held = hold_shares(plan_rows(8, length, bytes, true, 132), length, bytes);
    spread_to_look_back(held);
    return std::pair(held.blocks, held.warps());
  };
  CHECK(spread_over(40000, 4) == std::pair(20, 4));  // 40 tiles of 2 warps
  CHECK(spread_over(70000, 4) == std::pair(33, 4));  // 132 of one
  CHECK(spread_over(250000, 4) == std::pair(132, 3));
  CHECK(spread_over(18000, 4) == std::pair(8, 5));  // of pairs
}
TEST_CASE("how rows are spread over clusters") {
  using namespace scan::device;
  const auto spread_over = [](std::int64_t length, int bytes, int warps, int most_warps,
                              int most_blocks) {
    const row_plan plan = plan_rows(8, length, bytes, true, 132);
    held_shares_plan held = hold_shares(plan, length, bytes);
    return spread(held, warps, most_warps, most_blocks) ? std::pair(held.blocks, held.block_tiles)
                                                        : std::pair(0, 0);
  };
  CHECK(spread_over(11000, 4, 6, 10, 8) == std::pair(4, 2));  // 8 tiles of 3 warps
  CHECK(spread_over(18000, 4, 6, 10, 8) == std::pair(8, 1));  // 6 of pairs
  CHECK(spread_over(40000, 4, 6, 10, 8) == std::pair(8, 5));  // 40 of 2
  CHECK(spread_over(60000, 4, 6, 10, 8) == std::pair(0, 0));  // 59: 16 warps
  CHECK(spread_over(60000, 4, 6, 20, 8) == std::pair(8, 8));
  CHECK(spread_over(60000, 4, 10, 20, 16) == std::pair(12, 5));
  CHECK(spread_over(168960, 4, 10, 20, 16) == std::pair(15, 9));  // 132 of 2
  CHECK(spread_over(169000, 4, 10, 20, 16) == std::pair(0, 0));   // of 3
}
TEST_CASE("rows that are spread over clusters") {
  using scan::device::rows_lie;
  const auto is_spread = [](std::int64_t rows, std::int64_t length, int bytes, rows_lie lie,
                            bool widens = false) {
    return scan::device::are_rows_spread(scan::device::plan_rows(rows, length, bytes, true, 132),
                                         rows * length * bytes, bytes, widens, lie);
  };
  const rows_lie whole = rows_lie::whole, alike = rows_lie::alike, anywhere = rows_lie::anywhere;
  // To 24 MiB all; then those anywhere, wider ones, of narrow ones those alike.
  CHECK((is_spread(191, 32768, 4, whole) && !is_spread(192, 32768, 4, whole)));
  CHECK((!is_spread(192, 32768, 4, alike) && is_spread(192, 32768, 4, anywhere)));
  CHECK((is_spread(192, 65536, 2, alike) && !is_spread(192, 65536, 2, whole)));
  CHECK(is_spread(192, 32768, 8, whole));
  CHECK((is_spread(191, 32768, 4, anywhere, true) && !is_spread(192, 32768, 4, anywhere, true)));
  // Of 8 bytes not where a block has whole rows of tiles in shared memory.
  CHECK((is_spread(1000, 4300, 8, whole) && is_spread(700, 3482, 8, whole)));
  CHECK_FALSE(is_spread(1000, 3482, 8, whole));
}

// Which rows are held; at most as many warps as a block has, and tiles of single vectors or pairs.
TEST_CASE("rows that are held in registers") {
  using scan::device::rows_lie;
  const auto held = [](std::int64_t rows, std::int64_t length, int bytes, rows_lie lie,
                       int most_warps = 16, bool widens = false) {
    const auto plan = scan::device::plan_rows(rows, length, bytes, true, 132);
    const bool in_tiles = plan.kernel == scan::device::row_kernel_kind::tiles;
    if (!in_tiles || plan.stripes > scan::device::most_held_stripes) return false;
    const auto held = scan::device::hold_shares(plan, length, bytes);
    return held.warps() <= most_warps &&
           scan::device::are_shares_held(held, rows, length, bytes, widens, lie);
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
