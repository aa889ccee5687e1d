// Tile states and look-back, step by step: what no meeting of threads shows reliably.
#include "scan/protocol/tile_states.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "scan/protocol/running_prefix.hpp"
#include "tests/support/interval.hpp"

namespace {

using tests::concatenate;
using tests::interval;
using states_type = scan::tile_states<interval>;

/// States of `num_tiles` tiles, zeroed once.
struct memory {
  explicit memory(std::int64_t num_tiles)
      : words(states_type::required_bytes(num_tiles) / sizeof(std::uint64_t)) {}
  states_type attach() { return {words.data(), words.size() * sizeof(std::uint64_t)}; }
  void set_epoch(std::uint32_t epoch) { words[0] = std::uint64_t{epoch} << 32; }
  std::uint32_t epoch() const { return static_cast<std::uint32_t>(words[0] >> 32); }

  /// (Of 16 bytes' alignment, as every allocation here.)
  std::vector<std::uint64_t> words;
};

/// Not from 0 on, where T{} would do for an identity.
interval segment(std::int64_t tile) { return {tile + 5, tile + 6}; }

/// A scan by one worker, who looks back for nothing.
void publish_all(memory& of, std::int64_t num_tiles) {
  auto states = of.attach();
  for (scan::ticket drawn = states.claim(num_tiles + 1);; drawn = states.claim(num_tiles + 1)) {
    states.enter(drawn.epoch);
    if (drawn.tile >= num_tiles) break;
    states.publish(drawn.tile, segment(drawn.tile));
  }
  states.retire(1);
}

/// A thread that has two batches of a tile under way.
struct two_batches {
  static constexpr int count = 1, batches_at_once = 2;
  int index() const { return 0; }
  bool looks(int) const { return true; }
  template <class T, class Op>
  T fold(const T& value, int, Op) const {
    return value;
  }
  bool all(bool ready) const { return ready; }
  void back_off(int) const { std::this_thread::yield(); }
};
using prefixes = scan::running_prefix<interval, concatenate, two_batches>;

}  // namespace

TEST_SUITE("protocol") {
  TEST_CASE("a word is of one epoch, whichever bit another differs in") {
    memory of(2);
    for (const std::uint32_t epoch : {1u, 2u, 0x80000001u, 0xfffffffeu}) {
      of.set_epoch(epoch - 1);
      publish_all(of, 2);
      auto states = of.attach();
      states.enter(epoch);
      REQUIRE(states.observe(1).ready);
      for (int bit = 0; bit < 32; ++bit) {
        states.enter(epoch ^ 1u << bit);
        CHECK_FALSE(states.observe(1).ready);
      }
    }
  }

  TEST_CASE("a scan of the last epoch leaves memory as when it was fresh") {
    for (const std::int64_t last_size : {1, 300}) {
      memory of(300);
      publish_all(of, 300);  // of epoch 1, all tiles
      of.set_epoch(states_type::last_epoch - 1);
      publish_all(of, last_size);
      CHECK(of.epoch() == 0);
      CHECK(std::count(of.words.begin(), of.words.end(), 0u) ==
            static_cast<std::ptrdiff_t>(of.words.size()));
      // And so once more, with the next last one.
      publish_all(of, 3);
      CHECK(of.epoch() == 1);
    }
  }

  TEST_CASE("only the last worker to retire clears, and nobody counts twice") {
    memory of(4);
    for (int turn = 0; turn < 2; ++turn) {
      of.set_epoch(states_type::last_epoch - 1);
      auto first = of.attach(), second = of.attach();
      first.enter(first.claim(3).epoch);
      second.enter(second.claim(3).epoch);
      first.publish(0, segment(0));
      first.claim(3);
      first.retire(2);
      CHECK(second.observe(0).ready);
      second.retire(2);
      second.enter(1);
      CHECK_FALSE(second.observe(0).ready);
      CHECK(of.epoch() == 0);
    }
  }

  TEST_CASE("an absent init is no operand, and a prefix is of all tiles before and no other") {
    memory of(9);
    auto states = of.attach();
    states.enter(states.claim(100).epoch);
    for (std::int64_t tile = 0; tile < 9; ++tile) states.publish(tile, segment(tile));
    two_batches lane;
    prefixes absent({{}, false}, {}), present({{2, 5}, true}, {});
    for (std::int64_t tile = 0; tile < 9; ++tile) {
      const auto without = absent.exclusive_prefix(states, lane, tile);
      CHECK(without.exists == (tile > 0));
      if (tile > 0) CHECK(without.value == interval{5, tile + 5});
      const auto with = present.exclusive_prefix(states, lane, tile);
      CHECK(with.exists);
      CHECK(with.value == interval{2, tile + 5});
    }
  }

  TEST_CASE("whichever tile is late, the look-back waits for it") {
    for (std::int64_t late = 0; late < 4; ++late) {
      memory of(4);
      auto states = of.attach();
      states.enter(states.claim(100).epoch);
      for (std::int64_t tile = 0; tile < 4; ++tile) {
        if (tile != late) states.publish(tile, segment(tile));
      }
      std::jthread publisher([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        auto of_other = of.attach();
        of_other.enter(1);
        of_other.publish(late, segment(late));
      });
      two_batches lane;
      prefixes earlier({{}, false}, {});
      const auto prefix = earlier.exclusive_prefix(states, lane, 4);
      CHECK(prefix.exists);
      CHECK(prefix.value == interval{5, 9});
    }
  }
}
