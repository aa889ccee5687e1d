// Recurrences of tensors by the library's kernels on the stand-in GPU: random shapes, pitches,
// places and options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_tensor.hpp"

namespace {

using namespace emulated;

TEST_CASE("emulated recurrences of bfloat16") {
  draw(200, 3, {"column_kernel", "row_relay_kernel", "row_wave_kernel", "short_row_tile_kernel"},
       [](std::mt19937_64& random) {
         check_recurrence<__nv_bfloat16>(random_case(random, sizeof(float), true), random);
       });
}

}  // namespace
