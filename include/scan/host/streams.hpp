// The two passes of a CPU thread over one tile, several streams at a time.
//
// A tile is cut into equal streams, each reduced on its own: independent chains of operations that
// the processor overlaps and compilers turn into vector code. Where the operator is slow (an
// addition of floats takes 4 cycles) the streams are then scanned side by side too, each from its
// own exclusive prefix on, in steps of 4 x 4 elements. The library's own operations on integers
// take a cycle or three, hardly more than the store of a result, and give the same in any order:
// there, one chain through the tile is faster than four.
//
// `from` and `to` are iterators over elements in the order of the scan; `scan` is the `problem`.
#ifndef SCAN_HOST_STREAMS_HPP
#define SCAN_HOST_STREAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/host/tile_place.hpp"
#include "scan/operators.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Whether one chain of operations keeps up with memory, and the order does not show. (Of a user's
/// operator nothing is known: an integer may be what floats are packed in.)
template <class Op, class T>
inline constexpr bool one_chain = std::is_integral_v<T>&& is_own_operator<Op>;

template <class Op, class T>
inline constexpr int num_streams = one_chain<Op, T> ? 8 : 4;
inline constexpr int step_items = 4;  // of each stream

/// Folds of a tile's streams, and of the items that the equal streams leave over at its end.
template <class Op, class T>
struct stream_aggregates {
  prefix<T> stream[num_streams<Op, T>];
  prefix<T> rest;

  prefix<T> fold(Op op) const {
    prefix<T> all = stream[0];
    for (int s = 1; s < num_streams<Op, T>; ++s) all = join(all, stream[s], op);
    return join(all, rest, op);
  }
};

template <class Problem>
using aggregates_of = stream_aggregates<typename Problem::op_type, typename Problem::T>;

template <class Problem, class From, class T = typename Problem::T>
aggregates_of<Problem> reduce_streams(const Problem& scan, From from, std::int64_t num_items) {
  constexpr int num_streams = host_path::num_streams<typename Problem::op_type, T>;
  const std::int64_t length = num_items / num_streams;
  aggregates_of<Problem> result = {};
  if (length > 0) {
    T value[std::size_t{num_streams}];
    for (int s = 0; s < num_streams; ++s) value[s] = take_item(scan, from, s * length);
    for (std::int64_t i = 1; i < length; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        value[s] = scan.op(value[s], take_item(scan, from, s * length + i));
      }
    }
    for (int s = 0; s < num_streams; ++s) result.stream[s] = {value[s], true};
  }
  for (std::int64_t i = num_streams * length; i < num_items; ++i) {
    result.rest = join(result.rest, {take_item(scan, from, i), true}, scan.op);
  }
  return result;
}

/// Scans `num_items` items one after another from `running` on; returns the fold of all.
template <bool exclusive, class Problem, class From, class To, class T>
prefix<T> scan_serial(const Problem& scan, From from, To to, std::int64_t num_items,
                      prefix<T> running) {
  std::int64_t i = 0;
  if (!running.exists && num_items > 0) {
    running = {take_item(scan, from, 0), true};
    give_item(scan, to, 0, exclusive ? scan.first_output : running.value);
    i = 1;
  }
  T value = running.value;
  for (; i < num_items; ++i) {
    const T next = scan.op(value, take_item(scan, from, i));
    give_item(scan, to, i, exclusive ? value : next);
    value = next;
  }
  return {value, running.exists};
}

/// Steps of all streams at once; the running values exist.
template <bool exclusive, class Problem, class From, class To, class T>
void scan_step(const Problem& scan, From from, To to, std::int64_t length,
               T (&running)[std::size_t{num_streams<typename Problem::op_type, T>}]) {
  constexpr int num_streams = host_path::num_streams<typename Problem::op_type, T>;
  T x[step_items][std::size_t{num_streams}];
  for (int s = 0; s < num_streams; ++s) {
    for (int i = 0; i < step_items; ++i) x[i][s] = take_item(scan, from, s * length + i);
  }
  for (int i = 0; i < step_items; ++i) {
    for (int s = 0; s < num_streams; ++s) {
      const T next = scan.op(running[s], x[i][s]);
      x[i][s] = exclusive ? running[s] : next;
      running[s] = next;
    }
  }
  for (int s = 0; s < num_streams; ++s) {
    for (int i = 0; i < step_items; ++i) give_item(scan, to, s * length + i, x[i][s]);
  }
}

/// Scans a tile whose streams fold to `aggregates`, after `before`; returns the fold of both, as an
/// inclusive scan would write it last.
template <bool exclusive, class Problem, class From, class To, class T>
prefix<T> scan_streams(const Problem& scan, From from, To to, std::int64_t num_items,
                       prefix<T> before, const aggregates_of<Problem>& aggregates) {
  using op_type = typename Problem::op_type;
  constexpr int num_streams = host_path::num_streams<op_type, T>;
  const std::int64_t length = num_items / num_streams;
  if (one_chain<op_type, T> || length == 0) {
    return scan_serial<exclusive>(scan, from, to, num_items, before);
  }
  prefix<T> all = before;
  T running[std::size_t{num_streams}];
  for (int s = 0; s < num_streams; ++s) {
    // The stream's first item on its own: before the very first one nothing exists.
    running[s] = scan_serial<exclusive>(scan, from + s * length, to + s * length, 1, all).value;
    all = join(all, aggregates.stream[s], scan.op);
  }
  std::int64_t i = 1;
  for (; i + step_items <= length; i += step_items) {
    scan_step<exclusive>(scan, from + i, to + i, length, running);
  }
  prefix<T> last = {};
  for (int s = 0; s < num_streams; ++s) {
    last = scan_serial<exclusive>(scan, from + s * length + i, to + s * length + i, length - i,
                                  prefix<T>{running[s], true});
  }
  const std::int64_t done = num_streams * length;
  if (done == num_items) return last;
  return scan_serial<exclusive>(scan, from + done, to + done, num_items - done, all);
}

template <class Problem>
struct stream_tiles {
  using T = typename Problem::T;
  using aggregates = aggregates_of<Problem>;
  static constexpr bool one_chain = host_path::one_chain<typename Problem::op_type, T>;
  /// Input and output of a tile stay in an L2 of 1 MiB between the two passes. A little less than a
  /// power of two: streams 64 KiB apart would meet in the same sets of the L1 (half the speed).
  static constexpr std::int64_t tile_items(std::int64_t num_items) {
    constexpr std::size_t item_bytes =
        std::max(sizeof(typename Problem::in_type), sizeof(typename Problem::out_type));
    return (in_small_tiles(num_items, item_bytes) ? 62 : 254) * std::int64_t{1024} /
           static_cast<std::int64_t>(item_bytes);
  }

  template <class Place>
  static aggregates reduce(const Problem& scan, const Place& tile) {
    return reduce_streams(scan, tile.from, tile.num_items);
  }

  template <class Place>
  static prefix<T> scan(const Problem& scan, const Place& tile, const prefix<T>& before,
                        const aggregates& folds) {
    return scan.exclusive
               ? scan_streams<true>(scan, tile.from, tile.to, tile.num_items, before, folds)
               : scan_streams<false>(scan, tile.from, tile.to, tile.num_items, before, folds);
  }

  /// Without a reduction where it is not needed.
  template <class Place>
  static scanned_tile<T> scan_on(const Problem& scan, const Place& tile, const prefix<T>& before) {
    const aggregates folds = one_chain ? aggregates{} : reduce(scan, tile);
    const prefix<T> last = stream_tiles::scan(scan, tile, before, folds);
    return {last, one_chain ? last : join(before, folds.fold(scan.op), scan.op)};
  }
  /// The same of a tile that no other follows.
  template <class Place>
  static prefix<T> scan_last(const Problem& scan, const Place& tile, const prefix<T>& before) {
    return stream_tiles::scan(scan, tile, before, one_chain ? aggregates{} : reduce(scan, tile));
  }
};

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
