// Streams of a block with segments in it, of an operator that may be applied to any two values and
// thrown away: no branch that lengths decide, and vector code. In the order of streams.hpp.
#ifndef SCAN_HOST_SEGMENT_SEGMENT_STREAMS_HPP
#define SCAN_HOST_SEGMENT_SEGMENT_STREAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "scan/call/segment_heads.hpp"
#include "scan/host/segment/segment_blocks.hpp"
#include "scan/host/segment/segment_chains.hpp"
#include "scan/host/segment/segment_walks.hpp"
#include "scan/host/streams.hpp"
#include "scan/operators.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Operands and flags of a block.
template <class V, class Op>
class chosen_streams {
  static_assert(sizeof(V) <= 8);
  static constexpr int num_streams = 4, step_items = 4;
  using fold = segment_fold<V>;

 public:
  chosen_streams(const Op& op, const V* values, const std::uint8_t* flags, std::int64_t count)
      : op_(op), values_(values), flags_(flags), count_(count), length_(count / num_streams) {
    if (length_ > 0) reduce();
    for (std::int64_t i = num_streams * length_; i < count_; ++i) {
      rest_ = join(rest_, prefix<fold>{item(i), true}, operation());
    }
  }

  fold all() const {
    if (length_ == 0) return rest_.value;
    fold joined = folds_[0];
    for (int s = 1; s < num_streams; ++s) joined = operation()(joined, folds_[s]);
    return rest_.exists ? operation()(joined, rest_.value) : joined;
  }

  /// The inclusive results after `before`.
  void scan(prefix<fold> before, V* results) const {
    if (length_ > 0) scan_streams(before, results);
    for (std::int64_t i = num_streams * length_; i < count_; ++i) {
      before = join(before, prefix<fold>{item(i), true}, operation());
      results[i] = before.value.value;
    }
  }

 private:
  using bits = std::conditional_t<sizeof(V) <= 2,
                                  std::conditional_t<sizeof(V) == 1, std::uint8_t, std::uint16_t>,
                                  std::conditional_t<sizeof(V) <= 4, std::uint32_t, std::uint64_t>>;

  fold item(std::int64_t i) const { return {values_[i], flags_[i]}; }
  segmented<Op> operation() const { return {op_}; }

  /// The value that follows `earlier`: `later` alone where the flag is 1.
  V follow(const V& earlier, const V& later, std::uint8_t flag) const {
    V joined = op_(earlier, later);
    bits joined_bits, later_bits;
    std::memcpy(&joined_bits, std::addressof(joined), sizeof(V));
    std::memcpy(&later_bits, std::addressof(later), sizeof(V));
    const auto mask = static_cast<bits>(bits{0} - flag);
    joined_bits = static_cast<bits>((joined_bits & static_cast<bits>(~mask)) | (later_bits & mask));
    std::memcpy(static_cast<void*>(std::addressof(joined)), &joined_bits, sizeof(V));
    return joined;
  }

  /// From the first item that matters to one of the streams: what is before a stream's last head
  /// does not to it.
  void reduce() {
    V value[num_streams];
    std::int64_t first = length_ - 1;
    for (int s = 0; s < num_streams; ++s) {
      const std::int64_t last = last_flag(flags_ + s * length_, length_);
      folds_[s].has_head = last < 0 ? 0 : 1;
      first = std::min(first, std::max<std::int64_t>(last, 0));
    }
    for (int s = 0; s < num_streams; ++s) value[s] = values_[s * length_ + first];
    for (std::int64_t i = first + 1; i < length_; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        const std::int64_t at = s * length_ + i;
        value[s] = follow(value[s], values_[at], flags_[at]);
      }
    }
    for (int s = 0; s < num_streams; ++s) folds_[s].value = value[s];
  }

  /// Leaves what precedes the rest in `before`.
  void scan_streams(prefix<fold>& before, V* results) const {
    V running[num_streams];
    for (int s = 0; s < num_streams; ++s) {
      running[s] = join(before, prefix<fold>{item(s * length_), true}, operation()).value.value;
      results[s * length_] = running[s];
      before = join(before, prefix<fold>{folds_[s], true}, operation());
    }
    std::int64_t i = 1;
    for (; i + step_items <= length_; i += step_items) scan_step(i, running, results);
    for (; i < length_; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        const std::int64_t at = s * length_ + i;
        results[at] = running[s] = follow(running[s], values_[at], flags_[at]);
      }
    }
  }
  void scan_step(std::int64_t first, V (&running)[num_streams], V* results) const {
    V x[step_items][num_streams];
    std::uint8_t flags[step_items][num_streams];
    for (int s = 0; s < num_streams; ++s) {
      for (int i = 0; i < step_items; ++i) {
        x[i][s] = values_[s * length_ + first + i];
        flags[i][s] = flags_[s * length_ + first + i];
      }
    }
    for (int i = 0; i < step_items; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        x[i][s] = running[s] = follow(running[s], x[i][s], flags[i][s]);
      }
    }
    for (int s = 0; s < num_streams; ++s) {
      for (int i = 0; i < step_items; ++i) results[s * length_ + first + i] = x[i][s];
    }
  }

  Op op_;
  const V* values_;
  const std::uint8_t* flags_;
  std::int64_t count_, length_;
  fold folds_[num_streams];
  prefix<fold> rest_{};
};

// ---- A block with segments in it as streams.hpp scans a tile: four streams of the operator that
// starts anew at a head.

/// Operands and flags apart, seen together.
template <class V>
struct fold_iterator {
  const V* values;
  const std::uint8_t* flags;
  segment_fold<V> operator[](std::int64_t i) const { return {values[i], flags[i]}; }
  fold_iterator operator+(std::int64_t i) const { return {values + i, flags + i}; }
};

/// A block for streams.hpp, of folds, or of values where no segment begins: of the same bits.
template <class T_, class V, class Op>
struct streamed_block {
  using T = T_;
  using in_type = T;
  using out_type = V;
  using op_type = Op;
  op_type op;
  T first_output;  // of no use: scans are inclusive
  T take(const T& item) const { return item; }
  V give(const T& result) const {
    if constexpr (std::is_same_v<T, V>) {
      return result;
    } else {
      return result.value;
    }
  }
};

/// A block in streams.
template <class Problem>
struct stream_way {
  static constexpr bool in_lanes = false;
  using V = typename Problem::V;
  using T = typename Problem::T;
  using block = segment_block<Problem>;

  /// The fold of a block, `boundary` before and after which the walk is.
  template <class From>
  static T fold(const Problem& scan, block& room, const From& from, std::int64_t first,
                std::int64_t count, std::int64_t& boundary) {
    const block_place at = room.mark(scan, first, count, boundary);
    boundary = at.next_boundary;
    room.take(scan, from, at);
    if (!at.has_heads) {
      return {reduce_streams(values(scan), room.operands, count).fold(scan.values.op).value, 0};
    }
    if constexpr (Problem::values_type::is_recurrence) {
      return {chains(room, count).last(), 1};
    } else if constexpr (chosen) {
      return chosen_block(scan, room, count).all();
    } else {
      return reduce_streams(folds(scan), items(room), count).fold(scan.op).value;
    }
  }

  /// Scans a block after `before`, and returns its fold.
  template <bool past_caches, class From, class To>
  static prefix<T> scan(const Problem& scan, block& room, const block_place& at, const From& from,
                        const To& to, const prefix<T>& before, const T* /*known_fold*/) {
    room.take(scan, from, at);
    room.results[0] = before.value.value;
    T fold;
    if (at.has_heads) {
      if constexpr (Problem::values_type::is_recurrence) {
        const auto parts = chains(room, at.count);
        parts.scan(before.value.value.offset, room.results + 1);
        fold = {parts.last(), 1};
      } else if constexpr (chosen) {
        const auto streams = chosen_block(scan, room, at.count);
        streams.scan(before, room.results + 1);
        fold = streams.all();
      } else {
        fold = scan_streams_of(folds(scan), items(room), room, at, before);
      }
    } else {
      const V all = scan_streams_of(values(scan), static_cast<const V*>(room.operands), room, at,
                                    prefix<V>{before.value.value, before.exists});
      fold = {all, 0};
    }
    const V* const results = room.finish(scan, at);
    for (std::int64_t i = 0; i < at.count; ++i) give_item(scan.values, to, i, results[i]);
    return {fold, true};
  }

 private:
  using values_op = typename Problem::values_type::op_type;
  static constexpr bool chosen = may_be_unused<values_op, V>;
  static auto chosen_block(const Problem& scan, const block& room, std::int64_t count) {
    return chosen_streams<V, values_op>(scan.values.op, room.operands, room.flags, count);
  }
  static auto chains(const block& room, std::int64_t count) {
    return segment_chains(room.operands, room.flags, count);
  }
  static streamed_block<T, V, typename Problem::op_type> folds(const Problem& scan) {
    return {scan.op, {}};
  }
  static streamed_block<V, V, values_op> values(const Problem& scan) {
    return {scan.values.op, scan.values.first_output};
  }
  static fold_iterator<V> items(const block& room) { return {room.operands, room.flags}; }

  template <class Streams, class From, class U>
  static U scan_streams_of(const Streams& streams, const From& from, block& room,
                           const block_place& at, const prefix<U>& before) {
    const auto aggregates = reduce_streams(streams, from, at.count);
    scan_streams<false>(streams, from, room.results + 1, at.count, before, aggregates);
    return aggregates.fold(streams.op).value;
  }
};

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
