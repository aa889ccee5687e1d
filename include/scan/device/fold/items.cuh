// What is done with the few items of a thread, one after another: fold, and scan.
#ifndef SCAN_DEVICE_FOLD_ITEMS_CUH
#define SCAN_DEVICE_FOLD_ITEMS_CUH

#include <cstdint>

#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of `left` items, which may be none or more than one has room for: those of the next `most`.
__device__ inline int valid_of(std::int64_t left, int most) {
  return left < most ? static_cast<int>(left) : most;
}

/// One item of each array that a problem reads, and what it has in common with all of the sequence.
template <class Problem>
struct item_of {
  typename Problem::in_type elements[Problem::num_inputs];
  typename Problem::constants common;
};
template <class Problem>
__device__ auto take(const Problem& scan, const item_of<Problem>& item) {
  return scan.take_all(item.elements, item.common);
}
template <class Problem>
__device__ typename Problem::T take(const Problem& scan, const typename Problem::in_type& item) {
  return scan.take(item);
}

/// The fold of the first `num_valid` of `items`; means nothing without any. `is_first`: see run_of.
template <class Problem, class Items>
__device__ typename Problem::T fold_items(const Problem& scan, const Items& items, int num_valid,
                                          bool is_first = false) {
  auto op = scan.op;
  typename Problem::T value;
  if (num_valid > 0) value = run_of<typename Problem::T>(take(scan, items[0]), is_first);
#pragma unroll
  for (int i = 1; i < Items::count; ++i) {
    if (i < num_valid) value = op(value, take(scan, items[i]));
  }
  return value;
}

/// One item's result; `running` goes from its exclusive to its inclusive prefix.
template <class Problem, class Item>
__device__ typename Problem::out_type scan_item(const Problem& scan, const Item& item,
                                                prefix<typename Problem::T>& running) {
  using T = typename Problem::T;
  const prefix<T> next = extend(running, take(scan, item), scan.op);
  const T earlier = running.exists ? running.value : scan.first_output;
  running = next;
  return scan.give(scan.exclusive ? earlier : next.value);
}

/// What goes to each array that a problem writes.
template <class Problem>
struct results_of {
  typename Problem::out_type of[Problem::num_outputs];

  /// One item's: see scan_item.
  __device__ static results_of scanned(const Problem& scan, const item_of<Problem>& item,
                                       prefix<typename Problem::T>& running) {
    results_of results;
    results.of[0] = scan_item(scan, item, running);
    if constexpr (Problem::num_outputs > 1) {
      results.of[1] = scan.give_second(running.value, item.elements);
    }
    return results;
  }
  /// The last item's of `sequence`, after which the fold is `end`.
  template <class Sequence>
  __device__ void finish(const Sequence& sequence, const prefix<typename Problem::T>& end) {
    if constexpr (Problem::num_outputs > 1) of[1] = sequence.last_second(end.value);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
