// Scans through one memory of tile states, for the explorer: made-up aggregates, workers that
// claim, publish and look back as the kernels do.
#ifndef SCAN_TESTS_EXPLORER_SCANS_HPP
#define SCAN_TESTS_EXPLORER_SCANS_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"
#include "tests/protocol/explorer/explore.hpp"

namespace explorer {

/// Segments as in tests/interval.hpp, of any width.
template <class I>
struct segment {
  I begin, end;
  friend bool operator==(const segment& a, const segment& b) {
    return a.begin == b.begin && a.end == b.end;
  }
};
struct concatenate_segments {
  template <class I>
  segment<I> operator()(const segment<I>& earlier, const segment<I>& later) const {
    return earlier.end == later.begin ? segment<I>{earlier.begin, later.end} : segment<I>{-1, -2};
  }
};

/// What tiles tell each other: segments of width I, of which those of one call do not fit those of
/// another.
template <class I>
struct plain_folds {
  using T = segment<I>;
  using op = concatenate_segments;

  static I first(int phase) { return static_cast<I>(100 * phase); }
  T aggregate(int phase, std::int64_t tile) const {
    return {static_cast<I>(first(phase) + tile), static_cast<I>(first(phase) + tile + 1)};
  }
  scan::prefix<T> start(int phase) const {
    return {{static_cast<I>(first(phase) - 5), first(phase)}, true};
  }
  /// Whether `before` is the prefix of `tile`.
  bool is_prefix(const scan::prefix<T>& before, int phase, std::int64_t tile) const {
    const T right{start(phase).value.begin, aggregate(phase, tile).begin};
    return before.exists && before.value == right;
  }
};

/// One worker that looks back alone.
template <int at_once>
struct lone_lane {
  static constexpr int count = 1;
  static constexpr int batches_at_once = at_once;
  int index() const { return 0; }
  bool looks(int) const { return true; }
  template <class T, class Op>
  T fold(const T& value, int, Op) const {
    return value;
  }
  bool all(bool ready) const { return ready; }
  int last(bool says) const { return says ? 0 : -1; }
  void back_off(int) const { running->look_again(); }
};

/// The epoch of the scan that runs.
inline std::uint32_t current_epoch = 0;

/// Tells the explorer of the states in `words`.
template <class States>
void share_states(std::vector<std::uint64_t>& words) {
  auto& header = *reinterpret_cast<scan::tile_states_header*>(words.data());
  running->share(header.tickets, "tickets");
  running->share(header.retired, "retired");
  running->share(header.abandoned, "abandoned");
  for (std::size_t i = sizeof header / 8; i < words.size(); ++i) {
    const std::size_t word = i - sizeof header / 8, stride = States::tile_stride;
    running->share(words[i], "word " + std::to_string(word % stride) + " of tile " +
                                 std::to_string(word / stride));
  }
}

/// How workers go through tiles.
enum class manner {
  in_turn,      // claim, publish, look back, claim: CPU threads, blocks of the ring
  one_each,     // as many workers as tiles: blocks of the wave
  two_in_hand,  // the next tile is published before the look-back for the current one
  late,         // the next tile is published after that: right, though slow
  brought,      // in turn, words are emptied first
  impatient,    // one each; wrong: retires before it has looked
};

struct call {
  std::int64_t num_tiles;
  int num_workers;
  manner how = manner::in_turn;
  std::optional<std::uint32_t> completed{};  // scans before this one, if not as many as there were
};

template <class I, int at_once = 1, class Folds = plain_folds<I>>
class scans : public program {
 public:
  using T = typename Folds::T;
  using states_type = scan::tile_states<T>;

  explicit scans(std::vector<call> calls, const Folds& folds = {})
      : calls_(std::move(calls)), folds_(folds) {
    std::int64_t most = 0;
    for (const call& c : calls_) most = std::max(most, c.num_tiles);
    words_.resize(states_type::required_bytes(most) / sizeof(std::uint64_t));
  }

  void reset() override { std::fill(words_.begin(), words_.end(), 0); }
  int num_phases() const override { return static_cast<int>(calls_.size()); }
  int num_workers(int phase) const override { return call_at(phase).num_workers; }

  void begin(int phase) override {
    auto& header = *reinterpret_cast<scan::tile_states_header*>(words_.data());
    if (call_at(phase).completed) header.tickets = std::uint64_t{*call_at(phase).completed} << 32;
    completed_ = static_cast<std::uint32_t>(header.tickets >> 32);
    share_states<states_type>(words_);
    taken_.assign(static_cast<std::size_t>(call_at(phase).num_tiles), 0);
  }

  void work(int phase, int /*worker*/) override {
    const call& now = call_at(phase);
    states_type states(words_.data(), words_.size() * sizeof(std::uint64_t));
    looking_back earlier(folds_.start(phase), {});
    if (now.how == manner::two_in_hand || now.how == manner::late) {
      take_two(phase, states, earlier);
    } else {
      take_turns(phase, states, earlier);
    }
    if (now.how != manner::impatient) states.retire(static_cast<std::uint32_t>(now.num_workers));
  }

  void end(int phase) override {
    auto& header = *reinterpret_cast<scan::tile_states_header*>(words_.data());
    if (static_cast<std::uint32_t>(header.tickets) != 0) running->fail("tickets are left");
    const bool wraps = completed_ + 1 == states_type::last_epoch;
    if (static_cast<std::uint32_t>(header.tickets >> 32) != (wraps ? 0 : completed_ + 1))
      running->fail("the scan is not counted");
    if (header.retired != 0) running->fail("retired workers are left");
    if (std::count(taken_.begin(), taken_.end(), 1) != call_at(phase).num_tiles)
      running->fail("a tile was not handed out, or twice");
  }

 private:
  using looking_back = scan::running_prefix<T, typename Folds::op, lone_lane<at_once>>;

  const call& call_at(int phase) const { return calls_[static_cast<std::size_t>(phase)]; }

  /// The next tile, or -1.
  std::int64_t claim(int phase, states_type& states) {
    const call& now = call_at(phase);
    const bool once = now.how == manner::one_each || now.how == manner::impatient;
    const scan::ticket drawn = states.claim(now.num_tiles + (once ? 0 : now.num_workers));
    states.enter(drawn.epoch);
    current_epoch = drawn.epoch;
    if (drawn.epoch != completed_ + 1) running->fail("a ticket of another scan");
    if (drawn.tile >= now.num_tiles) return -1;
    if (++taken_[static_cast<std::size_t>(drawn.tile)] > 1)
      running->fail("a tile handed out twice");
    return drawn.tile;
  }

  void take_turns(int phase, states_type& states, looking_back& earlier) {
    const call& now = call_at(phase);
    for (std::int64_t tile; (tile = claim(phase, states)) >= 0;) {
      if (now.how == manner::brought) {
        for (int lane = 0; lane < states_type::tile_stride / 2; ++lane) states.bring(tile, lane);
      }
      states.publish(tile, folds_.aggregate(phase, tile));
      if (now.how == manner::impatient) states.retire(static_cast<std::uint32_t>(now.num_workers));
      look_back(phase, states, earlier, tile);
      if (now.how == manner::one_each || now.how == manner::impatient) break;
    }
  }
  void take_two(int phase, states_type& states, looking_back& earlier) {
    std::int64_t current = -1, next = claim(phase, states);
    while (current >= 0 || next >= 0) {
      const std::int64_t tile = next;
      const bool late = call_at(phase).how == manner::late && current >= 0;
      if (tile >= 0) next = claim(phase, states);
      if (tile >= 0 && !late) states.publish(tile, folds_.aggregate(phase, tile));
      if (current >= 0) look_back(phase, states, earlier, current);
      if (tile >= 0 && late) states.publish(tile, folds_.aggregate(phase, tile));
      current = tile;
    }
  }
  void look_back(int phase, states_type& states, looking_back& earlier, std::int64_t tile) {
    lone_lane<at_once> lane;
    const scan::prefix<T> before = earlier.exclusive_prefix(states, lane, tile);
    if (!folds_.is_prefix(before, phase, tile)) {
      running->fail("the prefix of tile " + std::to_string(tile) + " is wrong");
    }
  }

  std::vector<call> calls_;
  Folds folds_;
  std::vector<std::uint64_t> words_;
  std::vector<int> taken_;  // how often each tile was handed out
  std::uint32_t completed_ = 0;
};

}  // namespace explorer

#endif
