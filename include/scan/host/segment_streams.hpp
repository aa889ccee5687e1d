// A block with segments in it as streams.hpp scans a tile: four streams of the operator that starts
// anew at a head.
#ifndef SCAN_HOST_SEGMENT_STREAMS_HPP
#define SCAN_HOST_SEGMENT_STREAMS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/host/segment_blocks.hpp"
#include "scan/host/segment_choice.hpp"
#include "scan/host/streams.hpp"
#include "scan/operators.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/segment_fold.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

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
      return {reduce_streams(values(scan), room.operands, count).fold(scan.plain.op).value, 0};
    }
    if constexpr (chosen) {
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
      if constexpr (chosen) {
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
    for (std::int64_t i = 0; i < at.count; ++i) give_item(scan.plain, to, i, results[i]);
    return {fold, true};
  }

 private:
  using plain_op = typename Problem::plain_type::op_type;
  static constexpr bool chosen = may_be_unused<plain_op, V>;
  static auto chosen_block(const Problem& scan, const block& room, std::int64_t count) {
    return chosen_streams<V, plain_op>(scan.plain.op, room.operands, room.flags, count);
  }
  static streamed_block<T, V, typename Problem::op_type> folds(const Problem& scan) {
    return {scan.op, {}};
  }
  static streamed_block<V, V, plain_op> values(const Problem& scan) {
    return {scan.plain.op, scan.plain.first_output};
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
