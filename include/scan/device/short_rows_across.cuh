// Vectors across rows: consecutive threads have the same vector of consecutive rows, so they have
// as many items each, and meet in few banks of shared memory. Folds of vectors go through shared
// memory.
#ifndef SCAN_DEVICE_SHORT_ROWS_ACROSS_CUH
#define SCAN_DEVICE_SHORT_ROWS_ACROSS_CUH

#include "scan/device/short_rows_block.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// All threads call it.
template <class Problem>
class short_rows_across {
  using block = short_rows_block<Problem>;
  using T = typename Problem::T;
  using in_vectors = typename block::in_vectors;
  using out_vectors = typename block::out_vectors;
  using out_items = typename block::out_items;
  using inputs = typename block::inputs;
  static constexpr int num_inputs = Problem::num_inputs, vector_items = Problem::vector_items;

 public:
  __device__ explicit short_rows_across(block& rows) : scan_(rows.scan_), rows_(rows) {}

  /// Rows of several vectors, the last of which exists in part.
  __device__ void scan() {
    fold_vectors();
    __syncthreads();
    if (scan_.vectors_per_row > 2) {
      scan_folds();
      __syncthreads();
    }
    scan_vectors();
  }

  /// Rows, from `first_row` on, that are no more than a vector: one a lane.
  __device__ void scan_parts(int first_row) {
    for (int row = first_row + static_cast<int>(threadIdx.x); row < rows_.num_rows_;
         row += Problem::num_threads) {
      const prefix<T> start = rows_.start_of(row);
      prefix<T> running = start;
      scan_rest(row, rows_.first_of(0), scan_.length, running);
      rows_.write_ends(row, 0, start, running);
    }
  }

 private:
  __device__ inputs read_across(int row, int first) const {
    inputs items;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      items.of[i] =
          in_vectors::read(rows_.memory_.in[i].bytes,
                           rows_.in_offset(i, row * scan_.length + first), rows_.in_access_);
    }
    return items;
  }
  /// Folds all vectors but each row's last one, after which nothing comes.
  __device__ void fold_vectors() {
    const int stride = scan_.rows_per_tile, num_folds = (scan_.vectors_per_row - 1) * stride;
    for (int i = static_cast<int>(threadIdx.x); i < num_folds; i += Problem::num_threads) {
      const int vector = scan_.by_rows.quotient(i), row = i - vector * stride;
      if (row >= rows_.num_rows_) continue;
      rows_.memory_.folds[row * scan_.fold_stride + vector] =
          rows_.fold(read_across(row, rows_.first_of(vector)), vector);
    }
  }
  /// Scans each row's folds.
  __device__ void scan_folds() {
    const int n = scan_.vectors_per_row - 1;
    const int place = scan_.by_folds.quotient(lane_index()), vector = lane_index() - place * n;
    const int rows_at_once = scan_.by_folds.quotient(warp_size);
    for (int begin = warp_index() * rows_at_once; begin < rows_.num_rows_;
         begin += Problem::num_warps * rows_at_once) {
      const int row = begin + place;
      const bool exists = place < rows_at_once && row < rows_.num_rows_;
      // (As in short_rows_beside.)
      T& mine = rows_.memory_.folds[(exists ? row : begin) * scan_.fold_stride + vector];
      const T scanned = scan_row_lanes(mine, vector, n, scan_.op);
      __syncwarp();  // lanes without a row have read another lane's
      if (exists) mine = scanned;
    }
  }
  __device__ void scan_vectors() {
    const int stride = scan_.rows_per_tile, num_vectors = scan_.vectors_per_row * stride;
    for (int i = static_cast<int>(threadIdx.x); i < num_vectors; i += Problem::num_threads) {
      const int vector = scan_.by_rows.quotient(i), row = i - vector * stride;
      if (row >= rows_.num_rows_) continue;
      const prefix<T> start = rows_.start_of(row);
      prefix<T> running = start;
      if (vector > 0) {
        running = join(start, {rows_.memory_.folds[row * scan_.fold_stride + vector - 1], true},
                       scan_.op);
      }
      if (vector < scan_.vectors_per_row - 1) {
        scan_whole(row, vector, running);
      } else {
        scan_rest(row, rows_.first_of(vector), scan_.length - vector * vector_items, running);
      }
      rows_.write_ends(row, vector, start, running);
    }
  }
  __device__ void scan_whole(int row, int vector, prefix<T>& running) {
    const int first = rows_.first_of(vector);
    const out_items results = rows_.scan_items(read_across(row, first), vector_items, running);
    out_vectors::write(rows_.memory_.out.bytes,
                       rows_.out_offset(row * scan_.out_rows.columns + first), results,
                       rows_.out_access_);
  }

  /// A row's last vector, of which `num_valid` items exist, one at least.
  __device__ void scan_rest(int row, int first, int num_valid, prefix<T>& running) {
    inputs items;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      items.of[i] = in_vectors::read_items(
          rows_.memory_.in[i].bytes, rows_.in_offset(i, row * scan_.length + first), num_valid);
    }
    const out_items results = rows_.scan_items(items, num_valid, running);
    out_vectors::write_items(rows_.memory_.out.bytes,
                             rows_.out_offset(row * scan_.out_rows.columns + first), num_valid,
                             results);
  }

  const Problem& scan_;
  block& rows_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
