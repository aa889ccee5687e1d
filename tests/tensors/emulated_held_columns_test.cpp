// Tiles of columns that threads hold in registers, on the stand-in GPU: compared with serial loops;
// the same bits as those of tiles in shared memory; and which are theirs.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cstdint>
#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/tensors/column_kinds.hpp"

namespace {

using namespace emulated;
using namespace scan::device;

/// Columns of one tile and several groups, of up to `group_rows` rows each, one slab or several,
/// that neither the rings take nor walks.
scan::extents held_shape(std::mt19937_64& random, int group_rows) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  if (random() % 3 == 0) {  // so narrow and many that tiles have several slabs, the last fewer
    return {100 + below(100), group_rows + 1 + below(group_rows), 3 + below(6)};
  }
  const std::int64_t inner = 16 + below(16), groups = 2 + below(128 / inner - 1);
  return {1 + below(4), (groups - 1) * group_rows + 1 + below(group_rows), inner};
}
tests::placed_case held_case(std::mt19937_64& random, int group_rows, bool recurrence) {
  auto c = tests::tensor_variant(held_shape(random, group_rows), random(), recurrence, true);
  tests::place(c, random());
  return c;
}

TEST_CASE("emulated columns held in registers") {
  draw(40, 3, {"held_column_kernel"}, [](std::mt19937_64& random) {
    check_scan<float>(held_case(random, 65, false), scan::plus{}, random);
    check_scan<std::int32_t>(held_case(random, 65, false), scan::maximum{}, random);
    check_scan<double>(held_case(random, 33, false), scan::plus{}, random);
    check_recurrence<float>(held_case(random, 33, true), random);
    check_recurrence<double>(held_case(random, 17, true), random);
  });
  CHECK(seen.kernels.size() == 1);
}

/// One call by registers and by shared memory.
template <class T, class Describe>
void check_memories(const scan::extents& shape, const std::vector<T>& items, Describe describe,
                    std::mt19937_64& random) {
  scan::tensor_shape resolved{};
  REQUIRE(scan::resolve(shape, 0, sizeof(T), resolved).ok());
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  const array<T> in(items, 4, random_end(random));
  const array<T> out[] = {array<T>(items, 4, random_end(random)),
                          array<T>(items, 4, random_end(random))};
  for (const bool held : {false, true}) {
    const auto described = describe(in.data(), out[held].data(), resolved);
    using tensor = std::decay_t<decltype(described.forwards())>;
    constexpr bool backwards = std::decay_t<decltype(described)>::reversed;
    const column_cut<tensor> given(described.forwards(), limits.sm_count, false, backwards);
    REQUIRE(
        tests::launch_chosen(described, scan::options<scan::state_t<T>>{}, limits, [&](auto& to) {
          return held ? choose_held_columns(to, given) : choose_column_tiles(to, given, limits);
        }).ok());
  }
  CHECK(are_same(out[0].items(), out[1].items()));
}
template <class T, bool reversed>
void check_memories(std::mt19937_64& random) {
  const scan::extents shape = held_shape(random, 17);  // (of recurrences of double)
  check_kinds<T, reversed>(shape, random, [&](const auto& items, auto describe) {
    check_memories(shape, items, describe, random);
  });
}
TEST_CASE("emulated columns have the same bits in registers and in shared memory") {
  draw(8, 0, {"held_column_kernel", "column_kernel"}, [](std::mt19937_64& random) {
    check_memories<float, false>(random);
    check_memories<double, true>(random);
  });
}

TEST_CASE("which columns are held in registers") {
  constexpr column_sizes floats{4, 4, 4, 1}, halves{2, 2, 4, 1}, steps{4, 4, 8, 2};
  CHECK(can_hold_columns(column_tuning_for(floats), floats));
  CHECK(can_hold_columns(column_tuning_for(steps), steps));
  CHECK(!can_hold_columns(column_tuning_for(halves), halves));
  const auto held = [&](std::int64_t outer, std::int64_t length, std::int64_t inner) {
    return are_held(cut_columns(column_tuning_for(floats), outer, length, inner), 4 * inner,
                    4 * inner * outer * length);
  };
  // Several groups, of one tile.
  CHECK(!held(1, 65, 64));
  CHECK(held(1, 66, 64));
  CHECK(held(1, 260, 256));
  CHECK(!held(1, 261, 256));
  CHECK(held(1, 520, 16));
  CHECK(!held(1, 521, 16));
  // Short rows, of few bytes.
  CHECK(held(1 << 12, 66, 16));
  CHECK(held(264, 66, 15));
  CHECK(!held(265, 66, 15));
}

}  // namespace
