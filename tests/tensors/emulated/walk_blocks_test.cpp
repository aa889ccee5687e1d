// Blocks that walk down columns, on the stand-in GPU: whatever part of a tile they have at a time,
// the bits are those of blocks that have all of it; and which blocks a shape has.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <scan/scan.cuh>
#include <type_traits>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/tensors/column_kinds.hpp"

namespace {

using namespace emulated;
using namespace scan::device;

/// `described` as `Columns` has it, with such blocks.
template <class Columns, class Described>
void walk(const Described& described, const walk_blocks& blocks) {
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  const scan::options<typename Described::T> opts;
  REQUIRE(
      tests::launch_chosen(described, opts, limits, [&](auto& to) -> scan::status {
        const Columns cut(described.forwards(), Described::reversed, blocks);
        to.template set<column_walk_kernel<Columns>>({cut.num_strips(), cut.num_threads()}, cut);
        return {};
      }).ok());
}
/// Blocks that there are, of lanes with so many columns, beside those of whole tiles.
template <int lane_columns, class T, class Describe>
void check_blocks(const std::vector<T>& items, const array<T>& in, const std::vector<T>& expected,
                  Describe describe, std::mt19937_64& random) {
  for (const walk_blocks& blocks : blocks_that_walk) {
    array<T> out(items, 0, random_end(random));
    const auto described = describe(in.data(), out.data());
    using columns = walked_columns<std::decay_t<decltype(described.forwards())>, lane_columns>;
    if (blocks.beside * lane_columns > columns::most_columns) continue;
    walk<columns>(described, blocks);
    CAPTURE(blocks.beside);
    CAPTURE(blocks.groups);
    CAPTURE(lane_columns);
    CHECK(are_same(out.items(), expected));
  }
}
template <class T, bool reversed>
void check_blocks(std::mt19937_64& random) {
  const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
  // (Of up to 32 a group has several runs.)
  const std::int64_t inner = random() % 3 == 0 ? 1 + up_to(32) : 32 + up_to(300);
  const scan::extents shape{up_to(2), up_to(random() % 2 == 0 ? 90 : 900), inner};
  scan::tensor_shape resolved{};
  REQUIRE(scan::resolve(shape, 0, sizeof(T), resolved).ok());
  check_kinds<T, reversed>(shape, random, [&](const auto& items, auto describe_in) {
    const auto describe = [&](const T* in, T* out) { return describe_in(in, out, resolved); };
    const array<T> in(items, 0, random_end(random)), out(items, 0, random_end(random));
    const auto described = describe(in.data(), out.data());
    using tensor = std::decay_t<decltype(described.forwards())>;
    using of_tiles = column_walk_cut<tensor, 1>;
    static_assert(!of_tiles::in_steps);
    walk<of_tiles>(described, {32, of_tiles::most_warps});
    check_blocks<1>(items, in, out.items(), describe, random);
    constexpr int wide = walk_lane_columns(sizeof(T));
    if constexpr (wide > 1) {
      if (walked_columns<tensor, wide>::fits(described.forwards())) {
        check_blocks<wide>(items, in, out.items(), describe, random);
      }
    }
  });
}
TEST_CASE("emulated walked columns have the same bits by blocks of any size") {
  draw(8, 0, {"column_walk_kernel"}, [](std::mt19937_64& random) {
    check_blocks<float, false>(random);
    check_blocks<__nv_bfloat16, true>(random);
    check_blocks<double, false>(random);
  });
  CHECK(seen.kernels.size() == 1);
}

/// A sum, and whether it is one: all else that reaches the operator is strange.
struct marked {
  std::uint32_t sum, mark;
};
marked marked_of(std::uint32_t sum) { return {sum, ~sum}; }
std::int64_t num_strange = 0;  // (of one thread of the system at a time)
struct add_marked {
  marked operator()(const marked& a, const marked& b) const {
    num_strange += (a.mark != ~a.sum) + (b.mark != ~b.sum);
    return marked_of(a.sum + b.sum);
  }
};
/// Of threads that have no column some have lanes of a warp, and lines of shared memory. (Whether
/// anything precedes them is garbage, which unoptimised code may take for no as well as for yes.)
TEST_CASE("emulated walked columns: nothing else reaches the operator") {
  draw(6, 0, {"column_walk_kernel"}, [](std::mt19937_64& random) {
    const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
    const std::int64_t inner = now.seed % 2 == 0 ? 16 + up_to(15) : 64 + up_to(60);
    const scan::extents shape{2, 100 + up_to(200), inner};
    scan::tensor_shape resolved{};
    REQUIRE(scan::resolve(shape, 0, sizeof(marked), resolved).ok());
    const std::int64_t n = 2 * shape.length * inner;
    std::vector<marked> items, wanted;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool begins = i / inner % shape.length == 0;
      items.push_back(marked_of(static_cast<std::uint32_t>(random())));
      const std::uint32_t before = begins ? 7 : wanted[static_cast<std::size_t>(i - inner)].sum;
      wanted.push_back(marked_of(before + items.back().sum));
    }
    const array<marked> in(items, 0, random_end(random));
    scan::options<marked> opts;
    opts.init = marked_of(7);
    for (const walk_blocks& blocks : blocks_that_walk) {
      array<marked> out(items, 0, random_end(random));
      const auto described = describe_parts<false>(
          false, scan::transform_input<marked>{in.data(), {}},
          scan::transform_output<marked>{out.data(), {}}, resolved, add_marked{}, opts, nullptr);
      using columns = walked_columns<std::decay_t<decltype(described.forwards())>, 1>;
      num_strange = 0;
      walk<columns>(described, blocks);
      CAPTURE(blocks.beside);
      CAPTURE(blocks.groups);
      CHECK(are_same(out.items(), wanted));
      CHECK(num_strange == 0);
    }
  });
}

/// The blocks of columns of `bytes` bytes, whose values have `value_bytes`; on an H200.
walk_blocks blocks_of(const scan::extents& of, int bytes, int value_bytes, int num_inputs,
                      int lane_columns = 1, int sms = 132) {
  scan::tensor_shape shape{};
  shape.outer = of.outer, shape.length = of.length, shape.inner = of.inner;
  const int threads = walk_threads_per_sm(std::max(num_inputs, 2), lane_columns * value_bytes);
  return plan_walk_blocks(shape, bytes, value_bytes, walk_run_rows(bytes, std::min(num_inputs, 2)),
                          lane_columns, threads, sms);
}
bool are(const walk_blocks& blocks, int beside, int groups) {
  return blocks.beside == beside && blocks.groups == groups;
}
TEST_CASE("which blocks walk") {
  // Many columns: parts of tiles, of wide rows. Fewer: more of a tile, of narrow ones.
  CHECK(are(blocks_of({2352, 200, 68}, 4, 4, 1), 128, 2));
  CHECK(are(blocks_of({415, 1000, 77}, 4, 4, 1), 64, 8));
  CHECK(are(blocks_of({40, 4096, 96}, 4, 4, 1), 32, 16));
  CHECK(are(blocks_of({122, 256, 1024}, 4, 8, 2), 128, 2));
  // Not of less than four warps, if they go on.
  CHECK(are(blocks_of({1199, 308, 72}, 2, 8, 2, 2), 128, 4));
  // No more rows than there are; of three arrays, whose threads take more registers, many small
  // blocks of one step rather than two large ones, but where all are there at once.
  CHECK(are(blocks_of({1, 24, 4096}, 4, 8, 2), 128, 4));
  CHECK(are(blocks_of({83, 37, 227}, 4, 8, 2), 64, 8));
  CHECK(are(blocks_of({6095, 35, 300}, 2, 8, 3, 2), 32, 8));
  CHECK(are(blocks_of({1, 55, 1657}, 4, 8, 3), 64, 8));
  // Of wide values a tile has two groups, of a warp each.
  CHECK(are(blocks_of({300, 1000, 500}, 64, 64, 1), 32, 2));
}
TEST_CASE("blocks that walk have room, and a part of a tile") {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (const int value_bytes : {1, 2, 4, 8, 12, 16, 24, 64}) {
    for (const int lane_columns : {1, 2}) {
      for (const std::int64_t inner : {2, 7, 16, 31, 32, 33, 64, 65, 100, 129, 300, 5000}) {
        if (lane_columns > 1 && inner <= 32) continue;
        for (const std::int64_t length : {std::int64_t{1}, std::int64_t{8}, std::int64_t{9},
                                          std::int64_t{40}, std::int64_t{129}, most}) {
          for (const std::int64_t outer : {std::int64_t{1}, std::int64_t{30}, most}) {
            for (const int sms : {1, 132}) {
              const walk_blocks blocks =
                  blocks_of({outer, length, inner}, value_bytes, value_bytes, 1, lane_columns, sms);
              const int groups = most_column_warps(value_bytes);
              const walk_strips strips =
                  walk_strips_of(inner, value_bytes, lane_columns, blocks.beside);
              CAPTURE(value_bytes);
              CAPTURE(inner);
              CHECK(blocks.beside <= most_walk_width(value_bytes));
              CHECK(groups % blocks.groups == 0);
              CHECK(group_threads_of(strips, lane_columns) * blocks.groups <= 32 * groups);
            }
          }
        }
      }
    }
  }
}

}  // namespace
