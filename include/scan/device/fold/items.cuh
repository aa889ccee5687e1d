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

/// One item of each array that a problem reads.
template <class Problem>
struct item_of {
  typename Problem::in_type elements[Problem::num_inputs];
};
template <class Problem>
__device__ auto take(const Problem& scan, const item_of<Problem>& item) {
  return scan.take_all(item.elements);
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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
