// What ranks make of each other's messages about a tensor in slices, on the host; and how much
// memory these take, and in which tiles slices are folded.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "scan/call/slice_call.hpp"
#include "scan/device/plan/column_walk_plan.hpp"
#include "scan/device/slice/slice_message.hpp"
#include "tests/support/interval.hpp"

namespace {

using scan::device::lone_lane;
using scan::device::slice_header;
using tests::interval;
using sequence = scan::device::slice_tensor_sequence<interval>;

constexpr std::int64_t batch_items = 7, most_batches = 20;

/// The numbers from 100,000 times the sequence's on.
struct told {
  told(int ranks, std::int64_t sequences, bool reversed, int inits, std::uint64_t seed)
      : all{nullptr, (64 + 16 * sequences * (most_batches + 1) + 63) / 64 * 64, ranks},
        memory(static_cast<std::size_t>(all.message_bytes * ranks / 8 + 8)),
        random(seed) {
    all.memory = reinterpret_cast<unsigned char*>(memory.data());
    const sequence slices{all, reversed, batch_items, sequences};
    std::int64_t at = 0;
    for (int place = 0; place < ranks; ++place) {
      const auto batches = static_cast<std::int64_t>(random() % 3 * (random() % most_batches) / 2);
      const auto message = slices.at(place);
      const std::int64_t left = batches > 0 ? static_cast<std::int64_t>(random() % 7) : 0;
      message.header() = {1, batches * batch_items - left, 0, 0};
      first.push_back(at);
      if (batches > 0) last = slices.rank_at(place);
      for (std::int64_t batch = 0; batch < batches; ++batch, ++at) {
        for (std::int64_t i = 0; i < sequences; ++i) {
          const std::int64_t from = i * 100'000 + at;
          message.folds()[batch * sequences + i] = {from, from + 1};
        }
      }
    }
    const sequence::message zero{all.message(0), sequences};
    zero.header().has_init = inits;
    for (std::int64_t i = 0; i < (inits == scan::device::init_each ? sequences : inits); ++i) {
      zero.inits()[i] = {i * 100'000 - 3, i * 100'000};
    }
  }
  scan::device::gathered all;
  std::vector<std::uint64_t> memory;
  std::mt19937_64 random;
  std::vector<std::int64_t> first;  // by place
  int last = 0;
};

}  // namespace

TEST_CASE("what is scanned as slices of longer columns is longer than what walks") {
  using namespace scan::device;
  for (const int bytes : {2, 4, 8}) {
    for (const int value_bytes : {4, 8, 16}) {
      for (std::int64_t inner = 64; inner < 300; ++inner) {
        const std::int64_t rows = column_tile_rows({bytes, bytes, value_bytes, 1}, inner);
        CHECK(!walks_sums(rows * column_span_tiles, inner, bytes, bytes, value_bytes));
      }
    }
  }
}

TEST_CASE("what precedes the slices of each sequence is all of it, in order") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const bool reversed = seed % 2 == 1;
    const int inits = static_cast<int>(seed % 3), ranks = 1 + static_cast<int>(seed % 9);
    // (One init for all is right for one alone of these sequences.)
    const std::int64_t sequences = inits == scan::device::one_init ? 1 : 1 + seed % 5;
    const told these(ranks, sequences, reversed, inits, seed);
    const sequence slices{these.all, reversed, batch_items, sequences};
    CHECK(slices.last_rank() == these.last);
    for (int place = 0; place < ranks; ++place) {
      for (std::int64_t i = 0; i < sequences; ++i) {
        const auto before = slices.before(place, i, tests::concatenate{}, lone_lane{});
        const std::int64_t begin = i * 100'000,
                           end = begin + these.first[static_cast<std::size_t>(place)];
        const interval wanted{inits > 0 ? begin - 3 : begin, end};
        REQUIRE(before.exists == (wanted.begin < wanted.end));
        if (before.exists) CHECK(before.value == wanted);
      }
    }
  }
}

TEST_CASE("one init is every sequence's") {
  const told these(2, 4, false, scan::device::one_init, 1);
  const sequence slices{these.all, false, batch_items, 4};
  for (std::int64_t i = 0; i < 4; ++i) CHECK(slices.start(i).value == interval{-3, 0});
}

TEST_CASE("tiles of columns in slices are those of one GPU's long sequences") {
  using scan::device::cut_columns;
  using scan::device::cut_long_columns;
  for (const scan::device::column_sizes sizes :
       {scan::device::column_sizes{4, 4, 4, 1}, {1, 4, 4, 1}, {2, 2, 4, 1}, {8, 16, 16, 1}}) {
    const auto shape = scan::device::column_tuning_for(sizes);
    for (std::int64_t inner = 2; inner < 400; ++inner) {
      const int rows = scan::device::column_tile_rows(sizes, inner);
      const std::int64_t batch = std::int64_t{rows} * scan::device::column_span_tiles;
      const auto one = cut_columns(shape, 1, 5 * batch, inner);
      const auto slice = cut_long_columns(shape, 1, 2 * batch, inner);
      REQUIRE(slice.tile_rows == rows);
      CHECK(slice.tiles == 2 * scan::device::column_span_tiles);
      CHECK(one.tile_rows == rows);
      CHECK(one.group_rows == slice.group_rows);
      CHECK(one.width == slice.width);
    }
  }
}

TEST_CASE("there is room for what slices up to the largest take") {
  using in = scan::transform_input<float>;
  using out = scan::transform_output<double>;
  for (const std::int64_t inner : {1, 2, 5, 64, 1000}) {
    const scan::tensor_shape largest{3, 100'000, inner};
    const auto most = scan::device::most_tensor_bytes(largest, 8);
    for (const bool ring : {false, true}) {
      for (std::int64_t length : {0, 1, 4096, 99'999, 100'000, 100'001}) {
        const auto wanted = scan::device::tensor_bytes_of(
            {3, length, inner}, scan::device::slice_share_items<in, out>(ring, inner),
            scan::device::slice_batch_items<in, out>(ring, inner), 8, 16, 8);
        CHECK((most.has_room_for(wanted) || length > largest.length));
      }
    }
    const auto twice =
        scan::device::tensor_bytes_of({6, 100'000, inner}, 1000, 1'000'000, 8, 16, 8);
    CHECK(!most.has_room_for(twice));
  }
}
