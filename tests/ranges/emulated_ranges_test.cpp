// Scans of segments that lie anywhere by the library's kernel on the stand-in GPU, compared with
// serial loops: random lengths, orders, gaps and places of outputs, at random alignments.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/ranges/emulated_ranges.hpp"
#include "tests/ranges/range_order.hpp"
#include "tests/ranges/range_refusals.hpp"

namespace {

using namespace emulated;

TEST_CASE("emulated segments that lie anywhere, uint32") {
  draw(160, 4, {"range_kernel"}, [](std::mt19937_64& random) {
    check_ranges<std::uint32_t, std::uint32_t>(draw_case(random, random_most(random, 4)),
                                               scan::plus{}, random);
  });
}

TEST_CASE("emulated segments that lie anywhere, elements of 1, 2 and 8 bytes, widening") {
  draw(30, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    check_ranges<std::uint8_t, std::uint8_t>(draw_case(random, random_most(random, 4)),
                                             scan::plus{}, random);
    check_ranges<__nv_bfloat16, __nv_bfloat16>(draw_case(random, random_most(random, 4)),
                                               scan::maximum{}, random);
    check_ranges<double, double>(draw_case(random, random_most(random, 8)), scan::plus{}, random);
    auto c = draw_case(random, random_most(random, 8));
    c.in_place = false;
    check_ranges<std::uint8_t, std::int64_t>(c, scan::plus{}, random);
  });
}

TEST_CASE("emulated segments that lie anywhere, an operator without identity") {
  draw(60, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    auto c = draw_case(random, random_most(random, 8));
    if (c.init == no_init && (c.exclusive || c.with_total)) {
      c.init = tests::sequence_init::by_value;
    }
    check_ranges<affine, affine>(c, followed_by{}, random);
  });
}

TEST_CASE("emulated segments that lie anywhere: operands are neighbours, of one segment") {
  draw(80, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    check_neighbours(draw_case(random, random_most(random, 8)), random);
  });
}

TEST_CASE("emulated segments that lie anywhere: what is refused") {
  tests::check_range_refusals<scan::options<float>>(
      [](const auto&... given) { return scan::exclusive(given...); });
}

TEST_CASE("emulated segments that lie anywhere, by offsets that cannot be") {
  draw(120, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    const auto c = draw_case(random, 2000);
    const auto kind = static_cast<int>(now.seed % tests::num_range_garbage);
    check_ranges<std::uint32_t, std::uint32_t>(c, scan::plus{}, random, kind);
  });
}

/// Of sums that round.
std::vector<float> rounded(std::int64_t n, std::mt19937_64& random) {
  std::vector<float> items(static_cast<std::size_t>(n));
  for (float& item : items) item = static_cast<float>(random() % 1000003) * 1e-3f - 400;
  return items;
}

TEST_CASE(
    "emulated segments that lie anywhere have the order of the formulas, whatever is beside them") {
  draw(40, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    auto c = draw_case(random, random_most(random, 4));
    c.in_place = false, c.with_total = true;
    if (c.init == tests::sequence_init::by_value) c.init = no_init;
    const auto items = rounded(c.layout.num_items, random);
    const auto inits = rounded(c.num_inits(), random);
    const std::vector<float> before(static_cast<std::size_t>(c.layout.num_out_items), 3);
    const offset_arrays offsets(c, tests::images_of(c, random), random);
    const call_arrays<float, float> arrays(items, c.in_offset, before, c.out_offset, inits,
                                           c.layout.num_segments(), random);
    const float* const from = arrays.in.data();
    REQUIRE(call_or_launch(c, offsets, from, arrays.out.data(), scan::plus{},
                           arrays.options(c, inits), random)
                .ok());
    const auto totals = arrays.totals.items();
    const auto results = arrays.out.items();
    for (int i = 0; i < 3; ++i) {
      const auto s = static_cast<std::size_t>(random() % c.layout.places.size());
      const auto& place = c.layout.places[s];
      if (place.length == 0) continue;
      const float* const first = items.data() + place.in_begin;
      std::optional<float> init;
      if (c.init != no_init) init = inits[s];
      const auto wanted =
          tests::segment_sums({first, first + place.length}, c.reverse, c.exclusive, init);
      const float* const there = results.data() + place.out_begin;
      CHECK(are_same(wanted.results, std::vector<float>(there, there + place.length)));
      CHECK(are_same(std::vector<float>{*wanted.total}, {totals[s]}));
    }
  });
}

}  // namespace
