// The fold of a run of items in which segments may begin: what tiles of segmented scans tell each
// other.
//
// With F = {v, h}: h says whether a segment begins in the run, and v is the fold of its items from
// the last such place on, or of all:
//
//   F(a, b) = F(b)                     if h(b)
//           = {v(a) op v(b), h(a)}     otherwise
//
// which is associative where op is, so the protocol of single sequences is that of segments.
#ifndef SCAN_SEGMENT_FOLD_HPP
#define SCAN_SEGMENT_FOLD_HPP

#include <cstdint>

#include "scan/abi.hpp"
#include "scan/host_device.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

template <class V>
struct segment_fold {
  V value;
  std::uint32_t has_head;  // 0 or 1
};

/// `Op` on the values of segment folds.
template <class Op>
struct segmented {
  Op op;

  SCAN_CALLS_EITHER_SIDE
  template <class V>
  SCAN_HOST_DEVICE segment_fold<V> operator()(const segment_fold<V>& earlier,
                                              const segment_fold<V>& later) const {
    if (later.has_head != 0) return later;
    return {static_cast<V>(op(earlier.value, later.value)), earlier.has_head};
  }
};

/// Whether `later` is what it is whatever comes before it: look-back ends there.
template <class Op, class T>
SCAN_HOST_DEVICE constexpr bool absorbs_earlier(const Op&, const T&) noexcept {
  return false;
}
template <class Op, class V>
SCAN_HOST_DEVICE constexpr bool absorbs_earlier(const segmented<Op>&,
                                                const segment_fold<V>& later) noexcept {
  return later.has_head != 0;
}
/// Whether any value of the operator's does.
template <class Op>
inline constexpr bool has_absorbing = false;
template <class Op>
inline constexpr bool has_absorbing<segmented<Op>> = true;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
