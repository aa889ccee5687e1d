// What a thread that walks does with a vector of each array: folds it, and scans it.
#ifndef SCAN_DEVICE_WALK_WALK_VECTORS_CUH
#define SCAN_DEVICE_WALK_WALK_VECTORS_CUH

#include <algorithm>

#include "scan/call/recurrence_maps.hpp"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// (Not of the states of 16-bit recurrences, which are wider: their vectors would be half as wide.)
template <class Tensor>
inline constexpr int walked_bytes = static_cast<int>(std::max(sizeof(typename Tensor::in_type),
                                                              sizeof(typename Tensor::out_type)));

/// What a thread stores: a vector of each array.
template <class Problem, int vector_items>
struct walk_results {
  using items = vector_elements<typename Problem::out_type, vector_items, Problem::reversed>;
  typename items::packed of[Problem::num_outputs];

  /// Those of the last vector of `sequence`, after which the fold is `end`.
  template <class Sequence>
  __device__ void finish(const Sequence& sequence, const prefix<typename Problem::T>& end) {
    if constexpr (Problem::num_outputs > 1) {
      auto second = items::unpack(of[1]);
      second[vector_items - 1] = sequence.last_second(end.value);
      of[1] = second.pack();
    }
  }
};

template <class Problem, int vector_items, class T = typename Problem::T>
struct walk_vectors : vector_scan<Problem, vector_items> {
  using base = vector_scan<Problem, vector_items>;
  using results = walk_results<Problem, vector_items>;

  __device__ prefix<T> scan(const Problem& scan, const typename base::vectors& from,
                            const prefix<T>& running, results& to) const {
    return base::scan(scan, from, running, to.of[0]);
  }
};

/// Of a recurrence: with two instructions a step where no factor is 0 or NaN, which the product of
/// the factors tells (one that has become 0 by underflow is looked at twice). Operation by
/// operation as vector_scan.
template <class Problem, int vector_items, class S>
struct walk_vectors<Problem, vector_items, affine_map<S>> : vector_scan<Problem, vector_items> {
  using base = vector_scan<Problem, vector_items>;
  using T = affine_map<S>;
  using typename base::out_items;
  using typename base::unpacked;
  using typename base::vectors;
  using results = walk_results<Problem, vector_items>;

  __device__ T fold(const Problem& scan, const vectors& from, bool exists, bool is_first) {
    const unpacked items(from);
    const recurrence_step<S> first = take(scan, items[0]);
    T folded{first.factor, first.offset};
#pragma unroll
    for (int i = 1; i < vector_items; ++i) {
      const recurrence_step<S> step = take(scan, items[i]);
      folded.offset = multiply_add(step.factor, folded.offset, step.offset);
      folded.factor = step.factor * folded.factor;
    }
    // (`folded.factor < 0` would begin arguments of the template scan::factor in C++17.)
    const S factor = folded.factor;
    is_plain_ = exists && (factor > 0 || factor < 0);
    if (!is_plain_) return base::fold(scan, from, exists, is_first);
    if (is_first) folded.factor = begins_anew<S>;
    return folded;
  }

  __device__ prefix<T> scan(const Problem& scan, const vectors& from, const prefix<T>& before,
                            results& to) const {
    const unpacked items(from);
    out_items scanned[Problem::num_outputs];
    const auto put = [&](int i, const T& state) {
      scanned[0][i] = scan.give(state);
      if constexpr (Problem::num_outputs > 1) {
        scanned[1][i] = scan.give_second(state, items[i].elements);
      }
    };
    prefix<T> running = before;
    if (is_plain_) {
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        const recurrence_step<S> step = take(scan, items[i]);
        const S state = multiply_add(step.factor, running.value.offset, step.offset);
        running.value.offset = i == 0 && !running.exists ? step.offset : state;
        put(i, running.value);
      }
    } else {
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        running = extend(running, take(scan, items[i]), scan.op);
        put(i, running.value);
      }
    }
#pragma unroll
    for (int k = 0; k < Problem::num_outputs; ++k) to.of[k] = scanned[k].pack();
    return {running.value, true};
  }

 private:
  bool is_plain_ = false;  // the vector that has been folded
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
