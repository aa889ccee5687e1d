// Scan of a block of operands with segments in it, in lanes: as blocks.hpp, with an operator that
// keeps what lies before a head from what is at it or behind.
//
// Where a step of that scan has an earlier operand from before the head, it gets the identity: what
// is added is chosen by masks, so lengths that nobody could predict cost as much as others. Sixty-
// four items without a head take the way without masks, which gives the same bits.
#ifndef SCAN_HOST_SEGMENT_SEGMENT_LANES_HPP
#define SCAN_HOST_SEGMENT_SEGMENT_LANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/host/blocks.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

#ifdef SCAN_HAS_LANES

/// Whether scans of segments are done in lanes; of narrow ones there would be large tables.
template <class Op, class T>
inline constexpr bool segments_in_lanes = in_lanes<Op, T> && sizeof(T) >= 4;

/// Items whose flags are looked at together.
inline constexpr int chunk_items = 64;

/// Flags, bytes that are 0 or 1, as bits: that of item i at 2^i. (Of bytes in the order of x86 and
/// of every host of a GPU. The product has byte i's bit at 56 + i, and none that meets another.)
inline std::uint64_t flag_bits_of(const std::uint8_t* flags) {
  std::uint64_t bits = 0;
  for (int i = 0; i < chunk_items; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, flags + i, sizeof(eight));
    bits |= (eight * 0x0102040810204080u >> 56) << i;
  }
  return bits;
}

/// Masks of a vector's lanes, by its flags.
template <int count>
struct lane_masks {
  static constexpr int num_flags = 1 << count;
  using element = std::conditional_t<count == 4, std::uint32_t, std::uint64_t>;
  element within[2][std::size_t{num_flags}]
                [std::size_t{count}];  // lanes that take in that 1, or 2, below
  element bits[std::size_t{num_flags}][std::size_t{count}];  // lanes whose bit is 1

  constexpr lane_masks() : within{}, bits{} {
    for (int flags = 0; flags < num_flags; ++flags) {
      for (int lane = 0; lane < count; ++lane) {
        const bool is_head = (flags >> lane & 1) != 0;
        const bool after_head = lane > 0 && (flags >> (lane - 1) & 1) != 0;
        within[0][flags][lane] = lane >= 1 && !is_head ? ~element{0} : 0;
        within[1][flags][lane] = lane >= 2 && !is_head && !after_head ? ~element{0} : 0;
        bits[flags][lane] = is_head ? ~element{0} : 0;
      }
    }
  }
};
template <int count>
alignas(16) inline constexpr lane_masks<count> masks_of_lanes{};

/// `a` where the mask is, else the identity.
template <class Op, class T>
[[gnu::always_inline]] inline lanes<T> masked_lanes(
    lanes<T> a, const typename lane_masks<lanes<T>::count>::element* mask) {
  using vector = typename lanes<T>::vector;
  using words = typename lanes<typename lane_masks<lanes<T>::count>::element>::vector;
  words keep;
  std::memcpy(&keep, mask, sizeof(keep));
  const auto identity = bits_as<words>(lanes<T>::filled(lane_identity<Op, T>::value).all);
  return {bits_as<vector>((bits_as<words>(a.all) & keep) | (identity & ~keep))};
}

/// scan_within of one segment after another.
template <class Op, class T>
[[gnu::always_inline]] inline lanes<T> scan_segments_within(lanes<T> a, unsigned flags, Op op) {
  constexpr int count = lanes<T>::count;
  constexpr const auto& masks = masks_of_lanes<count>;
  a = apply(op, masked_lanes<Op>(pick(a, a, moved_up<1>{}), masks.within[0][flags]), a);
  if constexpr (count > 2) {
    a = apply(op, masked_lanes<Op>(pick(a, a, moved_up<2>{}), masks.within[1][flags]), a);
  }
  return a;
}

/// A group; `flags`: a bit an item.
template <bool past_caches, class T, class Op>
[[gnu::always_inline]] inline void scan_group_of_segments(const T* x, T* y, unsigned flags, Op op,
                                                          lanes<T>& run) {
  constexpr int count = lanes<T>::count;
  constexpr unsigned all = (1u << count) - 1;
  constexpr const auto& masks = masks_of_lanes<count>;
  static_assert(group_vectors == 4);
  // Bits of the items from vector j on that no head is at or before, as far as group's end.
  const auto before_heads = [flags](int j) {
    const unsigned from = flags >> (j * count);
    return (from & (0u - from)) - 1;
  };
  const auto kept = [&](lanes<T> a, unsigned before, int j) {
    return masked_lanes<Op>(a, masks.bits[before >> (j * count) & all]);
  };
  lanes<T> v[group_vectors];
  for (int j = 0; j < group_vectors; ++j) {
    v[j] = scan_segments_within(lanes<T>::load(x + j * count), flags >> (j * count) & all, op);
  }
  v[1] = apply(op, kept(broadcast_last(v[0]), before_heads(1), 0), v[1]);
  v[3] = apply(op, kept(broadcast_last(v[2]), before_heads(3), 0), v[3]);
  const lanes<T> half = broadcast_last(v[1]);
  const unsigned after_half = before_heads(2);
  v[2] = apply(op, kept(half, after_half, 0), v[2]);
  v[3] = apply(op, kept(half, after_half, 1), v[3]);
  const unsigned after_run = before_heads(0);
  for (int j = 0; j < group_vectors; ++j) {
    apply(op, kept(run, after_run, j), v[j]).template store<past_caches>(y + j * count);
  }
  run = apply(op, kept(run, flags == 0 ? all : 0, 0), broadcast_last(v[3]));
}

/// A chunk, whose items have the flags `bits`.
template <bool past_caches, class T, class Op>
void scan_chunk(const T* x, T* y, std::uint64_t bits, Op op, block_carry<T>& carry) {
  if (bits == 0) {
    return scan_groups<past_caches>(x, y, chunk_items / group_items<T>, op, carry);
  }
  constexpr unsigned all = (1u << group_items<T>)-1;
  lanes<T> run = carry.run;
  for (int i = 0; i < chunk_items; i += group_items<T>) {
    scan_group_of_segments<past_caches>(x + i, y + i, static_cast<unsigned>(bits >> i) & all, op,
                                        run);
  }
  carry.run = run;
}

/// scan_block of one segment after another; `carry.run` alone is kept.
template <bool past_caches, class T, class Op>
void scan_block_of_segments(const T* x, const std::uint8_t* flags, T* y, std::int64_t num_items,
                            Op op, block_carry<T>& carry) {
  const std::int64_t rest = num_items % chunk_items, whole = num_items - rest;
  for (std::int64_t i = 0; i < whole; i += chunk_items) {
    scan_chunk<past_caches>(x + i, y + i, flag_bits_of(flags + i), op, carry);
  }
  if (rest == 0) return;
  T items[chunk_items];
  std::uint8_t last_flags[chunk_items] = {};
  std::fill_n(items, chunk_items, lane_identity<Op, T>::value);
  std::copy_n(x + whole, rest, items);
  std::copy_n(flags + whole, rest, last_flags);
  scan_chunk<false>(items, items, flag_bits_of(last_flags), op, carry);
  std::copy_n(items, rest, y + whole);
}

#else

template <class Op, class T>
inline constexpr bool segments_in_lanes = false;

#endif

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
