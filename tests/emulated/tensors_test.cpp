// Scans of tensors by the library's kernels on the stand-in GPU: random shapes, pitches, places and
// options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_tensor.hpp"

namespace {

using namespace emulated;

TEST_CASE("emulated tensors of float") {
  draw(300, 3, {"column_kernel", "row_kernel", "row_wave_kernel", "short_rows_kernel"},
       [](std::mt19937_64& random) {
         check_scan<float>(random_case(random, sizeof(float), false), scan::plus{}, random);
       });
}

#if EMULATED_ARCH >= 900
TEST_CASE("emulated rows in the ring") {
  draw(1, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    tests::placed_case c;
    c.shape = {2, scan::device::most_wave_items(sizeof(float), true) + 3333, 1};
    c.in_offset = 1;
    c.out_offset = 3;
    check_scan<float>(c, scan::plus{}, random);
  });
}
#endif

}  // namespace
