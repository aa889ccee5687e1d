// Walks, and rounds, on the stand-in GPU: a sequence has the same bits wherever it lies, whatever
// is beside it and whether it is scanned in place.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <scan/scan.cuh>
#include <vector>

#include "src/device/tensor_states.hpp"
#include "tests/emulated/check_call.hpp"

namespace {

using namespace emulated;

/// Numbers whose sums are rounded.
template <class T>
std::vector<T> odd_numbers(std::int64_t n, std::mt19937_64& random) {
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& each : items) {
    each = T(static_cast<float>(static_cast<int>(random() % 2000001) - 1000000) * 1.2345e-3f);
  }
  return items;
}

/// One of `outer` sequences (or slabs of them), with gaps of so many elements between these, so far
/// off granules.
struct placement {
  std::int64_t outer, in_gap, out_gap, in_offset, out_offset;
};

/// What becomes of `slab`, between the others of its tensor.
template <class T>
std::vector<T> scanned(const std::vector<T>& slab, const scan::extents& of, const placement& at,
                       bool reverse, std::mt19937_64& random) {
  const auto items = static_cast<std::int64_t>(slab.size());
  const scan::extents shape{at.outer, of.length, of.inner, items + at.in_gap, items + at.out_gap};
  const std::int64_t nth = at.outer / 2;
  auto all = odd_numbers<T>((at.outer - 1) * shape.in_pitch + items, random);
  std::copy(slab.begin(), slab.end(), all.begin() + nth * shape.in_pitch);
  const array<T> in(all, at.in_offset, random_end(random));
  const array<T> out(std::vector<T>((at.outer - 1) * shape.out_pitch + items), at.out_offset,
                     random_end(random));
  scan::options<scan::state_t<T>> walked;
  walked.reverse = reverse;
  scan::options<T> opts;
  opts.algorithm = scan::algorithm::walk;
  opts.reverse = reverse;
  const scan::status status =
      of.inner == 1 ? scan::recurrence(scan::factor{0.98765f}, in.data(), out.data(), shape, walked)
                    : scan::inclusive(in.data(), out.data(), shape, scan::plus{}, opts);
  INFO(std::string(seen.failure));
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  const auto results = out.items();
  const auto first = results.begin() + nth * shape.out_pitch;
  return {first, first + items};
}

template <class T>
void check_bits(std::int64_t length, std::int64_t inner) {
  const scan::extents of{1, length, inner};
  for (const bool reverse : {false, true}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(length * 131 + inner));
    const auto slab = odd_numbers<T>(length * inner, random);
    const auto wanted = scanned(slab, of, {1, 0, 0, 0, 0}, reverse, random);
    for (int turn = 1; turn < 8; ++turn) {
      now.seed = static_cast<std::uint64_t>(turn);
      // (Of short rows so many that a block has several.)
      const bool are_many = inner == 1 && length < 400 && turn == 6;
      const placement at{are_many ? 70 : 1 + turn % 4, turn % 5, turn / 2 % 4,
                         static_cast<std::int64_t>(random() % 16),
                         static_cast<std::int64_t>(random() % 16)};
      CAPTURE(length);
      CAPTURE(inner);
      CAPTURE(turn);
      REQUIRE(are_same(scanned(slab, of, at, reverse, random), wanted));
    }
  }
}

template <class T>
void check_shapes() {
  for (const std::int64_t length : {16, 24, 130, 180, 300, 513, 770, 4096, 24001}) {
    check_bits<T>(length, 1);
  }
  for (const std::int64_t inner : {2, 12, 36, 64, 132}) {
    for (const std::int64_t length : {1, 9, 70}) check_bits<T>(length, inner);
  }
}

TEST_CASE("bits of walks: float") { check_shapes<float>(); }
TEST_CASE("bits of walks: half") { check_shapes<__half>(); }

TEST_CASE("bits of walks: columns of several groups") { check_bits<float>(20000, 2); }

/// A slab by itself, whose strips look back, and beside many that walk.
template <class T>
void check_carriers(std::int64_t length, std::int64_t inner) {
  const scan::extents of{1, length, inner};
  std::mt19937_64 random(7);
  const auto slab = odd_numbers<T>(length * inner, random);
  seen = {};
  const auto alone = scanned(slab, of, {1, 0, 0, 0, 0}, false, random);
  CHECK(seen.kernels["column_wave_kernel"] == 1);
  CHECK(are_same(scanned(slab, of, {40, 0, 3, 1, 2}, false, random), alone));
  CHECK(seen.kernels["column_walk_kernel"] == 1);
}
TEST_CASE("bits of walks: few strips and many") {
  check_carriers<float>(500, 65);
  check_carriers<double>(300, 65);
  check_carriers<__half>(600, 65);
}

TEST_CASE("a workspace for more slabs has room for what a wave of fewer publishes") {
  using namespace scan::device;
  for (const std::int64_t inner : {2, 12, 33, 65, 257, 4000}) {
    for (const std::int64_t length : {96, 200, 3000, 1000000}) {
      std::size_t most = 0;
      for (std::int64_t outer = 1; outer < 120; ++outer) {
        scan::tensor_shape shape;
        REQUIRE(scan::resolve({outer, length, inner}, false, 8, shape).ok());
        CAPTURE(outer);
        const auto add = [&](int bytes, int value_bytes, int num_inputs) {
          const auto plan = wave_columns(outer, length, inner, bytes, value_bytes, num_inputs);
          const int lines = wave_lane_lines(bytes, value_bytes, num_inputs);
          if (!is_column_wave(plan, inner, lines)) return;
          most = std::max(most, plan.states_bytes(value_bytes));
          CHECK(plan.states_bytes(value_bytes) <=
                walked_states_bytes(shape, bytes, value_bytes, num_inputs));
        };
        for (const int bytes : {2, 4, 8}) {
          add(bytes, 2 * std::max(bytes, 4), 2);
          for (const int value_bytes : {1, 4, 8}) add(bytes, value_bytes, 1);
        }
        CHECK(most <= most_tensor_states_bytes(shape, 8));
      }
    }
  }
}

TEST_CASE("a workspace for columns of one tile has no room for states") {
  for (const scan::extents& shape :
       {scan::extents{1, 1, 1 << 24}, scan::extents{1, 8, 1 << 24}, scan::extents{100000, 4, 33}}) {
    scan::tensor_shape resolved;
    REQUIRE(scan::resolve(shape, false, 4, resolved).ok());
    CHECK(scan::device::most_tensor_states_bytes(resolved, 4) == sizeof(scan::tile_states_header));
  }
}

TEST_CASE("a workspace for longer rows has room for what those of shorter ones publish") {
  using namespace scan::device;
  std::size_t before = 0;
  for (std::int64_t length = 1; length < 3000000; length += 1 + length / 9) {
    CAPTURE(length);
    scan::tensor_shape shape;
    REQUIRE(scan::resolve({7, length, 1}, false, 8, shape).ok());
    std::size_t most = 0;
    for (const int bytes : {1, 2, 4, 8}) {
      for (const int num_inputs : {1, 2, 3}) {
        if (bytes == 1 && num_inputs > 1)
          continue;  // (of bytes scans alone, whose values are narrower)
        const int value_bytes = std::max(bytes, 4) * (bytes == 1 ? 1 : 2);
        for (const bool has_ring : {false, true}) {
          const auto plan = plan_rounds(vectors_of(length, bytes), bytes, num_inputs, has_ring);
          const std::int64_t tiles = 7 * plan.tiles_per_row;
          if (tiles > 7) most = std::max(most, scan::tile_states_bytes(tiles, value_bytes));
        }
      }
    }
    const std::size_t room = most_tensor_states_bytes(shape, 8);
    CHECK(most <= room);
    CHECK(before <= room);
    before = room;
  }
}

}  // namespace
