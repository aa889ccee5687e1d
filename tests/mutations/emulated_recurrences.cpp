// Recurrences by segments of 16 bits on the stand-in GPU, by the ring in few blocks.
#include "tests/segments/emulated_recurrence.hpp"
// (before all that has device code)

TEST_CASE("recurrences of 16 bits") {
  using namespace emulated;
  draw(60, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 30000);
    check<__nv_bfloat16, __nv_bfloat16, true>(
        placed_variant<__nv_bfloat16, __nv_bfloat16>(layout, random), random);
  });
}
