// What a thread that walks does with a vector: folds it, and scans it.
#ifndef SCAN_DEVICE_WALK_WALK_VECTORS_CUH
#define SCAN_DEVICE_WALK_WALK_VECTORS_CUH

#include "scan/call/recurrence_maps.hpp"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class Problem, int vector_items, int num_inputs = Problem::num_inputs>
struct walk_vectors : vector_scan<Problem, vector_items> {};

/// Of a recurrence: with two instructions a step where no factor is 0 or NaN, which the product of
/// the factors tells (one that has become 0 by underflow is looked at twice). Operation by
/// operation as vector_scan.
template <class Problem, int vector_items>
struct walk_vectors<Problem, vector_items, 2> : vector_scan<Problem, vector_items> {
  using base = vector_scan<Problem, vector_items>;
  using T = typename Problem::T;
  using S = typename Problem::value_type;
  using typename base::out_vector;
  using typename base::vectors;

  __device__ T fold(const Problem& scan, const vectors& from, bool exists, bool is_first) {
    const steps of(from);
    T folded{of.factor(0), of.offset(0)};
#pragma unroll
    for (int i = 1; i < vector_items; ++i) {
      folded.offset = multiply_add(of.factor(i), folded.offset, of.offset(i));
      folded.factor = of.factor(i) * folded.factor;
    }
    is_plain_ = exists && (folded.factor > 0 || folded.factor < 0);
    if (!is_plain_) return base::fold(scan, from, exists, is_first);
    if (is_first) folded.factor = begins_anew<S>;
    return folded;
  }

  __device__ prefix<T> scan(const Problem& scan, const vectors& from, const prefix<T>& running,
                            out_vector& results) const {
    if (!is_plain_) return base::scan(scan, from, running, results);
    const steps of(from);
    typename base::out_items scanned;
    S state{};
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      state = i == 0 && !running.exists
                  ? of.offset(0)
                  : multiply_add(of.factor(i), i == 0 ? running.value.offset : state, of.offset(i));
      scanned[i] = convert<typename Problem::out_type>(state);
    }
    results = scanned.pack();
    return {scan.as_operand(state), true};
  }

 private:
  struct steps {
    typename base::in_items offsets, factors;
    __device__ explicit steps(const vectors& from)
        : offsets(base::in_items::unpack(from.of[0])),
          factors(base::in_items::unpack(from.of[1])) {}
    __device__ S offset(int i) const { return convert<S>(offsets[i]); }
    __device__ S factor(int i) const { return convert<S>(factors[i]); }
  };

  bool is_plain_ = false;  // the vector that has been folded
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
