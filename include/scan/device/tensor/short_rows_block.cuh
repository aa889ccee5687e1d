// A block's tile of whole rows in shared memory, and what is done with the items of one vector.
#ifndef SCAN_DEVICE_TENSOR_SHORT_ROWS_BLOCK_CUH
#define SCAN_DEVICE_TENSOR_SHORT_ROWS_BLOCK_CUH

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/move/shared_vectors.cuh"
#include "scan/device/move/short_rows_io.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a short_rows_cut. Offsets are bytes of shared memory.
template <class Problem>
struct short_rows_block {
  using T = typename Problem::T;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  static constexpr int num_inputs = Problem::num_inputs, vector_items = Problem::vector_items;
  static constexpr bool reversed = Problem::reversed;
  using in_io = short_rows_io<in_type, Problem::tile_items, Problem::num_threads>;
  using out_io = short_rows_io<out_type, Problem::tile_items, Problem::num_threads>;
  using in_vectors = shared_vectors<in_type, vector_items, reversed>;
  using out_vectors = shared_vectors<out_type, vector_items, reversed>;
  using in_items = typename in_vectors::items;
  using out_items = typename out_vectors::items;
  struct shared {
    typename in_io::shared in[num_inputs];
    typename out_io::shared out;
    shared_array<T, Problem::tile_folds> folds;
  };

  __device__ short_rows_block(const Problem& scan, std::int64_t tile, shared& memory)
      : scan_(scan), memory_(memory), first_row_(tile * scan.rows_per_tile) {
    const std::int64_t left = scan.shape.outer - first_row_;
    num_rows_ = left < scan.rows_per_tile ? static_cast<int>(left) : scan.rows_per_tile;
    out_begin_ = out_io::begin_of(first_output(), scan_.out_rows);
    asm("" : "+r"(out_begin_));  // or it is worked out again for every vector
    unsigned vectors_begin = 0;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      in_begin_[i] = in_io::begin_of(first_input(i), scan_.in_rows);
      asm("" : "+r"(in_begin_[i]));
      vectors_begin |= in_offset(i, first_of(0));
    }
    in_access_ = in_vectors::access_of(vectors_begin, scan_.length * sizeof(in_type));
    out_access_ =
        out_vectors::access_of(out_offset(first_of(0)), scan_.out_rows.columns * sizeof(out_type));
  }

  /// All threads.
  __device__ void load() {
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      const in_type* const array = scan_.input(i);
      in_io::load(first_input(i), num_rows_, scan_.in_rows, array,
                  array + (scan_.shape.outer - 1) * scan_.in_rows.pitch + scan_.length,
                  memory_.in[i]);
    }
  }
  __device__ void store() { out_io::store(first_output(), num_rows_, scan_.out_rows, memory_.out); }

  __device__ bool all_whole() const {
    return in_access_ == vector_access::whole && out_access_ == vector_access::whole;
  }

  /// Where rows that fill a vector together are taken as one.
  __device__ void access_groups() {
    unsigned begin = 0;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) begin |= in_begin_[i];
    in_access_ = in_vectors::access_of(begin, 0);
    out_access_ = out_vectors::access_of(out_begin_, 0);
  }
  /// The first element in memory of a row's vector.
  __device__ int first_of(int vector) const {
    return reversed ? scan_.length - (vector + 1) * vector_items : vector * vector_items;
  }

  struct inputs {
    in_items of[num_inputs];
  };

  __device__ const in_type* first_input(int i) const {
    return scan_.input(i) + first_row_ * scan_.in_rows.pitch;
  }
  __device__ out_type* first_output() const {
    return scan_.out.data + first_row_ * scan_.out_rows.pitch;
  }
  __device__ unsigned in_offset(int i, int element) const {
    return in_begin_[i] + element * static_cast<int>(sizeof(in_type));
  }
  __device__ unsigned out_offset(int element) const {
    return out_begin_ + element * static_cast<int>(sizeof(out_type));
  }
  __device__ auto operand(const inputs& items, int i) const {
    in_type elements[num_inputs];
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) elements[k] = items.of[k][i];
    return scan_.take_all(elements);
  }
  /// The first, as the fold of its own.
  __device__ T first_operand(const inputs& items, int vector) const {
    return run_of<T>(operand(items, 0), vector == 0 && !scan_.has_start);
  }
  /// The fold of a whole vector, the row's `vector`.
  __device__ T fold(const inputs& items, int vector) const {
    T folded = first_operand(items, vector);
#pragma unroll
    for (int i = 1; i < vector_items; ++i) folded = scan_.op(folded, operand(items, i));
    return folded;
  }
  /// The results of the first `num_valid` items, one at least; `running` goes from the fold of what
  /// precedes them to that of all.
  template <bool by_groups = false>
  __device__ out_items scan_items(const inputs& items, int num_valid, prefix<T>& running) const {
    out_items results;
    if (scan_.exclusive) {
      walk<by_groups, true>(items, num_valid, running, results);
    } else {
      walk<by_groups, false>(items, num_valid, running, results);
    }
    return results;
  }
  template <bool by_groups, bool exclusive>
  __device__ void walk(const inputs& items, int num_valid, prefix<T>& running,
                       out_items& results) const {
    const prefix<T> start = running;
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      if (i > 0 && i >= num_valid) continue;
      if (by_groups && (scan_.starts >> i & 1) != 0) running = start;
      if (exclusive) results[i] = scan_.give(running.exists ? running.value : scan_.first_output);
      running = extend(running, operand(items, i), scan_.op);
      if (!exclusive) results[i] = scan_.give(running.value);
    }
  }

  __device__ prefix<T> start_of(int row) const {
    if (!scan_.starts_apart) return {scan_.init.value, scan_.has_start};
    if constexpr (std::is_base_of_v<refusable, Problem>) {
      if (scan_.before != nullptr) return scan_.before[first_row_ + row];
    }
    return {scan_.as_operand(scan_.init_pointer[first_row_ + row]), true};
  }
  /// By those who have scanned a row's vector, from its start and to its end.
  __device__ void write_ends(int row, int vector, const prefix<T>& start, const prefix<T>& end) {
    if (!scan_.has_ends) return;
    const bool is_first = vector == 0, is_last = vector == scan_.vectors_per_row - 1;
    if (is_last && scan_.total != nullptr) {
      scan_.total[first_row_ + row] = scan_.as_value(end.value);
    }
    if constexpr (num_inputs == 1) {
      if (is_first && scan_.start_output != nullptr) {
        write_extra(row, start.exists ? start.value : scan_.first_output);
      }
      if (is_last && scan_.end_output != nullptr) write_extra(row, end.value);
    }
  }
  /// The output beyond a row's last one.
  __device__ void write_extra(int row, const T& value) {
    reinterpret_cast<out_type*>(memory_.out.bytes +
                                out_begin_)[row * scan_.out_rows.columns + scan_.length] =
        scan_.give(value);
  }

  const Problem& scan_;
  shared& memory_;
  std::int64_t first_row_;
  int num_rows_;
  unsigned in_begin_[num_inputs], out_begin_;  // offsets of the first row
  vector_access in_access_, out_access_;
};

/// Scans values across the lanes of each row, of which there are n; this one's place is `place`.
/// Each step's partner is in the same row, or is not asked. All lanes.
template <class T, class Op>
__device__ T scan_row_lanes(T value, int place, int n, Op op) {
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    if (delta >= n) break;
    const T earlier = shuffle_up(value, delta);
    if (place >= delta) value = op(earlier, value);
  }
  return value;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
