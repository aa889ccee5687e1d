// What a thread does with a vector of each array that a problem reads: folds it, and scans it.
#ifndef SCAN_DEVICE_FOLD_VECTOR_SCAN_CUH
#define SCAN_DEVICE_FOLD_VECTOR_SCAN_CUH

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/packed.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Vectors of `vector_items` items, held as in memory.
template <class Problem, int vector_items>
struct vector_scan {
  using T = typename Problem::T;
  static constexpr int num_inputs = Problem::num_inputs;
  using item = item_of<Problem>;
  using in_items = vector_elements<typename Problem::in_type, vector_items, Problem::reversed>;
  using out_items = vector_elements<typename Problem::out_type, vector_items, Problem::reversed>;
  using in_vector = typename in_items::packed;
  using out_vector = typename out_items::packed;
  struct vectors {
    in_vector of[num_inputs];
    typename Problem::constants common = {};
  };
  static constexpr bool in_words = sizeof(in_vector) % 4 == 0;

  /// Means nothing where the vector does not exist; then the operator sees nothing of it.
  __device__ static T fold(const Problem& scan, const vectors& from, bool exists,
                           bool is_first = false) {
    if constexpr (packed<Problem>::folds && in_words) {
      packed_fold<Problem> folded(scan);
      folded.take(from.of[0]);
      return folded.result();
    } else {
      return fold_items(scan, unpacked(from), exists ? vector_items : 0, is_first);
    }
  }

  /// Scans after `running`; returns the fold of both.
  __device__ static prefix<T> scan(const Problem& scan, const vectors& from, prefix<T> running,
                                   out_vector& results) {
    if constexpr (packed<Problem>::scans && in_words) {
      packed_scan<Problem> words(scan, running);
      results = words.scan(from.of[0], scan.exclusive);
      return {words.value(), true};
    } else {
      const unpacked items(from);
      out_items scanned;
#pragma unroll
      for (int i = 0; i < vector_items; ++i) scanned[i] = scan_item(scan, items[i], running);
      results = scanned.pack();
      return running;
    }
  }

  struct unpacked {
    static constexpr int count = vector_items;
    in_items of[num_inputs];
    typename Problem::constants common;
    __device__ explicit unpacked(const vectors& from) : common(from.common) {
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) {
        of[which] = in_items::unpack(from.of[which]);
      }
    }
    __device__ item_of<Problem> operator[](int i) const {
      item_of<Problem> item{{}, common};
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) item.elements[which] = of[which][i];
      return item;
    }
  };
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
