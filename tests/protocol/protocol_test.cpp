// Tile states and look-back, driven by threads with made-up aggregates: no loading, no scanning.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"
#include "tests/support/interval.hpp"

namespace {

using tests::concatenate;
using tests::interval;

/// Memory for states, zeroed once as a workspace's is.
class memory {
 public:
  template <class T>
  static memory for_tiles(std::int64_t num_tiles) {
    return memory(scan::tile_states<T>::required_bytes(num_tiles));
  }
  /// For a worker, who enters with its ticket.
  template <class T>
  scan::tile_states<T> attach() {
    return scan::tile_states<T>(words_.data(), words_.size() * sizeof(std::uint64_t));
  }
  /// As one who has entered the scan that is to start; while nobody claims.
  template <class T>
  scan::tile_states<T> open() {
    auto states = attach<T>();
    states.enter(epoch() + 1);
    return states;
  }
  /// Completed scans; a scan that is under way may have been counted.
  std::uint32_t epoch() { return static_cast<std::uint32_t>(header().tickets >> 32); }
  void set_epoch(std::uint32_t epoch) { header().tickets = std::uint64_t{epoch} << 32; }
  scan::tile_states_header& header() {
    return *reinterpret_cast<scan::tile_states_header*>(words_.data());
  }

 private:
  explicit memory(std::size_t num_bytes) : words_((num_bytes + 7) / 8) {}
  std::vector<std::uint64_t> words_;
};

/// One thread that looks back alone.
struct lone_lane {
  static constexpr int count = 1;
  static constexpr int batches_at_once = 2;
  int index() const { return 0; }
  bool looks(int) const { return true; }
  template <class T, class Op>
  T fold(const T& value, int, Op) const {
    return value;
  }
  bool all(bool ready) const { return ready; }
  void back_off(int) const { std::this_thread::yield(); }
};

/// Threads that look back together, as a thread block does.
template <class T, int num_lanes>
struct lane_group {
  struct shared {
    std::array<T, num_lanes> values;
    std::barrier<> barrier{num_lanes};
  };
  static constexpr int count = num_lanes;
  static constexpr int batches_at_once = 2;
  shared* group;
  int lane;

  int index() const { return lane; }
  bool looks(int) const { return true; }
  template <class Op>
  T fold(const T& value, int num_valid, Op op) const {
    group->values[static_cast<std::size_t>(lane)] = value;
    group->barrier.arrive_and_wait();
    T result = group->values[0];
    for (int i = 1; i < num_valid; ++i)
      result = op(result, group->values[static_cast<std::size_t>(i)]);
    group->barrier.arrive_and_wait();
    return result;
  }
  bool all(bool ready) const { return ready; }
  void back_off(int) const { std::this_thread::yield(); }
};

interval segment(std::int64_t tile) { return {tile, tile + 1}; }

/// What a worker does in between, to meet the others in odd orders.
void dawdle(std::minstd_rand& random) {
  for (unsigned i = random() % 4; i > 0; --i) std::this_thread::yield();
}

/// One scan of `num_tiles` segments by `num_workers` threads behind a start barrier; the number of
/// wrong prefixes.
int scan_segments(memory& states_memory, std::int64_t num_tiles, int num_workers, unsigned seed) {
  std::vector<int> wrong(static_cast<std::size_t>(num_workers), 0);
  std::barrier start(num_workers);
  {
    std::vector<std::jthread> workers;
    for (int w = 0; w < num_workers; ++w) {
      workers.emplace_back([&, w] {
        std::minstd_rand random(seed + static_cast<unsigned>(w));
        start.arrive_and_wait();
        auto states = states_memory.attach<interval>();
        lone_lane lane;
        scan::running_prefix<interval, concatenate, lone_lane> earlier({{-5, 0}, true}, {});
        const std::int64_t num_draws = num_tiles + num_workers;
        scan::ticket drawn = states.claim(num_draws);
        states.enter(drawn.epoch);
        for (; drawn.tile < num_tiles; drawn = states.claim(num_draws)) {
          const std::int64_t tile = drawn.tile;
          dawdle(random);
          states.publish(tile, segment(tile));
          dawdle(random);
          const auto prefix = earlier.exclusive_prefix(states, lane, tile);
          if (!prefix.exists || !(prefix.value == interval{-5, tile})) {
            ++wrong[static_cast<std::size_t>(w)];
          }
        }
        states.retire(static_cast<std::uint32_t>(num_workers));
      });
    }
  }
  return std::accumulate(wrong.begin(), wrong.end(), 0);
}

}  // namespace

TEST_SUITE("protocol") {
  TEST_CASE("tickets are handed out in order, and a fresh tile is empty") {
    auto states_memory = memory::for_tiles<interval>(3);
    auto states = states_memory.open<interval>();
    for (std::int64_t i = 0; i < 5; ++i) {
      const scan::ticket drawn = states.claim(5);
      CHECK(drawn.tile == i);
      CHECK(drawn.epoch == 1);
    }
    // That was the last of 5: the next one is of the next scan.
    CHECK(states.claim(5).epoch == 2);
    states.enter(1);
    CHECK_FALSE(states.observe(1).ready);
    states.publish(1, {4, 9});
    CHECK(states.observe(1).ready);
    CHECK(states.observe(1).value == interval{4, 9});
    CHECK_FALSE(states.observe(0).ready);
    CHECK_FALSE(states.observe(2).ready);
  }

  TEST_CASE("an aggregate of several words is ready only when all of them are") {
    auto states_memory = memory::for_tiles<interval>(1);
    auto states = states_memory.open<interval>();
    states.publish(0, {4, 9});
    auto* words = reinterpret_cast<std::uint64_t*>(&states_memory.header() + 1);
    for (int i = 0; i < scan::tile_states<interval>::words_per_tile; ++i) {
      const std::uint64_t whole = words[i];
      words[i] = 0;
      CHECK_FALSE(states.observe(0).ready);
      words[i] = whole;
    }
    CHECK(states.observe(0).ready);
  }

  TEST_CASE("the prefix is absent for the first tile without init") {
    auto states_memory = memory::for_tiles<interval>(1);
    auto states = states_memory.open<interval>();
    lone_lane lane;
    scan::running_prefix<interval, concatenate, lone_lane> earlier({{}, false}, {});
    CHECK_FALSE(earlier.exclusive_prefix(states, lane, 0).exists);
  }

  TEST_CASE("aggregates that arrive in any order fold in theirs; a worker may skip tiles") {
    std::minstd_rand random(5);
    for (int round = 0; round < 50; ++round) {
      const std::int64_t num_tiles = 1 + static_cast<std::int64_t>(random() % 200);
      auto states_memory = memory::for_tiles<interval>(num_tiles);
      std::vector<std::int64_t> order(static_cast<std::size_t>(num_tiles));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      std::jthread publisher([&] {
        auto states = states_memory.open<interval>();
        for (const std::int64_t tile : order) states.publish(tile, segment(tile));
      });
      auto states = states_memory.open<interval>();
      lone_lane lane;
      scan::running_prefix<interval, concatenate, lone_lane> earlier({{}, false}, {});
      for (std::int64_t tile = 0; tile < num_tiles; tile += 1 + random() % 9) {
        const auto prefix = earlier.exclusive_prefix(states, lane, tile);
        CHECK(prefix.exists == (tile > 0));
        if (tile > 0) CHECK(prefix.value == interval{0, tile});
      }
    }
  }

  TEST_CASE("lanes that look back together agree, at full and at partial batches") {
    constexpr int num_lanes = 4;
    constexpr std::int64_t num_tiles = 61;
    using group = lane_group<interval, num_lanes>;
    auto states_memory = memory::for_tiles<interval>(num_tiles);
    group::shared shared;
    std::array<int, num_lanes> wrong{};
    {
      std::vector<std::jthread> lanes;
      for (int lane = 0; lane < num_lanes; ++lane) {
        lanes.emplace_back([&, lane] {
          auto states = states_memory.open<interval>();
          group me{&shared, lane};
          scan::running_prefix<interval, concatenate, group> earlier({{}, false}, {});
          for (const std::int64_t tile : {0, 1, 3, 4, 5, 8, 11, 12, 13, 29, 60}) {
            const auto prefix = earlier.exclusive_prefix(states, me, tile);
            const bool right = prefix.exists ? prefix.value == interval{0, tile} : tile == 0;
            wrong[static_cast<std::size_t>(lane)] += !right;
          }
        });
      }
      auto states = states_memory.open<interval>();
      for (std::int64_t tile = num_tiles; tile-- > 0;) states.publish(tile, segment(tile));
    }
    CHECK(wrong == std::array<int, num_lanes>{});
  }

  TEST_CASE("thousands of tiles, many workers, one memory for many scans of all sizes") {
    auto states_memory = memory::for_tiles<interval>(4000);
    unsigned seed = 1;
    for (const std::int64_t num_tiles : {4000, 1, 3000, 2, 17, 4000, 5, 999}) {
      for (const int num_workers : {2, 5}) {
        INFO("tiles=", num_tiles, " workers=", num_workers);
        REQUIRE(scan_segments(states_memory, num_tiles, num_workers, seed += 100) == 0);
        REQUIRE(static_cast<std::uint32_t>(states_memory.header().tickets) == 0);
        REQUIRE(states_memory.header().retired == 0);
      }
    }
    CHECK(states_memory.epoch() == 16);
  }

  TEST_CASE("nothing of a larger scan long ago looks valid when the epochs start over") {
    constexpr std::int64_t large = 300, small = 3;
    auto states_memory = memory::for_tiles<interval>(large);
    // The first epochs leave words 1..4 in the high tiles; then 2^32 - 6 scans are skipped.
    for (unsigned i = 0; i < 4; ++i) REQUIRE(scan_segments(states_memory, large, 2, i) == 0);
    states_memory.set_epoch(scan::tile_states<interval>::last_epoch - 2);
    for (unsigned i = 0; i < 2; ++i) REQUIRE(scan_segments(states_memory, small, 2, i) == 0);
    CHECK(states_memory.epoch() == 0);
    for (unsigned i = 0; i < 4; ++i) {
      auto states = states_memory.open<interval>();
      for (std::int64_t tile = 0; tile < large; ++tile) REQUIRE_FALSE(states.observe(tile).ready);
      REQUIRE(scan_segments(states_memory, i % 2 == 0 ? small : large, 2, i) == 0);
    }
    CHECK(states_memory.epoch() == 4);
  }

  TEST_CASE("one memory serves elements of any width in turn") {
    auto states_memory = memory::for_tiles<interval>(64);
    for (int round = 0; round < 3; ++round) {
      auto narrow = states_memory.open<float>();
      CHECK_FALSE(narrow.observe(7).ready);
      narrow.publish(7, 2.5f);
      CHECK(narrow.observe(7).value == 2.5f);
      narrow.claim(1);
      auto wide = states_memory.open<std::array<char, 13>>();
      CHECK_FALSE(wide.observe(1).ready);
      wide.publish(1, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
      CHECK(wide.observe(1).value[12] == 13);
      wide.claim(1);
    }
  }
}
