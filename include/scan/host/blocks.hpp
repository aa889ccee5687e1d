// Scan and fold of a block of operands, in lanes.
//
// A group is 4 vectors of 16 bytes, a block 64 groups: 4 KiB, which stay in the L1. With h of
// lanes.hpp inside a vector and w(0) ... w(3) the folds of a group's vectors, a float's result is
//
//   run op (h, w(0) op h, (w(0) op w(1)) op h, (w(0) op w(1)) op (w(2) op h))
//
// by the vector of its group that it is in; `run` starts a block as what precedes the block, and
// takes in the groups' folds (w(0) op w(1)) op (w(2) op w(3)) one after another. The fold of a
// block exchanges operands: an addition of floats does not mind. With L one after another, lane l
// of vector j of all groups folds to c(j, l) = L(...), lane l of the block to f(l) = (c(0, l) op
// c(1, l)) op (c(2, l) op c(3, l)), and the block to L(f(0), f(1), ...).
//
// The order of integers does not show (the operators are the library's): they take the shortest
// way.
#ifndef SCAN_HOST_BLOCKS_HPP
#define SCAN_HOST_BLOCKS_HPP

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/host/lanes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

#ifdef SCAN_HAS_LANES

inline constexpr int group_vectors = 4;
template <class T>
inline constexpr int group_items = group_vectors* lanes<T>::count;
template <class T>
inline constexpr int block_items = 64 * group_items<T>;

/// Where a thread is in a block.
template <class T>
struct block_carry {
  lanes<T> run;  // what precedes the next element, in every lane
  T last;        // the last element's inclusive result
};

/// Whether an operation may be put off until a group's vectors have been joined: it takes several
/// cycles, or there are few elements in a vector to share one.
template <class T>
inline constexpr bool joins_vectors = !std::is_integral_v<T> || sizeof(T) == 8;

/// Scans whole groups.
template <bool past_caches, class T, class Op>
void scan_groups(const T* x, T* y, std::int64_t num_groups, Op op, block_carry<T>& carry) {
  constexpr int count = lanes<T>::count;
  lanes<T> run = carry.run, last = run;
  for (const T* end = x + num_groups * group_items<T>; x != end;
       x += group_items<T>, y += group_items<T>) {
    if constexpr (joins_vectors<T>) {
      lanes<T> v[group_vectors];
      for (int j = 0; j < group_vectors; ++j) v[j] = scan_within(lanes<T>::load(x + j * count), op);
      v[1] = apply(op, broadcast_last(v[0]), v[1]);
      v[3] = apply(op, broadcast_last(v[2]), v[3]);
      const lanes<T> half = broadcast_last(v[1]);
      v[2] = apply(op, half, v[2]);
      v[3] = apply(op, half, v[3]);
      for (int j = 0; j < group_vectors; ++j) {
        last = apply(op, run, v[j]);
        last.template store<past_caches>(y + j * count);
      }
      run = apply(op, run, broadcast_last(v[3]));
    } else {
      for (int j = 0; j < group_vectors; ++j) {
        last = apply(op, run, scan_within(lanes<T>::load(x + j * count), op));
        last.template store<past_caches>(y + j * count);
        run = broadcast_last(last);
      }
    }
  }
  carry = {run, last[count - 1]};
}

/// `num_items` items and the identity.
template <class T, class Op>
void fill_group(T (&group)[group_items<T>], const T* x, std::int64_t num_items, Op) {
  std::fill_n(group, group_items<T>, lane_identity<Op, T>::value);
  std::copy_n(x, num_items, group);
}

/// Scans `num_items` > 0 items; the last group is filled up with the identity.
template <bool past_caches, class T, class Op>
void scan_block(const T* x, T* y, std::int64_t num_items, Op op, block_carry<T>& carry) {
  const std::int64_t rest = num_items % group_items<T>, whole = num_items - rest;
  if (whole > 0) scan_groups<past_caches>(x, y, whole / group_items<T>, op, carry);
  if (rest == 0) return;
  T group[group_items<T>];
  fill_group(group, x + whole, rest, op);
  scan_groups<false>(group, group, 1, op, carry);
  std::copy_n(group, rest, y + whole);
  carry.last = group[rest - 1];
}

template <class T, class Op>
T fold_block(const T* x, std::int64_t num_items, Op op) {
  constexpr int count = lanes<T>::count;
  const std::int64_t rest = num_items % group_items<T>, whole = num_items - rest;
  T folded = lane_identity<Op, T>::value;
  lanes<T> c[group_vectors];
  for (lanes<T>& vector : c) vector = lanes<T>::filled(folded);
  const auto take_in = [&](const T* group) {
    for (int j = 0; j < group_vectors; ++j) {
      c[j] = apply(op, c[j], lanes<T>::load(group + j * count));
    }
  };
  for (std::int64_t i = 0; i < whole; i += group_items<T>) take_in(x + i);
  if (rest > 0) {
    T group[group_items<T>];
    fill_group(group, x + whole, rest, op);
    take_in(group);
  }
  static_assert(group_vectors == 4);
  const lanes<T> f = apply(op, apply(op, c[0], c[1]), apply(op, c[2], c[3]));
  for (int lane = 0; lane < count; ++lane) folded = op(folded, f[lane]);
  return folded;
}

#endif

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
