// The look-back of rows that walk, as it stands in span_look_back.cuh, by more blocks than run at a
// time.
#ifndef SCAN_TESTS_EXPLORER_SPANS_HPP
#define SCAN_TESTS_EXPLORER_SPANS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tests/protocol/explorer/tensors.hpp"

namespace explorer {

/// Rows, in parts of `shape.group_tiles` tiles, by blocks of a warp of two threads. `has_start`:
/// something precedes each.
class span_scans : public tensor_calls {
 public:
  span_scans(const std::vector<tensor_shape>& calls, int slots, bool has_start = true,
             std::uint32_t completed = 0)
      : tensor_calls(calls, slots, 2, most_of(calls, num_states), states_type::tile_stride,
                     completed),
        has_start_(has_start),
        blocks_(static_cast<std::size_t>(slots)) {}

 private:
  using states_type = scan::tile_states<small_segment>;
  using look_back = scan::device::span_look_back<small_segment, concatenate_segments>;
  struct block {
    look_back::shared seen;
    std::array<small_segment, scan::device::group_tiles> folds;
  };

  static scan::device::relay_plan plan_of(const tensor_shape& shape) {
    return {shape.num_tiles, shape.group_tiles};
  }
  static std::int64_t num_states(const tensor_shape& shape) {
    return shape.num_sequences * plan_of(shape).words_per_row();
  }

  void run_block(int phase, const tensor_shape& shape, scan::ticket& claimed) override {
    auto states = this->states<states_type>();
    block& mine = blocks_[static_cast<std::size_t>(slot_of_block())];
    const bool leader = thread_of_block() == 0;
    if (leader) claimed = states.claim(shape.num_blocks());
    __syncthreads();
    states.enter(claimed.epoch);
    // ---- the parts of all rows in turn, as relay_part has them ----
    const scan::device::relay_plan plan = plan_of(shape);
    const std::int64_t row = claimed.tile % shape.num_sequences;
    const int first = static_cast<int>(claimed.tile / shape.num_sequences) * shape.group_tiles;
    const int count = std::min(shape.group_tiles, shape.num_tiles - first);
    if (leader) {
      mine.seen = {};  // what is used before it is there is no part of the row
      for (int i = 0; i < count; ++i) {
        mine.folds[static_cast<std::size_t>(i)] = part_of(phase, row, first + i);
      }
    }
    __syncthreads();
    const look_back looks(plan, row * plan.words_per_row(), first, count, {}, mine.seen);
    const small_segment* const folds = mine.folds.data();
    looks.publish(folds, 1, states);
    looks.await_span(states);
    __syncthreads();
    scan::prefix<small_segment> start{{-3, -4}, false};
    if (has_start_) start = start_of(phase, row);
    const auto before = looks.exclusive_prefix(folds, 1, start, states);
    check(phase, row, first,
          scan::join(before.before_group, before.in_group, concatenate_segments{}));
    __syncthreads();
    if (leader) states.retire(static_cast<std::uint32_t>(shape.num_blocks()));
  }
  void check(int phase, std::int64_t row, int tile,
             const scan::prefix<small_segment>& before) const {
    if (has_start_) return check_prefix(phase, row, tile, before);
    const small_segment right{part_of(phase, row, 0).begin, part_of(phase, row, tile).begin};
    const bool exists = tile > 0;
    if (before.exists != exists || (exists && !(before.value == right))) {
      running->fail("a prefix is wrong");
    }
  }

  bool has_start_;
  std::vector<block> blocks_;  // by slot
};

}  // namespace explorer

#endif
