// Look-backs of tensors, as they stand in column_prefix.cuh, column_ring_looks.cuh, strip_looks.cuh
// and row_look_back.cuh, by more blocks than run at a time.
#ifndef SCAN_TESTS_EXPLORER_TENSORS_HPP
#define SCAN_TESTS_EXPLORER_TENSORS_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/protocol/explorer/device_words.hpp"
#include "tests/protocol/explorer/scans.hpp"

namespace explorer {

/// A call: sequences of so many tiles each.
struct tensor_shape {
  int num_sequences, num_tiles;
  int group_tiles = 1;  // of a block
  int num_blocks() const { return num_sequences * ((num_tiles - 1) / group_tiles + 1); }
};
/// The most that a call of `calls` wants.
template <class Wanted>
std::size_t most_of(const std::vector<tensor_shape>& calls, const Wanted& wanted) {
  std::int64_t most = 0;
  for (const tensor_shape& shape : calls) most = std::max<std::int64_t>(most, wanted(shape));
  return static_cast<std::size_t>(most);
}

using small_segment = segment<std::int16_t>;
inline small_segment part_of(int phase, std::int64_t sequence, std::int64_t tile) {
  const auto begin = static_cast<std::int16_t>(100 * phase + 30 * sequence + tile);
  return {begin, static_cast<std::int16_t>(begin + 1)};
}
/// What precedes the sequence.
inline scan::prefix<small_segment> start_of(int phase, std::int64_t sequence) {
  const auto begin = part_of(phase, sequence, 0).begin;
  return {{static_cast<std::int16_t>(begin - 9), begin}, true};
}
inline void check_prefix(int phase, std::int64_t sequence, std::int64_t tile,
                         const scan::prefix<small_segment>& before) {
  const small_segment right{start_of(phase, sequence).value.begin,
                            part_of(phase, sequence, tile).begin};
  if (!before.exists || !(before.value == right)) running->fail("a prefix is wrong");
}

/// Calls through one memory, by blocks of `threads` threads, as many at a time as there are slots.
class tensor_calls : public program {
 public:
  tensor_calls(std::vector<tensor_shape> calls, int slots, int threads, std::size_t num_states,
               int words_a_state, std::uint32_t completed)
      : calls_(std::move(calls)), slots_(slots), threads_(threads), completed_(completed) {
    words_.resize(sizeof(scan::tile_states_header) / 8 +
                  num_states * static_cast<std::size_t>(words_a_state));
    claimed_.resize(static_cast<std::size_t>(slots));
    more_.resize(static_cast<std::size_t>(slots));
  }

  void reset() override {
    std::fill(words_.begin(), words_.end(), 0);
    header().tickets = std::uint64_t{completed_} << 32;
    block_threads = threads_;
  }
  int num_phases() const override { return static_cast<int>(calls_.size()); }
  int num_workers(int) const override { return slots_ * threads_; }
  bool alike() const override { return threads_ == 1; }
  void begin(int) override {
    started_ = 0;
    share_states<scan::tile_states<small_segment, 1>>(words_);
  }
  /// Block after block, as long as there are any.
  void work(int phase, int worker) override {
    const auto slot = static_cast<std::size_t>(worker / threads_);
    const tensor_shape& shape = calls_[static_cast<std::size_t>(phase)];
    for (;;) {
      if (worker % threads_ == 0) more_[slot] = started_ < shape.num_blocks();
      if (worker % threads_ == 0 && more_[slot]) ++started_;
      __syncthreads();
      running->tell(more_[slot]);
      if (!more_[slot]) break;
      run_block(phase, shape, claimed_[slot]);
      __syncthreads();
    }
  }
  void end(int) override {
    if (static_cast<std::uint32_t>(header().tickets) != 0) running->fail("tickets are left");
    if (header().retired != 0) running->fail("retired blocks are left");
  }

 protected:
  const tensor_shape& shape_of(int phase) const { return calls_[static_cast<std::size_t>(phase)]; }
  virtual void run_block(int phase, const tensor_shape& shape, scan::ticket& claimed) = 0;
  template <class States>
  States states() {
    return States(words_.data(), words_.size() * sizeof(std::uint64_t));
  }

 private:
  scan::tile_states_header& header() {
    return *reinterpret_cast<scan::tile_states_header*>(words_.data());
  }

  std::vector<tensor_shape> calls_;
  int slots_, threads_;
  std::uint32_t completed_;
  std::vector<std::uint64_t> words_;
  std::vector<scan::ticket> claimed_;  // of the block in each slot
  std::vector<char> more_;
  int started_ = 0;  // blocks
};

/// Columns, a strip each, by blocks of one thread.
class column_scans : public tensor_calls {
 public:
  column_scans(const std::vector<tensor_shape>& calls, int slots, std::uint32_t completed = 0)
      : tensor_calls(calls, slots, 1, most_of(calls, num_states), 1, completed) {}

 private:
  struct problem {
    using T = small_segment;
    static constexpr int threads = 1;
    struct shape {
      int whole_width;
    };
    static constexpr shape tuned{1};
    scan::device::column_plan cut;
    concatenate_segments op;
    struct {
      int quotient(int thread) const { return thread; }
    } per_width{};
  };
  using columns = scan::device::column_states<problem>;

  static std::int64_t num_states(const tensor_shape& shape) {
    const scan::device::column_plan cut{1, 1, shape.num_tiles};
    return shape.num_sequences * cut.strip_states(0);
  }

  void run_block(int phase, const tensor_shape& shape, scan::ticket&) override {
    const problem scan{{1, 1, shape.num_tiles}, {}};
    auto states = this->states<columns::states_type>();
    const scan::ticket mine = states.claim(shape.num_blocks());
    states.enter(mine.epoch);
    const auto strips = static_cast<unsigned>(shape.num_sequences);
    const auto number = static_cast<unsigned>(mine.tile);
    const scan::device::column_place at{number % strips, number / strips, 1};
    columns::shared seen;
    columns looks(scan, at, 0, states, seen);
    const small_segment aggregate = part_of(phase, at.strip, at.tile);
    scan::device::publish_tile(scan, at, 0, states, aggregate);
    check_prefix(phase, at.strip, at.tile,
                 looks.exclusive_prefix(start_of(phase, at.strip), true, aggregate));
    states.retire(static_cast<std::uint32_t>(shape.num_blocks()));
  }
};

/// Narrow columns in the ring: one a slab, by blocks that take tile after tile, of two threads that
/// look at batches in turn.
class column_ring_scans : public tensor_calls {
 public:
  /// `late`: tiles that are published when all blocks but the first begin, of one call.
  column_ring_scans(const std::vector<tensor_shape>& calls, int slots, std::uint32_t completed = 0,
                    int late = 0)
      : tensor_calls(calls, slots, 2, most_of(calls, num_states), 1, completed),
        slots_(slots),
        late_(late) {
    blocks_.resize(static_cast<std::size_t>(slots));
  }

 private:
  struct problem {
    using T = small_segment;
    concatenate_segments op;
    static int inner() { return 1; }
  };
  using looks_type = scan::device::column_ring_looks<problem, 2>;
  struct block {
    looks_type::shared seen;
    scan::ticket claimed;
  };

  static std::int64_t num_states(const tensor_shape& shape) {
    return shape.num_sequences * shape.num_tiles;
  }

  /// A thread of one of as many blocks as there are slots.
  void work(int phase, int) override {
    const tensor_shape& shape = shape_of(phase);
    const std::int64_t num_tiles = num_states(shape);
    const problem scan{};
    auto states = this->states<looks_type::states_type>();
    block& mine = blocks_[static_cast<std::size_t>(slot_of_block())];
    const bool leader = thread_of_block() == 0;
    looks_type looks(scan, mine.seen, thread_of_block());
    std::int64_t slab = -1;
    if (late_ > 0 && slot_of_block() > 0) {
      states.enter(1);
      while (!states.observe(late_ - 1).ready) __nanosleep(1);
    }
    for (;;) {
      __syncthreads();
      if (leader) mine.claimed = states.claim(num_tiles + slots_);
      __syncthreads();
      const scan::ticket drawn = mine.claimed;
      running->tell(static_cast<int>(drawn.tile));
      states.enter(drawn.epoch);
      if (drawn.tile >= num_tiles) break;
      const std::int64_t now = drawn.tile / shape.num_tiles, tile = drawn.tile % shape.num_tiles;
      if (now != slab) looks.restart(now * shape.num_tiles, start_of(phase, now));
      slab = now;
      if (leader) states.publish(drawn.tile, part_of(phase, slab, tile));
      const auto before = looks.before(states, tile);
      if (looks.has_column()) check_prefix(phase, slab, tile, before);
    }
    if (leader) states.retire(static_cast<std::uint32_t>(slots_));
  }
  void run_block(int, const tensor_shape&, scan::ticket&) override {}

  int slots_, late_;
  std::vector<block> blocks_;
};

/// Wide columns in the ring: one a strip, strips side by side, by blocks of one thread that take
/// tile after tile.
class strip_scans : public tensor_calls {
 public:
  /// `late`: see column_ring_scans.
  strip_scans(const std::vector<tensor_shape>& calls, int slots, std::uint32_t completed = 0,
              int late = 0)
      : tensor_calls(calls, slots, 1, most_of(calls, num_states), 1, completed),
        slots_(slots),
        late_(late) {}

 private:
  using looks_type = scan::device::strip_looks<small_segment, concatenate_segments>;

  static std::int64_t states_of_strip(const tensor_shape& shape) {
    return shape.num_tiles - 1 + 2 * scan::device::strip_batches(shape.num_tiles);
  }
  static std::int64_t num_states(const tensor_shape& shape) {
    return shape.num_sequences * states_of_strip(shape);
  }

  void work(int phase, int) override {
    const tensor_shape& shape = shape_of(phase);
    const std::int64_t num_tiles = shape.num_sequences * shape.num_tiles;
    auto states = this->states<looks_type::states_type>();
    looks_type looks(concatenate_segments{});
    if (late_ > 0 && slot_of_block() > 0) {
      states.enter(1);
      while (!states.observe(late_ - 1).ready) __nanosleep(1);
    }
    for (;;) {
      const scan::ticket drawn = states.claim(num_tiles + slots_);
      running->tell(static_cast<int>(drawn.tile));
      states.enter(drawn.epoch);
      if (drawn.tile >= num_tiles) break;
      const std::int64_t strip = drawn.tile % shape.num_sequences;
      const std::int64_t tile = drawn.tile / shape.num_sequences;
      const scan::device::strip_states_place at{strip * states_of_strip(shape), 1, shape.num_tiles};
      const small_segment own = part_of(phase, strip, tile);
      if (tile + 1 < shape.num_tiles) states.publish(at.of_tile(tile), own);
      const auto before = looks.before(
          states, at, true, tile, [&] { return start_of(phase, strip); }, [&] { return own; });
      check_prefix(phase, strip, tile, before);
    }
    states.retire(static_cast<std::uint32_t>(slots_));
  }
  void run_block(int, const tensor_shape&, scan::ticket&) override {}

  int slots_, late_;
};

/// Rows, by blocks of a warp of two threads.
class row_scans : public tensor_calls {
 public:
  row_scans(const std::vector<tensor_shape>& calls, int slots, std::uint32_t completed = 0)
      : tensor_calls(calls, slots, 2, most_of(calls, num_states), states_type::tile_stride,
                     completed) {
    shared_.resize(static_cast<std::size_t>(slots));
  }

 private:
  using states_type = scan::tile_states<small_segment>;
  struct problem {
    using T = small_segment;
    int tiles_per_row;
    struct {
      std::int64_t outer;
    } shape;
    concatenate_segments op;
    bool looks_back = true;
  };
  using rows = scan::device::row_look_back<problem>;

  static std::int64_t num_states(const tensor_shape& shape) {
    return shape.num_sequences *
           (shape.num_tiles + (shape.num_tiles - 1) / scan::device::row_batch_tiles);
  }

  void run_block(int phase, const tensor_shape& shape, scan::ticket& claimed) override {
    const problem scan{shape.num_tiles, {shape.num_sequences}, {}};
    auto states = this->states<states_type>();
    const bool leader = thread_of_block() == 0;
    if (leader) claimed = states.claim(shape.num_blocks());
    __syncthreads();
    states.enter(claimed.epoch);
    const std::int64_t groups = (shape.num_tiles - 1) / shape.group_tiles + 1;
    const std::int64_t row = claimed.tile / groups;
    const int first = static_cast<int>(claimed.tile % groups) * shape.group_tiles;
    const scan::device::row_group group{row, first,
                                        std::min(shape.group_tiles, shape.num_tiles - first)};
    rows looks(scan, group, shared_[static_cast<std::size_t>(slot_of_block())]);
    for (int i = 0; i < group.count; ++i) looks.put(i, part_of(phase, row, first + i), states);
    __syncthreads();
    looks.look(states, start_of(phase, row));
    for (int i = 0; i < group.count; ++i) check_prefix(phase, row, first + i, looks.before(i));
    looks.publish_batch(states);
    __syncthreads();
    if (leader) states.retire(static_cast<std::uint32_t>(shape.num_blocks()));
  }

  std::vector<rows::shared> shared_;  // by slot
};

}  // namespace explorer

#endif
