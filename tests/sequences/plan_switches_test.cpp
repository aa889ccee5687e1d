// The sizes that other tests take from launch plans, against walks over all sizes.
#include "tests/support/plan_switches.hpp"

#include <doctest/doctest.h>

namespace {

using scan::algorithm;
using scan::device::device_limits;
using scan::device::plan_for;

const device_limits devices[] = {{0, 132, 227 * 1024, true}, {0, 84, 0, true}, {0, 80, 0, false}};

/// All n of up to `most_items` before which the plan is another one, one after another.
std::vector<std::int64_t> walk(int bytes, const device_limits& limits, std::int64_t most_items,
                               algorithm wanted) {
  std::vector<std::int64_t> found;
  tests::launch_plan before = plan_for(1, bytes, wanted, limits);
  for (std::int64_t n = 2; n <= most_items; ++n) {
    const tests::launch_plan plan = plan_for(n, bytes, wanted, limits);
    if (!tests::same_shape(before, plan)) found.push_back(n);
    before = plan;
  }
  return found;
}

}  // namespace

TEST_SUITE("plan switches") {
  TEST_CASE("a walk over all sizes finds no other switches") {
    const std::int64_t most_items = 300000;
    for (const int bytes : {1, 2, 4, 8, 16}) {
      for (const device_limits& limits : devices) {
        for (const algorithm wanted : {algorithm::automatic, algorithm::wave}) {
          INFO(bytes, " bytes by ", static_cast<int>(wanted), ", ", limits.sm_count, " SMs");
          const auto found = tests::plan_switches(bytes, limits, most_items, wanted);
          CHECK_FALSE(found.empty());
          CHECK(found == walk(bytes, limits, most_items, wanted));
        }
      }
    }
  }

  TEST_CASE("every kernel that scans anything begins or ends at a switch") {
    for (const int bytes : {1, 2, 4, 8, 16}) {
      for (const device_limits& limits : devices) {
        const std::int64_t most_items = std::int64_t{1} << 26;
        std::vector<algorithm> seen{plan_for(1, bytes, algorithm::automatic, limits).kernel};
        for (const std::int64_t n : tests::plan_switches(bytes, limits, most_items)) {
          const auto before = plan_for(n - 1, bytes, algorithm::automatic, limits);
          const auto after = plan_for(n, bytes, algorithm::automatic, limits);
          CHECK_FALSE(tests::same_shape(before, after));
          CHECK(seen.back() == before.kernel);  // none was missed since the last one
          seen.push_back(after.kernel);
        }
        CHECK(seen.back() == plan_for(most_items, bytes, algorithm::automatic, limits).kernel);
        const bool has_ring = limits.ring_bytes_of_block > 0;
        CHECK(seen.back() == (has_ring ? algorithm::ring : algorithm::look_back));
      }
    }
  }

  TEST_CASE("switches of a made-up function, close together and far apart") {
    const std::vector<std::int64_t> expected{2, 3, 5, 100, 101, 7000, 7028, 50000};
    const auto part = [&](std::int64_t n) {
      return std::upper_bound(expected.begin(), expected.end(), n) - expected.begin();
    };
    CHECK(tests::switches(100000, [&](std::int64_t a, std::int64_t b) {
            return part(a) == part(b);
          }) == expected);
    CHECK(tests::switches(4, [&](std::int64_t a, std::int64_t b) { return part(a) == part(b); }) ==
          std::vector<std::int64_t>{2, 3});
  }

  TEST_CASE("the first size of so many tiles is the first") {
    for (const int bytes : {1, 4, 16}) {
      for (const algorithm wanted :
           {algorithm::automatic, algorithm::wave, algorithm::look_back, algorithm::ring}) {
        for (const std::int64_t num_tiles : {2, 4, 9}) {
          const std::int64_t first =
              tests::first_of_tiles(num_tiles, bytes, devices[0], 1 << 24, wanted);
          INFO(num_tiles, " tiles of ", bytes, " bytes by ", static_cast<int>(wanted));
          REQUIRE(first > 1);
          CHECK(plan_for(first, bytes, wanted, devices[0]).num_tiles >= num_tiles);
          bool earlier = false;
          for (std::int64_t n = 1; n < first; ++n) {
            earlier = earlier || plan_for(n, bytes, wanted, devices[0]).num_tiles >= num_tiles;
          }
          CHECK_FALSE(earlier);
        }
      }
    }
    for (const int bytes : {1, 3, 4, 16, 24, 64}) {
      const auto edges = tests::tile_edges(bytes, devices[0], algorithm::look_back);
      const auto num_tiles = [&](std::int64_t n) {
        return plan_for(n, bytes, algorithm::look_back, devices[0]).num_tiles;
      };
      CHECK(num_tiles(edges[0]) == 1);
      CHECK(num_tiles(edges[1]) == 1);
      CHECK(num_tiles(edges[2]) == 2);
      CHECK(num_tiles(edges[3]) == 4);
      const auto states = tests::state_edges(bytes, devices[0]);
      CHECK(plan_for(states[0], bytes, algorithm::automatic, devices[0]).states_bytes == 0);
      CHECK(plan_for(states[1], bytes, algorithm::automatic, devices[0]).states_bytes > 0);
    }
    CHECK(tests::first_of_tiles(1, 4, devices[0], 100) == 1);
    CHECK(tests::first_of_tiles(2, 4, devices[0], 100) == 0);
  }
}
