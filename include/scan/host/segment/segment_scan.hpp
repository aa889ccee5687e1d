// The two passes of a CPU thread over one tile with segments in it, block by block.
//
// With o the operator of segment_heads.hpp, a(k) the fold of block k, P(t) what precedes tile t and
// L one after another, block k of tile t comes after C(k) = L(P(t), a of the tile's blocks before
// k), and P(t + 1) = P(t) o L(a(k), k in tile t). In lanes (sums and the like) a(k) is the fold of
// blocks.hpp of the items from the block's last head on, and a result the one of blocks.hpp with o.
// Else a block is four streams, as in streams.hpp, of o.
#ifndef SCAN_HOST_SEGMENT_SEGMENT_SCAN_HPP
#define SCAN_HOST_SEGMENT_SEGMENT_SCAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/call/validate_segments.hpp"
#include "scan/host/lane_tiles.hpp"
#include "scan/host/segment/segment_blocks.hpp"
#include "scan/host/segment/segment_lanes.hpp"
#include "scan/host/segment/segment_streams.hpp"
#include "scan/host/segment/segment_walks.hpp"
#include "scan/host/sequence_scan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

template <class Problem, bool lanes = segments_in_lanes<typename Problem::values_type::op_type,
                                                        typename Problem::V>>
struct block_way_for {
  using type = stream_way<Problem>;
};

#ifdef SCAN_HAS_LANES

/// A block in lanes.
template <class Problem>
struct lane_way {
  static constexpr bool in_lanes = true;
  using V = typename Problem::V;
  using T = typename Problem::T;
  using block = segment_block<Problem>;
  static_assert(block::most_items == block_items<V>);

  template <class From>
  static T fold(const Problem& scan, block& room, const From& from, std::int64_t first,
                std::int64_t count, std::int64_t&) {
    const std::int64_t last = scan.walk.last_head(first, count);
    const std::int64_t begin = std::max<std::int64_t>(last, 0), length = count - begin;
    const V* x = operands(scan.values, from + begin, length, room.operands);
    if (last < 0 || !scan.has_init()) {
      return {fold_block(x, length, scan.values.op), last < 0 ? 0u : 1u};
    }
    if (x != room.operands) std::copy_n(x, length, room.operands);
    const V start = scan.start_of(scan.walk.boundary_from(first + count) - 1);
    room.operands[0] = scan.values.op(start, room.operands[0]);
    return {fold_block(room.operands, length, scan.values.op), 1};
  }

  template <bool past_caches, class From, class To>
  static prefix<T> scan(const Problem& scan, block& room, const block_place& at, const From& from,
                        const To& to, const prefix<T>& before, const T* known_fold) {
    const V* x = operands(scan.values, from, at.count, room.operands);
    if (at.has_heads && scan.has_init()) {
      if (x != room.operands) std::copy_n(x, at.count, room.operands);
      x = room.operands;
      room.take_inits(scan, at);
    }
    T fold = {};  // before the block is overwritten; integers have it as they end
    if constexpr (!std::is_integral_v<V>)
      fold = known_fold != nullptr ? *known_fold : fold_of(scan, room, at, x);
    const V identity = lane_identity<typename Problem::values_type::op_type, V>::value;
    block_carry<V> carry{lanes<V>::filled(before.exists ? before.value.value : identity), identity};
    V* const y =
        scan.values.total == nullptr ? direct_target<past_caches>(scan.values, to) : nullptr;
    if (y != nullptr) {
      scan_to<past_caches>(scan, room, at, x, y, carry);
    } else {
      room.results[0] = carry.run[0];
      scan_to<false>(scan, room, at, x, room.results + 1, carry);
      deliver<past_caches>(scan.values, room.finish(scan, at), to, at.count);
    }
    if constexpr (std::is_integral_v<V>) fold = {carry.run[0], 1};  // of all that precedes, too
    return {fold, true};
  }

 private:
  static T fold_of(const Problem& scan, const block& room, const block_place& at, const V* x) {
    const std::int64_t last = at.has_heads ? last_flag(room.flags, at.count) : -1;
    const std::int64_t begin = std::max<std::int64_t>(last, 0);
    return {fold_block(x + begin, at.count - begin, scan.values.op), last < 0 ? 0u : 1u};
  }
  template <bool past_caches>
  static void scan_to(const Problem& scan, const block& room, const block_place& at, const V* x,
                      V* y, block_carry<V>& carry) {
    if (at.has_heads) {
      scan_block_of_segments<past_caches>(x, room.flags, y, at.count, scan.values.op, carry);
    } else {
      scan_block<past_caches>(x, y, at.count, scan.values.op, carry);
    }
  }
};

template <class Problem>
struct block_way_for<Problem, true> {
  using type = lane_way<Problem>;
};

#endif

/// For host_scan.hpp, which has a tile reduced and scanned, or scanned on.
template <class Problem>
struct segment_tiles {
  using V = typename Problem::V;
  using T = typename Problem::T;
  using op_type = typename Problem::op_type;
  using way = typename block_way_for<Problem>::type;
  static constexpr int most_blocks = 32;
  static constexpr std::int64_t block_items = segment_block_items<V>;
  static constexpr std::int64_t tile_items(std::int64_t num_items) {
    return (in_small_tiles(num_items, sizeof(V)) ? 8 : most_blocks) * block_items;
  }

  struct aggregates {
    T block[most_blocks];
    T all;
    prefix<T> fold(op_type) const { return {all, true}; }
  };

  template <class Place>
  static aggregates reduce(const Problem& scan, const Place& tile) {
    segment_block<Problem> room;
    aggregates folds;
    const std::int64_t first = tile.begin;
    std::int64_t boundary = scan.walk.boundary_from(first);
    for (std::int64_t i = 0; i < tile.num_items; i += block_items) {
      const std::int64_t count = std::min(block_items, tile.num_items - i);
      T& fold = folds.block[i / block_items];
      fold = way::fold(scan, room, tile.from + i, first + i, count, boundary);
      folds.all = i == 0 ? fold : scan.op(folds.all, fold);
    }
    return folds;
  }

  template <class Place>
  static prefix<T> scan(const Problem& scan, const Place& tile, const prefix<T>& before,
                        const aggregates& folds) {
    return scan_after(scan, tile, before, folds.block).last;
  }
  template <class Place>
  static scanned_tile<T> scan_on(const Problem& scan, const Place& tile, const prefix<T>& before) {
    return scan_after(scan, tile, before, nullptr);
  }

 private:
  template <class Place>
  static scanned_tile<T> scan_after(const Problem& scan, const Place& tile, const prefix<T>& before,
                                    const T* folds) {
    if constexpr (way::in_lanes && !Problem::reversed) {  // others' outputs are stored one by one
      if (tile.past_caches) return scan_blocks<true>(scan, tile, before, folds);
    }
    return scan_blocks<false>(scan, tile, before, folds);
  }
  /// `folds`: of the blocks, or null.
  template <bool past_caches, class Place>
  static scanned_tile<T> scan_blocks(const Problem& scan, const Place& tile,
                                     const prefix<T>& before, const T* folds) {
    segment_block<Problem> room;
    prefix<T> running = before, folded = {};
    const std::int64_t first = tile.begin;
    std::int64_t boundary = scan.walk.boundary_from(first);
    for (std::int64_t i = 0; i < tile.num_items; i += block_items) {
      const std::int64_t count = std::min(block_items, tile.num_items - i);
      tile.fetch_ahead(i, count);
      const block_place at = room.mark(scan, first + i, count, boundary);
      boundary = at.next_boundary;
      const prefix<T> fold =
          way::template scan<past_caches>(scan, room, at, tile.from + i, tile.to + i, running,
                                          folds != nullptr ? folds + i / block_items : nullptr);
      running = join(running, fold, scan.op);
      folded = join(folded, fold, scan.op);
    }
    const prefix<T> next = join(before, folded, scan.op);
    return {next, next};
  }
};

// ---- Scans of segments, and by keys, on CPU threads: from the arguments of a call to the workers
// of host_scan.hpp, whose tiles are cut by items wherever segments begin. Included by it.

template <class Values, class Walk>
struct tile_scan_for<segment_problem<Values, Walk>, false> {
  using type = segment_tiles<segment_problem<Values, Walk>>;
};

/// Totals of segments that are all empty.
template <class Problem>
void write_empty_totals(const Problem& scan) {
  for (std::int64_t j = 0; j < scan.walk.num_segments(); ++j) {
    scan.values.total[scan.walk.segment(j)] = scan.values.as_value(scan.start_of(j));
  }
}

/// `scan` is a segment_problem.
template <class Problem>
status scan_walk(const Problem& scan, int threads) {
  if (scan.num_items > 0) return run(scan, threads);
  if (scan.values.total != nullptr) write_empty_totals(scan);
  return {};
}

/// Scans what has been checked, at least one item or one segment.
template <bool reversed, class Input, class Output, class Heads, class Op, class Options>
status scan_by_heads(bool exclusive, Input in, Output out, const Heads& heads, Op op,
                     const Options& opts) {
  const auto walk = walk_of(heads, reversed);
  const std::int64_t num_items = walk.end() - walk.begin();
  if (num_items > 0) {
    in.data = in.data + walk.begin();
    out.data = out.data + walk.begin();
  }
  auto values = describe<reversed>(exclusive, in, out, num_items, op, opts);
  values.init_pointer = opts.init_pointer;
  return scan_walk(segment_problem<decltype(values), std::decay_t<decltype(walk)>>{values, walk},
                   opts.threads);
}

/// Scans of segments in host memory, and by keys: segmented.hpp.
template <class Input, class Output, class Heads, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out, const Heads& given,
                  Op op, const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  Heads heads = given;
  if (const status resolved = resolve_heads(heads, opts.threads); !resolved.ok()) return resolved;
  if (const status checked = validate_segments<Op>(exclusive, in, out, heads, opts, true);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(heads)) return {};
  return opts.reverse ? scan_by_heads<true>(exclusive, in, out, heads, op, opts)
                      : scan_by_heads<false>(exclusive, in, out, heads, op, opts);
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
