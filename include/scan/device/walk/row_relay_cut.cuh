// The rows of a tensor in parts that blocks hold in shared memory.
#ifndef SCAN_DEVICE_WALK_ROW_RELAY_CUT_CUH
#define SCAN_DEVICE_WALK_ROW_RELAY_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/move/row_arrays.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/plan/walk_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The scans of all rows; `Tensor` is a tensor_problem with inner = 1. A thread has `run` vectors
/// that follow each other, so a chunk is some lanes'.
template <class Tensor>
struct row_relay_cut : Tensor {
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int element_bytes =
      static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int run = relay_run_vectors(element_bytes, Tensor::run_inputs);
  static constexpr int chunk_threads = chunk_vectors / run;
  static constexpr int most_threads = most_relay_threads;
  static constexpr int most_chunks = most_threads / chunk_threads;
  static constexpr int most_rows = most_chunks, most_tiles = most_chunks;
  static constexpr int blocks_per_sm = relay_blocks_per_sm(Tensor::run_inputs, sizeof(T));
  /// Results take the items' place in shared memory, where these can be as far off granules.
  static constexpr bool one_place =
      sizeof(in_type) == sizeof(out_type) && alignof(in_type) <= alignof(out_type);

  relay_plan plan;
  int tile_vectors;
  small_divisor row_threads;  // of a row's part that a block has; each has a run
  small_divisor row_tiles;    // of rows that a block has whole
  bool in_dense, out_dense;   // no gaps between a part's rows
  bool alike;                 // items and results are as far off granules

  row_relay_cut(const Tensor& scan, const relay_plan& given)
      : Tensor(scan),
        plan(given),
        tile_vectors(given.tile_chunks * chunk_vectors),
        row_threads(given.part_chunks * chunk_threads),
        row_tiles(std::min(given.tiles_per_row, most_chunks)),
        in_dense(given.rows_per_block() == 1 || scan.shape.in_pitch == scan.shape.length),
        out_dense(given.rows_per_block() == 1 || scan.shape.out_pitch == scan.shape.length),
        alike(in_dense == out_dense && rows_are_alike(scan)) {}
};

/// A block's tiles: `count` of one row, or of `rows` whole ones. `looks_back`: rows are several
/// blocks'; parts are numbered in the order in which they are handed on, the first of each row
/// before the second.
template <bool looks_back>
struct relay_part {
  static constexpr bool is_rows = !looks_back;
  std::int64_t first_row;
  int first_tile;  // of its row
  int count, rows;
  small_divisor row_tiles;

  template <class Problem>
  __device__ relay_part(const Problem& scan, std::int64_t index) : row_tiles(scan.row_tiles) {
    if constexpr (is_rows) {
      const int most = row_tiles.quotient(scan.plan.block_tiles);
      first_row = index * most;
      first_tile = 0;
      const std::int64_t left = scan.shape.outer - first_row;
      rows = left < most ? static_cast<int>(left) : most;
      count = rows * scan.plan.tiles_per_row;
    } else {
      const std::int64_t nth = index / scan.shape.outer;
      first_row = index - nth * scan.shape.outer;
      first_tile = static_cast<int>(nth) * scan.plan.block_tiles;
      count = min(scan.plan.tiles_per_row - first_tile, scan.plan.block_tiles);
      rows = 1;
    }
  }
  /// Where a thread's run begins.
  template <class Problem>
  __device__ static run_place place_of(const Problem& scan, int thread) {
    constexpr int tile_threads = tile_chunks * Problem::chunk_threads;
    const int row = scan.row_threads.quotient(thread);
    const int in_row = thread - row * scan.row_threads.divisor;
    return {row * scan.row_tiles.divisor + in_row / tile_threads,
            in_row % tile_threads * Problem::run};
  }
  /// Of the part's rows, that of a tile; and which of its row it is.
  __device__ int row_of(int tile) const { return is_rows ? row_tiles.quotient(tile) : 0; }
  __device__ int tile_of(int tile) const {
    return is_rows ? tile - row_of(tile) * row_tiles.divisor : first_tile + tile;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
