// Short columns of 16-bit sums by a lane each on the stand-in GPU, one column a lane and a word of
// them.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_tensor.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;
using item = std::int16_t;

template <bool reversed>
scan::status launch(const tests::placed_case& c, bool in_words, const item* in, item* out,
                    const scan::options<item>& opts) {
  using namespace scan::device;
  scan::tensor_shape all{};
  REQUIRE(scan::resolve(c.shape, opts.complete, sizeof(item), all).ok());
  const auto described = describe_parts<reversed>(
      c.exclusive, scan::as_input(in), scan::as_output(out), all, scan::plus{}, opts, nullptr);
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  limits.sm_count = 1;  // (where lanes are many of one)
  const auto columns = described.forwards();
  const int each = in_words && columns_lie_together<2>(columns) ? 2 : 1;
  return tests::launch_chosen(described, opts, limits, [&](auto& to) {
    choose_lane_columns<false>(to, columns, each, reversed, limits);
  });
}

/// `in_words`: half of them lie so.
void check(bool in_words, std::mt19937_64& random) {
  const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
  const std::int64_t inner = in_words ? 2 * up_to(300) : 1 + up_to(200);
  auto c = tests::tensor_variant({1 + up_to(4), up_to(80), inner}, random(), false, true);
  if (in_words) {
    c.shape.in_pitch = c.shape.out_pitch = 0;
    c.complete = false;
  } else {
    tests::place(c, random());
  }
  check_tensor<item, item>(
      c, scan::algorithm::automatic, random_vector<item>(c.in_span(), random),
      [&](const item* in, item* out, const auto& opts) {
        return c.reverse ? launch<true>(c, in_words, in, out, opts)
                         : launch<false>(c, in_words, in, out, opts);
      },
      [&](const item* in, item* out, const auto& inits, item* totals) {
        tests::scan_tensor_serially(c, in, out, inits, totals, scan::plus{});
      },
      random);
}

}  // namespace

TEST_CASE("lanes have a column each") {
  draw(60, 0, {"lane_column_kernel"}, [](std::mt19937_64& random) { check(false, random); });
}
TEST_CASE("lanes have words of columns each") {
  draw(40, 0, {"lane_column_kernel"}, [](std::mt19937_64& random) { check(true, random); });
}
