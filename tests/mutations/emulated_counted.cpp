// Counts of elements on the stand-in GPU, of one type.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include "scan/device/launch/counted_launch.cuh"
#include "scan/device/launch/segment_launch.cuh"
#include "tests/counted/check_counted.hpp"
#include "tests/counted/device_counted.hpp"
#include "tests/emulated/check_call.hpp"

namespace {

struct stand_in : tests::counted_on_device {
  template <class T>
  struct array : emulated::array<T> {
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64& random)
        : emulated::array<T>(items, offset, emulated::random_end(random)) {}
  };
  static std::string now() { return "seed " + std::to_string(emulated::now.seed); }
};

}  // namespace

TEST_CASE("counts") {
  emulated::draw(60, 3, {"look_back_kernel"}, [](std::mt19937_64& random) {
    tests::check_counted<stand_in, std::uint32_t, std::uint32_t>(
        tests::random_counted(random, 60000, tests::counted_tile(4)), scan::plus{}, random);
  });
}

TEST_CASE("one workspace") {
  emulated::draw(4, 0, {"look_back_kernel"},
                 [](std::mt19937_64& random) { tests::check_counted_in_turn<stand_in>(random); });
}

TEST_CASE("counts by keys and flags") {
  emulated::draw(30, 3, {"segment_round_kernel"}, [](std::mt19937_64& random) {
    tests::check_counted_runs<stand_in, std::uint32_t, std::uint16_t>(
        tests::random_counted(random, 9000, 2176), random);
  });
}
