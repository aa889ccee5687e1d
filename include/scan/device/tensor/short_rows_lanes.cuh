// Which lanes have which vectors of a tile of short rows: across rows, or beside each other.
#ifndef SCAN_DEVICE_TENSOR_SHORT_ROWS_LANES_CUH
#define SCAN_DEVICE_TENSOR_SHORT_ROWS_LANES_CUH

#include "scan/device/fold/packed.cuh"
#include "scan/device/tensor/short_rows_block.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// ---- Vectors across rows: consecutive threads have the same vector of consecutive rows, so they
// have as many items each, and meet in few banks of shared memory. Folds of vectors go through
// shared memory.

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

// ---- Vectors beside each other: a vector a lane. Lane l has vector l % n of its row l / n, n
// vectors a row.

template <class Problem>
class short_rows_beside {
  using block = short_rows_block<Problem>;
  using T = typename Problem::T;
  using in_vectors = typename block::in_vectors;
  using out_vectors = typename block::out_vectors;
  using inputs = typename block::inputs;
  static constexpr int num_inputs = Problem::num_inputs, vector_items = Problem::vector_items;
  static constexpr bool reversed = Problem::reversed;
  static constexpr bool in_words = in_vectors::in_words, out_words = out_vectors::in_words;
  static constexpr bool folds_packed = packed<Problem>::folds && in_words;
  static constexpr bool scans_packed = packed<Problem>::scans && in_words && out_words;

 public:
  __device__ explicit short_rows_beside(block& rows) : scan_(rows.scan_), rows_(rows) {}

  /// `groups`: these are vectors of as many rows as fill one; else rows, whose vectors are whole or
  /// in words.
  template <bool groups>
  __device__ void scan(int num_rows) {
    const int n = groups ? 1 : scan_.vectors_per_row;
    const int place = groups ? lane_index() : scan_.by_vectors.quotient(lane_index());
    const int rows_at_once = groups ? warp_size : scan_.by_vectors.quotient(warp_size);
    const int vector = lane_index() - place * n;
    const int length = groups ? vector_items : scan_.length;
    const int columns = groups ? vector_items : scan_.out_rows.columns;
    const int first = reversed ? length - (vector + 1) * vector_items : vector * vector_items;
    const int num_valid = groups || !Problem::parts_beside
                              ? vector_items
                              : min(length - vector * vector_items, vector_items);
    for (int begin = warp_index() * rows_at_once; begin < num_rows;
         begin += Problem::num_warps * rows_at_once) {
      const int row = begin + place;
      const bool exists = place < rows_at_once && row < num_rows;
      // (Lanes without a row do what the first of those do that have one: it is real elements.)
      scan_vector<groups>(row, vector, (exists ? row : begin) * length + first,
                          row * columns + first, num_valid, exists);
    }
  }

 private:
  /// All lanes; `in_first` and `out_first`: the vector's first elements in memory.
  template <bool groups>
  __device__ void scan_vector(int row, int vector, int in_first, int out_first, int num_valid,
                              bool exists) {
    inputs items;
    typename in_vectors::packed words;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      const auto* const memory = rows_.memory_.in[i].bytes;
      if constexpr (in_words) {
        words = in_vectors::read_beside(memory, rows_.in_offset(i, in_first),
                                        rows_.in_access_ == vector_access::whole);
        items.of[i] = block::in_items::unpack(words);
      } else {
        items.of[i] = in_vectors::read_items(memory, rows_.in_offset(i, in_first), num_valid);
      }
    }
    prefix<T> running = {};
    if (!groups && scan_.vectors_per_row > 1) {
      const T folded = scan_row_lanes(fold_beside(items, words, vector, num_valid), vector,
                                      scan_.vectors_per_row, scan_.op);
      running = {shuffle_up(folded, 1), vector > 0};
    }
    if (!exists) return;
    const prefix<T> start = groups ? scan_.init : rows_.start_of(row);
    running = join(start, running, scan_.op);

    typename out_vectors::packed results;
    typename block::out_items given;
    if constexpr (!groups && scans_packed) {
      packed_scan<Problem> scanned(scan_, running);
      results = scanned.scan(words, scan_.exclusive);
      running = {scanned.value(), true};
    } else {
      given = rows_.template scan_items<groups>(items, num_valid, running);
      if constexpr (out_words) results = given.pack();
    }
    if constexpr (out_words) {
      out_vectors::write_beside(
          rows_.memory_.out.bytes, rows_.out_offset(out_first), num_valid, results,
          rows_.out_access_ == vector_access::whole && (groups || scan_.whole_vectors));
    } else {
      out_vectors::write_items(rows_.memory_.out.bytes, rows_.out_offset(out_first), num_valid,
                               given);
    }
    if constexpr (!groups) rows_.write_ends(row, vector, start, running);
  }
  /// Of a vector that exists in part, after which nothing comes, any item.
  __device__ T fold_beside(const inputs& items, const typename in_vectors::packed& words,
                           int vector, int num_valid) const {
    if constexpr (folds_packed) {
      packed_fold<Problem> folded(scan_);
      folded.take(words);
      return folded.result();
    } else {
      T folded = rows_.first_operand(items, vector);
#pragma unroll
      for (int i = 1; i < vector_items; ++i) {
        if (num_valid == vector_items) folded = scan_.op(folded, rows_.operand(items, i));
      }
      return folded;
    }
  }

  const Problem& scan_;
  block& rows_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
