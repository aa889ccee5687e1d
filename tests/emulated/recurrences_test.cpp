// Recurrences of tensors by the library's kernels on the stand-in GPU: random shapes, pitches,
// places and options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_tensor.hpp"
#include "tests/tensors/recurrence_resets.hpp"

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

// The same, where the factor before the first item, which nobody asks for, is NaN or infinite, and
// behind zeros whatever there may be.
TEST_CASE("emulated recurrences in the ring begin anew") {
  now.device = 0;
  tests::for_each_reset_case(
      {{2, scan::device::least_ring_vectors * 2 + 77, 1, 0, 0}}, [](const tests::tensor_case& c) {
        const tests::reset_case<double> resets(c);
        const array<double> a(resets.a, 0, guarded_pages::end::last),
            h(resets.b, 0, guarded_pages::end::last),
            inits(resets.inits, 0, guarded_pages::end::last);
        scan::options<double> opts;
        opts.reverse = c.reverse;
        if (c.init != tests::sequence_init::none) opts.init_pointer = inits.data();
        REQUIRE(scan::recurrence(a.data(), h.data(), h.data(), c.shape, opts).ok());
        CHECK(resets.judge(h.items()) == "");
      });
}

}  // namespace
