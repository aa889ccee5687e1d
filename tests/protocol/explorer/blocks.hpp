// Blocks of several threads that look back together, as the kernel for inputs that fit on the chip
// has them: a leader claims, publishes and retires for all.
#ifndef SCAN_TESTS_EXPLORER_BLOCKS_HPP
#define SCAN_TESTS_EXPLORER_BLOCKS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/protocol/explorer/scans.hpp"

namespace explorer {

/// What a block's threads share: plain memory.
template <class T, int num_lanes>
struct block_memory {
  std::array<T, num_lanes> values{};
  scan::ticket mine{};
  std::array<int, num_lanes> value_cells{};
  int ticket_cell = 0;
};

/// One of the threads of a block that look back together.
template <class T, int num_lanes, bool meets = true>
struct block_lane {
  static constexpr int count = num_lanes;
  static constexpr int batches_at_once = 1;
  block_memory<T, num_lanes>* shared;
  int block, lane;

  void meet() const { running->barrier(block, num_lanes); }
  int index() const { return lane; }
  bool looks(int num_tiles) const { return lane < num_tiles; }
  template <class Op>
  T fold(const T& value, int num_valid, Op op) const {
    if (lane < num_valid) {
      shared->values[place(lane)] = value;
      running->access_cell(shared->value_cells[place(lane)], true, false);
    }
    if (meets) meet();
    T result = seen(0);
    for (int i = 1; i < num_valid; ++i) result = op(result, seen(i));
    if (meets) meet();
    return meets ? result : value;
  }
  bool all(bool ready) const { return ready; }
  void back_off(int) const { running->look_again(); }

 private:
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }
  T seen(int i) const {
    if (meets) running->access_cell(shared->value_cells[place(i)], false, false);
    return shared->values[place(i)];
  }
};

/// Scans of as many tiles as there are blocks. `meets`: wrong, if they do not.
template <int num_lanes, bool meets = true>
class block_scans : public program {
 public:
  using T = segment<std::int16_t>;
  using states_type = scan::tile_states<T>;

  /// One scan each of so many tiles, the first after so many scans.
  block_scans(std::vector<int> num_tiles, std::uint32_t completed)
      : num_tiles_(std::move(num_tiles)), completed_(completed) {
    const int most = *std::max_element(num_tiles_.begin(), num_tiles_.end());
    words_.resize(states_type::required_bytes(most) / sizeof(std::uint64_t));
    blocks_.resize(static_cast<std::size_t>(most));
  }

  void reset() override {
    std::fill(words_.begin(), words_.end(), 0);
    reinterpret_cast<scan::tile_states_header*>(words_.data())->tickets = std::uint64_t{completed_}
                                                                          << 32;
  }
  int num_phases() const override { return static_cast<int>(num_tiles_.size()); }
  int num_workers(int phase) const override { return tiles(phase) * num_lanes; }
  bool alike() const override { return false; }

  void begin(int /*phase*/) override {
    share_states<states_type>(words_);
    for (auto& block : blocks_) {
      block.ticket_cell = running->share_cell();
      for (int& cell : block.value_cells) cell = running->share_cell();
    }
  }

  void work(int phase, int worker) override {
    auto& shared = blocks_[static_cast<std::size_t>(worker / num_lanes)];
    using lane_type = block_lane<T, num_lanes, meets>;
    lane_type lane{&shared, worker / num_lanes, worker % num_lanes};
    const bool leader = lane.lane == 0;
    const auto first = static_cast<std::int16_t>(100 * phase);
    states_type states(words_.data(), words_.size() * sizeof(std::uint64_t));
    if (leader) {
      shared.mine = states.claim(tiles(phase));
      running->access_cell(shared.ticket_cell, true, false);
    }
    lane.meet();
    running->access_cell(shared.ticket_cell, false, false);
    states.enter(shared.mine.epoch);
    const auto tile = static_cast<std::int16_t>(first + shared.mine.tile);
    if (leader) states.publish(shared.mine.tile, {tile, static_cast<std::int16_t>(tile + 1)});
    scan::running_prefix<T, concatenate_segments, lane_type> earlier(
        {{static_cast<std::int16_t>(first - 5), first}, true}, {});
    const scan::prefix<T> before = earlier.exclusive_prefix(states, lane, shared.mine.tile);
    const T right{static_cast<std::int16_t>(first - 5), tile};
    if (meets && !(before.exists && before.value == right)) running->fail("a prefix is wrong");
    if (leader) states.retire(static_cast<std::uint32_t>(tiles(phase)));
  }

 private:
  int tiles(int phase) const { return num_tiles_[static_cast<std::size_t>(phase)]; }

  std::vector<int> num_tiles_;
  std::uint32_t completed_;
  std::vector<std::uint64_t> words_;
  std::vector<block_memory<T, num_lanes>> blocks_;
};

}  // namespace explorer

#endif
