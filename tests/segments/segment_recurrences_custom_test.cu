// Recurrences by segments, keys and flags of the types that libscan.a does not hold, compiled here:
//   segment_recurrences_custom_test [one layout in so many] [most elements]
// the arguments for sanitizers. Skipped, with exit code 77, where there is no GPU.
#include <scan/scan.cuh>

#include "tests/segments/segment_recurrences_device.hpp"

TEST_SUITE("device") {
  TEST_CASE("recurrences by segments of double") {
    tests::check_layouts_on_device<double, double, true>();
  }
  TEST_CASE("recurrences by segments of float with one factor") {
    tests::check_layouts_on_device<float, float, true>();
  }
  TEST_CASE("recurrences by segments of bfloat16 with one factor") {
    tests::check_layouts_on_device<__nv_bfloat16, __nv_bfloat16, true>();
  }
  TEST_CASE("recurrences by segments of half to float") {
    tests::check_layouts_on_device<__half, float, true>();
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv, 2000000);
  return tests::run_device_tests(argc, argv);
}
