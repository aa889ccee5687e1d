// What compactions fold: how many of some elements are kept, and of runs what is known of the last
// one. `Int`: of all elements before some, or narrower of those that a GPU's workers look at
// together.
#ifndef SCAN_CALL_COMPACTION_FOLD_HPP
#define SCAN_CALL_COMPACTION_FOLD_HPP

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// How many are kept.
template <class Int>
struct kept_count {
  Int count;

  SCAN_HOST_DEVICE static kept_count none() { return {0}; }
  SCAN_HOST_DEVICE static kept_count of(bool is_kept) { return {is_kept ? 1 : 0}; }
  SCAN_HOST_DEVICE Int num_kept() const { return count; }
  template <class Other>
  SCAN_HOST_DEVICE kept_count then(const kept_count<Other>& later) const {
    return {count + later.count};
  }
  template <class Wide>
  SCAN_HOST_DEVICE explicit operator kept_count<Wide>() const {
    return {count};
  }
};
/// And how many there are from the last of these on, itself included; of none, how many there are.
template <class Int>
struct kept_until {
  Int count, open;

  SCAN_HOST_DEVICE static kept_until none() { return {0, 0}; }
  SCAN_HOST_DEVICE static kept_until of(bool is_kept) { return {is_kept ? 1 : 0, 1}; }
  SCAN_HOST_DEVICE Int num_kept() const { return count; }
  template <class Other>
  SCAN_HOST_DEVICE kept_until then(const kept_until<Other>& later) const {
    return {count + later.count, later.count > 0 ? Int{later.open} : open + later.open};
  }
  template <class Wide>
  SCAN_HOST_DEVICE explicit operator kept_until<Wide>() const {
    return {count, open};
  }
};
/// The operator of either.
struct join_kept {
  template <class T, class Later>
  SCAN_HOST_DEVICE T operator()(const T& earlier, const Later& later) const {
    return earlier.then(later);
  }
};

/// And what the values from the last of these on fold to; of none, all values. Of no elements the
/// count is -1, and `open` no value.
template <class Int, class V>
struct kept_fold {
  Int count;
  V open;

  SCAN_HOST_DEVICE static kept_fold none() { return {-1, {}}; }
  SCAN_HOST_DEVICE static kept_fold of(bool is_kept, const V& value) {
    return {is_kept ? 1 : 0, value};
  }
  SCAN_HOST_DEVICE bool has_any() const { return count >= 0; }
  SCAN_HOST_DEVICE Int num_kept() const { return count < 0 ? 0 : count; }
  template <class Wide>
  SCAN_HOST_DEVICE explicit operator kept_fold<Wide, V>() const {
    return {count, open};
  }
};
/// The operator of these, of values by `Op`.
template <class Op>
struct join_folds {
  Op op;

  SCAN_CALLS_EITHER_SIDE
  template <class Int, class Other, class V>
  SCAN_HOST_DEVICE kept_fold<Int, V> operator()(const kept_fold<Int, V>& earlier,
                                                const kept_fold<Other, V>& later) const {
    if (!later.has_any()) return earlier;
    const Int count = earlier.num_kept() + later.count;
    if (later.count > 0 || !earlier.has_any()) return {count, later.open};
    return {count, op(earlier.open, later.open)};
  }
};
template <class Op>
inline constexpr bool joins_folds = false;
template <class Op>
inline constexpr bool joins_folds<join_folds<Op>> = true;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
