// Columns by a lane each on the stand-in GPU: short ones of 16-bit sums, one column a lane and a
// word of them; and sums of floats that are walked.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <random>
#include <scan/scan.cuh>
#include <vector>

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

/// Sums of three tiles of a column, by lanes or by a block.
std::vector<float> walked(bool by_lanes, const std::vector<float>& items, std::int64_t inner) {
  using namespace scan::device;
  const std::int64_t length = static_cast<std::int64_t>(items.size()) / inner;
  scan::tensor_shape all{};
  REQUIRE(scan::resolve({1, length, inner}, 0, sizeof(float), all).ok());
  std::vector<float> results(items.size());
  const scan::options<float> opts;
  const auto described =
      describe_parts<false>(false, scan::as_input(items.data()), scan::as_output(results.data()),
                            all, scan::plus{}, opts, nullptr);
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  REQUIRE(tests::launch_chosen(described, opts, limits, [&](auto& to) -> scan::status {
            using tensor = std::decay_t<decltype(described.forwards())>;
            if (by_lanes) {
              choose_lane_columns<true>(to, described.forwards(), 1, false, limits);
            } else {
              choose_column_walk(to, column_walk_cut<tensor, 1>(described.forwards(), false));
            }
            return {};
          }).ok());
  return results;
}

}  // namespace

TEST_CASE("lanes have a column each") {
  draw(60, 0, {"lane_column_kernel"}, [](std::mt19937_64& random) { check(false, random); });
}
TEST_CASE("lanes have words of columns each") {
  draw(40, 0, {"lane_column_kernel"}, [](std::mt19937_64& random) { check(true, random); });
}
TEST_CASE("lanes walk as blocks do") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> number(-1, 1);
  constexpr std::int64_t inner = 33;
  std::vector<float> items(330 * inner);
  for (float& item : items) item = number(random);
  CHECK(walked(true, items, inner) == walked(false, items, inner));
}
