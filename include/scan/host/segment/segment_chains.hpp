// A block of a recurrence with segments in it: no state from before a head is seen behind it, so
// the block is cut at heads, and its parts go along side by side, step by step.
#ifndef SCAN_HOST_SEGMENT_SEGMENT_CHAINS_HPP
#define SCAN_HOST_SEGMENT_SEGMENT_CHAINS_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "scan/call/recurrence_maps.hpp"
#include "scan/host/segment/segment_walks.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// `maps`: of the steps, those at heads with their inits folded in, so that all states go to one.
template <class S>
class segment_chains {
  using map = affine_map<S>;
  static constexpr int most_chains = 4;  // as many as a core has under way

 public:
  segment_chains(const map* maps, const std::uint8_t* flags, std::int64_t count)
      : maps_(maps), flags_(flags), count_(count) {}

  /// What the last segment comes to.
  map last() const {
    S state{};
    for (std::int64_t i = last_flag(flags_, count_); i < count_; ++i) state = maps_[i].apply(state);
    return state_of(state);
  }

  /// The results after `before`, which means nothing where the block begins a segment.
  void scan(S before, map* results) const {
    chain chains[std::size_t{most_chains}];
    int num_chains = 0;
    std::int64_t begin = 0;
    for (int part = 1; part <= most_chains; ++part) {
      const std::int64_t end =
          part == most_chains ? count_ : head_from(count_ * part / most_chains);
      if (end <= begin) continue;
      chains[num_chains++] = {begin, end, begin == 0 ? before : S{}};
      begin = end;
    }
    while (num_chains > 0) {
      switch (num_chains) {
        case 1:
          advance<1>(chains, results);
          break;
        case 2:
          advance<2>(chains, results);
          break;
        case 3:
          advance<3>(chains, results);
          break;
        default:
          advance<most_chains>(chains, results);
      }
      num_chains = static_cast<int>(
          std::remove_if(chains, chains + num_chains,
                         [](const chain& each) { return each.begin == each.end; }) -
          chains);
    }
  }

 private:
  /// Items from a head, or the block's first, up to another, and the state before them.
  struct chain {
    std::int64_t begin, end;
    S state;
  };

  static map state_of(S state) { return {begins_anew<S>, state}; }
  /// The first head at `item` or behind; or the block's end.
  std::int64_t head_from(std::int64_t item) const {
    const void* const head = std::memchr(flags_ + item, 1, static_cast<std::size_t>(count_ - item));
    return head == nullptr ? count_ : static_cast<const std::uint8_t*>(head) - flags_;
  }
  /// As far as the shortest one goes.
  template <int num_chains>
  void advance(chain* chains, map* results) const {
    S state[std::size_t{num_chains}];
    std::int64_t at[std::size_t{num_chains}], length = count_;
    for (int s = 0; s < num_chains; ++s) {
      state[s] = chains[s].state;
      at[s] = chains[s].begin;
      length = std::min(length, chains[s].end - chains[s].begin);
    }
    for (std::int64_t i = 0; i < length; ++i) {
      for (int s = 0; s < num_chains; ++s) {
        state[s] = maps_[at[s] + i].apply(state[s]);
        results[at[s] + i] = state_of(state[s]);
      }
    }
    for (int s = 0; s < num_chains; ++s) chains[s] = {at[s] + length, chains[s].end, state[s]};
  }

  const map* maps_;
  const std::uint8_t* flags_;
  std::int64_t count_;
};

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
