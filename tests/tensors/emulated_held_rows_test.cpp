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
TEST_CASE("emulated rows in registers have the bits of sequences") {
  draw(40, 1, {"held_shares_kernel"}, [](std::mt19937_64& random) {
    std::uniform_real_distribution<float> number(-1, 1);
    auto c = held_rows<float>(random() % 2 == 0 ? 545 : 1089, random);
    c.shape.outer = 2 + c.shape.outer;
    c.in_place = false;
    std::vector<float> items(static_cast<std::size_t>(c.in_span()));
    for (float& each : items) each = number(random);
    const array<float> in(items, c.in_offset, random_end(random)),
        out(std::vector<float>(c.out_span()), c.out_offset, random_end(random));
    scan::options<float> opts;
    opts.reverse = c.reverse;
    const auto scan_into = [&](const float* from, float* to, const auto& what) {
      return c.exclusive ? scan::exclusive(from, to, what, scan::plus{}, opts)
                         : scan::inclusive(from, to, what, scan::plus{}, opts);
    };
    REQUIRE(scan_into(in.data(), out.data(), c.shape).ok());
    std::vector<float> alone(static_cast<std::size_t>(c.shape.length));
    const std::int64_t in_pitch =
        c.in_span() > c.shape.length && c.shape.in_pitch > 0 ? c.shape.in_pitch : c.shape.length;
    const std::int64_t out_pitch = c.shape.out_pitch > 0 ? c.shape.out_pitch : c.shape.length;
    for (std::int64_t row = 0; row < c.shape.outer; ++row) {
      REQUIRE(scan_into(in.data() + row * in_pitch, alone.data(), c.shape.length).ok());
      CHECK(std::memcmp(alone.data(), out.data() + row * out_pitch, alone.size() * sizeof(float)) ==
            0);
    }
    CHECK((in.is_intact() && out.is_intact()));
  });
}

}  // namespace
