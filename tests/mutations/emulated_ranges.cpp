// Segments that lie anywhere on the stand-in GPU, of one type.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include "scan/device/launch/range_launch.cuh"
#include "scan/device/launch/sequence_launch.cuh"
#include "tests/ranges/emulated_ranges.hpp"

using namespace emulated;

TEST_CASE("of any lengths") {
  draw(60, 0, {"range_kernel"}, [](std::mt19937_64& random) {
    check_ranges<std::uint32_t, std::uint32_t>(draw_case(random, random_most(random, 4)),
                                               scan::plus{}, random);
  });
}

TEST_CASE("operands are neighbours") {
  draw(40, 0, {"range_kernel"}, [](std::mt19937_64& random) {
    check_neighbours(draw_case(random, random_most(random, 8)), random);
  });
}

TEST_CASE("garbage") {
  draw(90, 0, {"range_kernel"}, [](std::mt19937_64& random) {
    const auto c = draw_case(random, 2000);
    check_ranges<std::uint32_t, std::uint32_t>(
        c, scan::plus{}, random, static_cast<int>(now.seed % tests::num_range_garbage));
  });
}
