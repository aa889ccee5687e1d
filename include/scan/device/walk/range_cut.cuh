// Segments that lie anywhere as those take them who walk along them, and what a lane has of one: a
// vector's items at a time, which may begin at any element and be fewer at the segment's end.
#ifndef SCAN_DEVICE_WALK_RANGE_CUT_CUH
#define SCAN_DEVICE_WALK_RANGE_CUT_CUH

#include <cstdint>

#include "scan/call/problem.hpp"
#include "scan/call/range_offsets.hpp"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/plan/range_plan.hpp"
#include "scan/device/plan/tuning.hpp"
#include "scan/device/walk/walk_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The scans of segments; `Problem_` is the one of the whole input, whose init and totals are one a
/// segment.
template <class Problem_>
struct range_cut : Problem_ {
  using Problem = Problem_;
  using typename Problem::T;
  static constexpr int vector_items = vector_items_for(walked_bytes<Problem>);
  static constexpr int blocks_per_sm = range_blocks_per_sm(static_cast<int>(sizeof(T)));

  range_offsets where;
  int block_segments;

  range_cut(const Problem& scan, const range_offsets& segments, int of_block)
      : Problem(scan), where(segments), block_segments(of_block) {}

  __device__ static std::int64_t num_vectors(std::int64_t length) {
    return (length + vector_items - 1) / vector_items;
  }
  __device__ prefix<T> start_of(std::int64_t segment) const {
    if (this->init_pointer == nullptr) return this->init;
    return {this->as_operand(this->init_pointer[segment]), true};
  }
  __device__ void write_total(std::int64_t segment, const prefix<T>& end) const {
    if (this->total == nullptr) return;
    this->total[segment] = this->as_value(end.exists ? end.value : this->first_output);
  }
};

/// A vector of a segment, from when it is loaded to when its results are stored.
template <class Cut>
class range_vector {
 public:
  using T = typename Cut::T;
  static constexpr int vector_items = Cut::vector_items;
  static constexpr bool reversed = Cut::reversed;
  using scans = vector_scan<Cut, vector_items>;
  using in_items = typename scans::in_items;
  using out_items = typename scans::out_items;

  range_vector() = default;
  /// Loads vector `index` of the segment, if there is one.
  __device__ range_vector(const Cut& scan, const segment_place& place, std::int64_t index) {
    const std::int64_t first = index * vector_items, left = place.length - first;
    count_ = left <= 0 ? 0 : valid_of(left, vector_items);
    if (count_ == 0) return;
    const std::int64_t at = reversed ? left - vector_items : first;
    to_ = place.out_begin + at;
    is_last_ = left <= vector_items;
    load(scan.in.data + (place.in_begin + at));
  }

  __device__ bool exists() const { return count_ > 0; }
  /// Whether it is whole, as all vectors of a segment are but the last, which nobody else folds.
  __device__ bool is_whole() const { return count_ == vector_items; }

  /// Means nothing where it is not whole; then the operator sees nothing of it.
  __device__ T fold(const Cut& scan) const { return scans::fold(scan, items_, is_whole()); }

  /// Stores the results after `running`, and after the last one segment `segment`'s total. Of one
  /// that exists.
  __device__ void finish(const Cut& scan, prefix<T> running, std::int64_t segment) const {
    typename scans::out_vector results;
    if (is_whole()) {
      running = scans::scan(scan, items_, running, results);
    } else {
      const auto elements = in_items::unpack(items_.of[0]);
      out_items scanned;
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        if (i < count_) scanned[i] = scan_item(scan, elements[i], running);
      }
      results = scanned.pack();
    }
    store(scan.out.data + to_, results);
    if (is_last_) scan.write_total(segment, running);
  }

 private:
  /// Whether element k of the vector's in memory is one of its items.
  __device__ bool has(int k) const { return reversed ? k >= vector_items - count_ : k < count_; }
  template <class Vector, class Data>
  __device__ bool moves_at_once(const Data& at) const {
    if constexpr (std::is_pointer_v<Data>) {
      return is_whole() && reinterpret_cast<std::uintptr_t>(at) % alignof(Vector) == 0;
    } else {
      return false;
    }
  }
  template <class Data>
  __device__ void load(const Data& from) {
    using vector = typename scans::in_vector;
    if (moves_at_once<vector>(from)) {
      if constexpr (std::is_pointer_v<Data>) {
        items_.of[0] = *reinterpret_cast<const vector*>(from);
      }
    } else {
      in_items elements;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        if (has(k)) elements.element[k] = from[k];
      }
      items_.of[0] = elements.pack();
    }
    items_.of[0].keep_packed();
  }
  template <class Data>
  __device__ void store(const Data& to, const typename scans::out_vector& results) const {
    using vector = typename scans::out_vector;
    if (moves_at_once<vector>(to)) {
      if constexpr (std::is_pointer_v<Data>) *reinterpret_cast<vector*>(to) = results;
      return;
    }
    const auto elements = out_items::unpack(results);
#pragma unroll
    for (int k = 0; k < vector_items; ++k) {
      if (has(k)) to[k] = elements.element[k];
    }
  }

  typename scans::vectors items_;
  std::int64_t to_ = 0;
  int count_ = 0;
  bool is_last_ = false;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
