// Recurrences of tensors by the library's kernels on the stand-in GPU: random shapes, pitches,
// places and options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <scan/scan.cuh>
#include <string>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/tensors/recurrence_resets.hpp"

namespace {

using namespace emulated;

TEST_CASE("emulated recurrences of bfloat16") {
  const char* const longer = EMULATED_ARCH >= 900 ? "row_round_kernel" : "row_relay_kernel";
  draw(200, 3, {"column_kernel", longer, "row_wave_kernel", "short_row_tile_kernel"},
       [](std::mt19937_64& random) {
         check_recurrence<__nv_bfloat16>(random_case(random, sizeof(float), true), random);
       });
}

// One tile of up to all warps, and several; of whole vectors, and not. (Compiled for older GPUs
// they are walked.)
TEST_CASE("emulated recurrences of long rows") {
  const std::vector<std::string> kernels(EMULATED_ARCH >= 900 ? 1 : 0, "row_round_kernel");
  const auto check = [](auto element, std::mt19937_64& random) {
    using T = decltype(element);
    const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
    constexpr std::int64_t chunk = scan::device::round_chunk_vectors(sizeof(T)) * 16 / sizeof(T);
    const std::int64_t length = (now.seed % 2 == 0 ? up_to(17) : up_to(40)) * chunk;
    const scan::extents shape{up_to(4), std::max(length - up_to(2 * chunk), up_to(chunk)), 1};
    auto c = tests::tensor_variant(shape, random(), true, true);
    tests::place(c, random());
    check_recurrence<T>(c, random);
  };
  draw(24, 0, kernels, [&](std::mt19937_64& random) { check(0.0, random); });
  draw(16, 3, kernels, [&](std::mt19937_64& random) { check(0.0f, random); });
  draw(16, 0, kernels, [&](std::mt19937_64& random) { check(__nv_bfloat16{}, random); });
}

// The same, where the factor before the first item, which nobody asks for, is NaN or infinite, and
// behind zeros whatever there may be.
TEST_CASE("emulated recurrences of long rows begin anew") {
  now.device = 0;
  tests::for_each_reset_case(
      {{2, 1201, 1, 0, 0}, {2, 9077, 1, 0, 0}}, [](const tests::tensor_case& c) {
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

// Rows of several tiles are whose they are for the number of bytes alone.
template <bool reversed, class T>
void check_carriers(const scan::extents& shape, bool has_init, std::mt19937_64& random) {
  using namespace scan::device;
  using S = scan::state_t<T>;
  const std::int64_t n = shape.outer * shape.length;
  auto factors = tests::random_values<T>(tests::values::near_one, n);
  const auto items = tests::random_values<T>(tests::values::wide, n);
  for (std::int64_t i = 0; i < n; i += 1 + static_cast<std::int64_t>(random() % 997)) {
    factors[static_cast<std::size_t>(i)] = T(0.0f);
  }
  factors[reversed ? static_cast<std::size_t>(shape.length) - 1 : 0] =
      scan::convert<T>(std::numeric_limits<float>::quiet_NaN());
  const auto inits = tests::random_values<S>(tests::values::uniform, shape.outer);
  const array<T> a(factors, 0, random_end(random)), b(items, 1, random_end(random));
  const array<S> d_inits(inits, 0, random_end(random));
  const array<T> out[2] = {array<T>(items, 3, random_end(random)),
                           array<T>(items, 3, random_end(random))};
  const array<S> totals[2] = {array<S>(inits, 0, random_end(random)),
                              array<S>(inits, 0, random_end(random))};
  scan::tensor_shape resolved{};
  REQUIRE(scan::resolve(shape, 0, sizeof(T), resolved).ok());
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  limits.sm_count = 3;
  for (const bool in_ring : {false, true}) {
    scan::options<S> opts;
    opts.total = totals[in_ring].data();
    if (has_init) opts.init_pointer = d_inits.data();
    const auto described = describe_recurrence<reversed>(
        scan::recurrence_input<T>{b.data(), a.data()}, out[in_ring].data(), resolved, opts);
    REQUIRE(tests::launch_chosen(described, opts, limits, [&](auto& to) {
              bool chosen = false;
              const auto plan = plan_rounds(vectors_of(shape.length, sizeof(T)), sizeof(T));
              return in_ring ? choose_ring_rows(to, described, limits, chosen)
                             : choose_row_rounds(to, described, plan, limits);
            }).ok());
  }
  CHECK(are_same(out[0].items(), out[1].items()));
  CHECK(are_same(totals[0].items(), totals[1].items()));
}
TEST_CASE("emulated recurrences of long rows have the same bits in the ring") {
  if (EMULATED_ARCH < 900) return;
  draw(6, 0, {"ring_kernel", "row_round_kernel"}, [](std::mt19937_64& random) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    const scan::extents shape{1 + below(3), 20500 + below(60000), 1};
    check_carriers<false, double>(shape, below(2) == 0, random);
    check_carriers<true, __nv_bfloat16>(shape, below(2) == 0, random);
    check_carriers<true, float>(shape, below(2) == 0, random);
  });
}

}  // namespace
