// Columns that threads hold in registers, on the stand-in GPU: compared with serial loops; in the
// order of who has the same columns where there are more of them, bit for bit; which are held, and
// by which threads.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cstdint>
#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/tensors/tensor_order.hpp"

namespace {

using namespace emulated;
using namespace scan::device;

constexpr int large_device = 3, large_old_device = 5;  // of 132 and 300 multiprocessors

/// Columns of one tile and of several; of walks, whose threads have one run and several; of the
/// ring for wide ones, of one tile, several, and of more than one batch.
scan::extents held_shape(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  switch (random() % 8) {
    case 0:
      return {100 + below(100), 66 + below(60), 3 + below(6)};
    case 1:
      return {1 + below(4), 66 + below(400), 16 + below(16)};
    case 2:
      return {1, 600 + below(900), 17 + below(15)};
    case 3:
      return {1 + below(2), 100 + below(150), 65 + below(60)};
    case 4:
      return {1, 260 + below(900), 65 + below(10)};
    case 5:
      return {1, 64 + below(190), 512 + 8 * below(4)};
    case 6:
      return {1, 500 + below(700), 64};
    default:
      return {1, 400 + below(300), 41 + below(22)};
  }
}
tests::placed_case held_case(std::mt19937_64& random, bool recurrence) {
  auto c = tests::tensor_variant(held_shape(random), random(), recurrence, true);
  tests::place(c, random());
  return c;
}

TEST_CASE("emulated columns held in registers") {
  seen = {};
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    now.seed = seed, now.device = seed % 4 == 0 ? large_old_device : large_device;
    std::mt19937_64 random(seed * 77 + 5);
    check_scan<float>(held_case(random, false), scan::plus{}, random);
    check_scan<float>(held_case(random, false), scan::maximum{}, random);
    check_recurrence<float>(held_case(random, true), random);
  }
  CHECK(seen.kernels["held_column_kernel"] > 130);  // of 144
}
TEST_CASE("emulated columns held in registers, of 16 bits in tiles") {
  seen = {};
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    now.seed = seed, now.device = seed % 4 == 0 ? large_old_device : large_device;
    std::mt19937_64 random(seed * 79 + 3);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    const scan::extents shape = seed % 2 == 0
                                    ? scan::extents{1 + below(2), 900 + below(700), 16 + below(8)}
                                    : scan::extents{1 + below(4), 130 + below(32), 16};
    auto c = tests::tensor_variant(shape, random(), false, true);
    tests::place(c, random());
    check_scan<std::int16_t>(c, scan::plus{}, random);
  }
  CHECK(seen.kernels["held_column_kernel"] > 40);  // of 48
}

/// By this kernel alone, against the formulas of the order, with every option; on a GPU with rings
/// and on one without, or on one of them.
template <class Kind>
void check_held(const scan::extents& shape,
                const std::vector<int>& devices = {large_device, large_old_device}) {
  for (const int device : devices) {
    for (int bits = 0; bits < 4; ++bits) {
      seen = {}, now.device = device, now.seed = static_cast<std::uint64_t>(bits);
      tests::tensor_case c;
      c.shape = shape;
      c.exclusive = !Kind::recurrence && (bits & 1) != 0;
      c.with_total = Kind::recurrence && (bits & 1) != 0;  // with factors of 0
      c.reverse = (bits & 2) != 0;
      c.init = bits == 3 ? tests::sequence_init::by_pointer : tests::sequence_init::none;
      tests::check_order<Kind>(c);
      INFO(Kind::name(), " ", c.describe(), " device ", device);
      CHECK(seen.kernels["held_column_kernel"] == 1);
      CHECK(seen.kernels.size() == 1);
    }
  }
}
TEST_CASE("columns held in registers have the order of those that are not") {
  const std::vector<scan::extents> shapes = {
      {3, 130, 9, 0, 0},                         // a tile
      {1, 1100, 20, 0, 0}, {2, 700, 31, 0, 0},   // several
      {1, 101, 65, 0, 0},  {1, 513, 65, 0, 0},   // walks: a tile; several runs a thread
      {1, 2200, 65, 0, 0},                       // more than a batch
      {1, 256, 136, 0, 0}, {1, 700, 72, 0, 0},   // wide ones: a tile; several
      {1, 2300, 64, 0, 0}, {1, 500, 49, 0, 0}};  // more than a batch; rows that begin anywhere
  for (const scan::extents& shape : shapes) {
    check_held<tests::sums<float, float>>(shape);
    if (shape.length < 1000 && shape.inner != 49) check_held<tests::recurrences<float>>(shape);
  }
  // Of 16 bits, whose runs are of up to 129 rows: a tile of two; several; more than a batch.
  using narrow_sums = tests::sums<__nv_bfloat16, __nv_bfloat16>;
  check_held<narrow_sums>({2, 150, 16, 0, 0});
  check_held<narrow_sums>({1, 1500, 20, 0, 0});
  check_held<narrow_sums>({2, 3300, 7, 0, 0});
  check_held<narrow_sums>({1, 4300, 64, 0, 0}, {large_old_device});
  // In the ring, by lines of 256 bytes from 128 columns on.
  check_held<narrow_sums>({1, 600, 144, 0, 0});
  check_held<narrow_sums>({1, 700, 112, 0, 0});
}

// ---- The plan. ----

constexpr column_sizes floats{4, 4, 4, 1}, halves{2, 2, 4, 1}, steps{4, 4, 8, 2};

held_plan plan_of(const column_order& order, const column_sizes& sizes, std::int64_t outer,
                  std::int64_t length, std::int64_t inner, int sm_count = 132) {
  const scan::tensor_shape shape{outer, length, inner, length * inner, length * inner};
  const held_plan plan =
      hold_columns(order, sizes, shape, inner * sizes.widest() % 32 == 0, sm_count);
  if (plan.column_threads > 0) {  // whatever it is
    CHECK(plan.width * plan.column_threads <= held_threads);
    CHECK(plan.thread_runs * order.run_rows <= most_held_rows(sizes));
    CHECK(order.tile_runs % plan.thread_runs == 0);
  }
  return plan;
}
held_plan plan_of_walk(const column_sizes& sizes, std::int64_t outer, std::int64_t length,
                       std::int64_t inner, int sm_count = 132) {
  return plan_of(walk_order(sizes, sizes.inputs), sizes, outer, length, inner, sm_count);
}

TEST_CASE("the threads of a column that is held in registers") {
  CHECK(most_held_rows(floats) == 65);
  CHECK(most_held_rows(halves) == 129);
  CHECK(most_held_rows(steps) == 33);
  CHECK(are_paired(halves));
  CHECK(!are_paired({2, 4, 4, 1}));  // (33 rows)
  CHECK(!are_paired({1, 2, 4, 1}));
  CHECK(!are_paired({2, 2, 8, 2}));
  CHECK(plan_of_walk(floats, 1, 256, 65).column_threads == 32);
  CHECK(plan_of_walk(floats, 1, 256, 65).thread_runs == 1);
  CHECK(plan_of_walk(floats, 1, 257, 65).thread_runs == 2);
  CHECK(plan_of_walk(floats, 1, 2048, 65).thread_runs == 8);
  CHECK(plan_of_walk(floats, 1, 4096, 65).column_threads == 64);
  CHECK(plan_of_walk(floats, 1, 4097, 65).column_threads == 0);
  CHECK(plan_of_walk(steps, 1, 2048, 64).column_threads == 64);
  CHECK(plan_of_walk(steps, 1, 2049, 64).column_threads == 0);
  CHECK(plan_of_walk(floats, 1, 8, 65).column_threads == 0);  // (a lane's)
  // Of tiles, whose last group is shorter: 7 groups a tile, and 3 of the next one.
  const column_order tiles{column_carrier::tiles, 60, 7, 400, 16, true};
  CHECK(plan_of(tiles, floats, 1, 400 + 180, 16).column_threads == 10);
  CHECK(plan_of(tiles, floats, 1, 400 + 181, 16).column_threads == 11);
  // Of few runs a tile, of which a thread may not have one of the next tile.
  const column_order short_tiles{column_carrier::walks, 8, 2, 16, 64, false};
  CHECK(plan_of(short_tiles, floats, 1, 1024, 65).thread_runs == 2);
  const column_order long_runs{column_carrier::tiles, 66, 7, 400, 16, true};
  CHECK(plan_of(long_runs, floats, 1, 400, 16).column_threads == 0);
  // Of 16 bits several runs as of others; and one of more rows, where a tile is not all there is.
  CHECK(plan_of_walk(halves, 1, 1024, 65).thread_runs == 2);
  CHECK(plan_of_walk(halves, 1, 2049, 65).thread_runs == 4);
  const column_order tile{column_carrier::tiles, 129, 8, 1032, 16, true};
  CHECK(plan_of(tile, halves, 1, 2064, 16).column_threads == 16);
  CHECK(plan_of(tile, halves, 1, 1033, 16).column_threads == 9);
  CHECK(plan_of(tile, halves, 1, 1032, 16).column_threads == 0);
  const column_order lone{column_carrier::tiles, 81, 2, 162, 16, true};
  CHECK(plan_of(lone, halves, 1, 162, 16).column_threads == 2);
}
TEST_CASE("which columns are held in registers") {
  // Of sums that are walked 7 of 4 MiB, on as many multiprocessors as have been measured.
  CHECK(plan_of_walk(floats, 70, 100, 65).column_threads == 13);
  CHECK(plan_of_walk(floats, 71, 100, 65).column_threads == 0);
  CHECK(plan_of_walk(floats, 141, 100, 65, 264).column_threads == 13);
  CHECK(plan_of_walk(floats, 1, 100, 65, 1).column_threads == 0);
  // Of 16 bits, in tiles, fewer bytes the less they lie in sectors.
  const column_order tile_of_halves{column_carrier::tiles, 129, 8, 1032, 16, true};
  CHECK(plan_of(tile_of_halves, halves, 63, 2064, 16).column_threads == 16);
  CHECK(plan_of(tile_of_halves, halves, 64, 2064, 16).column_threads == 0);
  CHECK(plan_of(tile_of_halves, halves, 16, 2064, 15).column_threads == 16);
  CHECK(plan_of(tile_of_halves, halves, 17, 2064, 15).column_threads == 0);
  CHECK(plan_of(tile_of_halves, halves, 63, 2064, 32).column_threads == 16);
  CHECK(plan_of(tile_of_halves, halves, 64, 2064, 32).column_threads == 0);
  // More columns than are numbered, of a tile that is held whatever its bytes.
  const column_order small{column_carrier::tiles, 33, 2, 66, 16, true};
  CHECK(plan_of(small, floats, (1 << 27) - 1, 66, 16).column_threads == 2);
  CHECK(plan_of(small, floats, 1 << 27, 66, 16).column_threads == 0);
  // Of values so wide that their folds do not fit.
  CHECK(plan_of(walk_order({4, 4, 16, 1}, 1), {4, 4, 16, 1}, 1, 256, 65).column_threads == 32);
  CHECK(plan_of(walk_order({4, 4, 16, 1}, 1), {4, 4, 16, 1}, 1, 4000, 65).column_threads == 0);
  // Of short rows whole slabs; of others some sectors.
  const column_order tile{column_carrier::tiles, 65, 2, 130, 16, true};
  CHECK(plan_of(tile, floats, 100, 130, 9).width == 9);
  CHECK(plan_of(tile, floats, 100, 130, 9, 4).width == 6 * 9);
  CHECK(plan_of(tile, floats, 200, 130, 9, 4).width == 7 * 9);
  CHECK(plan_of(tile, floats, 100, 130, 16).width == 64);
  CHECK(plan_of(tile, floats, 1000, 130, 63).width == 63);
  CHECK(plan_of_walk(floats, 1, 256, 72).width == 8);
  CHECK(plan_of_walk(floats, 12, 256, 72).width == 8);
  CHECK(plan_of_walk(floats, 30, 128, 72).width == 16);
}

}  // namespace
