// A block of items with segments in it, on its way through a CPU thread: operands with the inits
// folded in, flags, results.
#ifndef SCAN_HOST_SEGMENT_SEGMENT_BLOCKS_HPP
#define SCAN_HOST_SEGMENT_SEGMENT_BLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "scan/call/recurrence_problem.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/host/segment/segment_walks.hpp"
#include "scan/host/tile_place.hpp"
#include "scan/operators.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// What a walk goes along: the input, or of a recurrence its steps.
template <class Values>
auto walked_input(const Values& values) {
  if constexpr (Values::is_recurrence) {
    using steps = recurrence_steps<typename Values::value_type, decltype(values.in)>;
    struct step_input {
      steps data;
    };
    return step_input{{values.in}};
  } else {
    return values.in;
  }
}

/// Segments of one array, as the workers of host_scan.hpp take a scan. `Values` is the `problem` of
/// the elements as one sequence, whose first is the walk's item 0; it has init and total.
template <class Values, class Walk>
struct segment_problem {
  using values_type = Values;
  using in_type = typename Values::in_type;
  using out_type = typename Values::out_type;
  using V = typename Values::T;
  using T = segment_fold<V>;
  using op_type = segmented<typename Values::op_type>;
  static constexpr bool reversed = Values::reversed;

  Values values;
  Walk walk;
  decltype(walked_input(std::declval<const Values&>())) in = walked_input(values);
  decltype(Values::out) out = values.out;
  std::int64_t num_items = values.num_items;
  op_type op{values.op};

  /// Before item 0, which begins a segment, there is nothing that anybody sees.
  prefix<T> start() const { return {}; }
  void write_start(const prefix<T>&) const {}
  void write_end(const prefix<T>&) const {}

  // (host_scan.hpp asks for no more.)
  bool has_init() const { return values.init.exists || values.init_pointer != nullptr; }
  /// What segment j of the walk starts with; without an init the identity.
  V start_of(std::int64_t j) const {
    if (values.init_pointer != nullptr) {
      return values.as_operand(values.init_pointer[walk.segment(j)]);
    }
    return values.init.exists ? values.init.value : values.first_output;
  }
};

/// Whether nobody sees it when the operator is applied to any two values and the result is not
/// used: of numbers, not of types that bring a `+` of their own.
template <class Op, class V>
inline constexpr bool may_be_unused = is_own_operator<Op>&& is_number<V> && sizeof(V) <= 8;
template <class S>
inline constexpr bool may_be_unused<compose_maps, affine_map<S>> = sizeof(affine_map<S>) <= 8;

/// 4 KiB of operands, which stay in the L1.
template <class V>
inline constexpr std::int64_t segment_block_items = std::int64_t{4096} / sizeof(V);

/// Makes `items` those of `others` where the flag is 1. Of bits, which compilers make vector code
/// of: branches on flags that nobody can predict cost more than all the rest.
template <class V, class Other>
void replace_flagged(const std::uint8_t* flags, std::int64_t count, const Other& others, V* items) {
  if constexpr (sizeof(V) == 4 || sizeof(V) == 8) {
    using U = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
    for (std::int64_t i = 0; i < count; ++i) {
      const V other = others(i);
      U old_bits, new_bits;
      std::memcpy(&old_bits, std::addressof(items[i]), sizeof(V));
      std::memcpy(&new_bits, std::addressof(other), sizeof(V));
      const U mask = U{0} - flags[i];
      old_bits = (old_bits & ~mask) | (new_bits & mask);
      std::memcpy(static_cast<void*>(std::addressof(items[i])), &old_bits, sizeof(V));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      if (flags[i] != 0) items[i] = others(i);
    }
  }
}

/// Where a block is in a walk.
struct block_place {
  std::int64_t first, count;   // items
  std::int64_t boundary;       // the walk's first at `first` or behind
  std::int64_t next_boundary;  // at first + count or behind
  bool has_heads;
};

template <class Problem>
struct segment_block {
  using V = typename Problem::V;
  static constexpr std::int64_t most_items = segment_block_items<V>;

  V operands[std::size_t{most_items}];
  V results[std::size_t{most_items} + 1];  // of what precedes the block, and of the items
  std::uint8_t flags[std::size_t{most_items}];

  block_place mark(const Problem& scan, std::int64_t first, std::int64_t count,
                   std::int64_t boundary) {
    block_place at{first, count, boundary, boundary, false};
    at.has_heads = scan.walk.mark(first, count, flags, at.next_boundary);
    return at;
  }

  /// Fills `operands`.
  template <class From>
  void take(const Problem& scan, const From& from, const block_place& at) {
    if constexpr (Problem::values_type::is_recurrence) {
      // The factor of a segment's first step is not used, but of an init.
      const bool begin = at.has_heads && !scan.has_init();
      for (std::int64_t i = 0; i < at.count; ++i) {
        operands[i] = from[i].run(begin && flags[i] != 0);
      }
    } else {
      for (std::int64_t i = 0; i < at.count; ++i) operands[i] = take_item(scan.values, from, i);
    }
    if (at.has_heads && scan.has_init()) take_inits(scan, at);
  }
  /// Folds the inits into them.
  void take_inits(const Problem& scan, const block_place& at) {
    if (scan.values.init_pointer != nullptr) {
      for_each_start(scan, at, [&](std::int64_t i, const V& start) {
        operands[i] = scan.values.op(start, operands[i]);
      });
      return;
    }
    const V start = scan.start_of(0);
    if constexpr (may_be_unused<typename Problem::values_type::op_type, V>) {
      // In loops of their own: vector code, whatever the flags are.
      V* const folded = results + 1;
      for (std::int64_t i = 0; i < at.count; ++i) folded[i] = scan.values.op(start, operands[i]);
      replace_flagged(
          flags, at.count, [=](std::int64_t i) { return folded[i]; }, operands);
    } else {
      for (std::int64_t i = 0; i < at.count; ++i) {
        if (flags[i] != 0) operands[i] = scan.values.op(start, operands[i]);
      }
    }
  }

  /// After the scan: totals, and where the scan's results begin; an exclusive scan's are where the
  /// item before had its own.
  const V* finish(const Problem& scan, const block_place& at) {
    if (scan.values.total != nullptr) write_totals(scan, at);
    if (!scan.values.exclusive) return results + 1;
    if (at.has_heads) start_segments(scan, at);
    return results;
  }

 private:
  /// Calls `give(i, start)` for items i that begin a segment, with the init that is its own.
  template <class Give>
  static void for_each_start(const Problem& scan, const block_place& at, Give give) {
    for (std::int64_t j = at.boundary; j < at.next_boundary; ++j) {
      const std::int64_t item = scan.walk.boundary(j);
      if (scan.walk.boundary(j + 1) > item) give(item - at.first, scan.start_of(j));
    }
  }

  void start_segments(const Problem& scan, const block_place& at) {
    if (scan.values.init_pointer != nullptr) {
      for_each_start(scan, at, [&](std::int64_t i, const V& start) { results[i] = start; });
      return;
    }
    const V start = scan.start_of(0);
    replace_flagged(
        flags, at.count, [=](std::int64_t) { return start; }, results);
  }

  /// Of the segments that end in the block, and of the empty ones there.
  void write_totals(const Problem& scan, const block_place& at) const {
    const auto& walk = scan.walk;
    const bool own_inits = scan.values.init_pointer != nullptr;
    V start = scan.start_of(0);
    std::int64_t item = at.boundary > 0 ? walk.boundary(at.boundary - 1) : 0;
    // What ends where the block begins has been written with the block before.
    std::int64_t j = at.boundary;
    for (const std::int64_t least = at.first == 0 ? 0 : at.first + 1;
         j <= walk.num_segments() && (j == 0 || walk.boundary(j) < least); ++j) {
      item = walk.boundary(j);
    }
    constexpr std::int64_t most_ends = 128;
    for (std::int64_t ends[most_ends];;) {
      const std::int64_t count = std::min(most_ends, walk.num_segments() + 1 - j);
      walk.boundaries(j, count, ends);
      for (std::int64_t k = 0; k < count; ++k, ++j) {
        if (ends[k] > at.first + at.count) return;
        if (own_inits) start = scan.start_of(j - 1);
        const V* const total =
            ends[k] > item ? results + (ends[k] - at.first) : std::addressof(start);
        scan.values.total[walk.segment(j - 1)] = scan.values.as_value(*total);
        item = ends[k];
      }
      if (count < most_ends) return;
    }
  }
};

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
