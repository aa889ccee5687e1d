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

// Rows that are long enough for it. (Compiled for older GPUs there is none.)
TEST_CASE("emulated recurrences in the ring") {
  const std::vector<std::string> kernels(EMULATED_ARCH >= 900 ? 1 : 0, "ring_kernel");
  draw(4, 0, kernels, [](std::mt19937_64& random) {
    constexpr std::int64_t least = scan::device::least_ring_vectors * 2;
    const scan::extents shape{1 + static_cast<std::int64_t>(random() % 2),
                              least + static_cast<std::int64_t>(random() % 4000), 1};
    auto c = tests::tensor_variant(shape, random(), true, true);
    tests::place(c, random());
    check_recurrence<double>(c, random);
  });
}

}  // namespace
