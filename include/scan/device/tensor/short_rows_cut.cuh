// Many short rows as the kernel takes them that scans whole rows in shared memory.
#ifndef SCAN_DEVICE_TENSOR_SHORT_ROWS_CUT_CUH
#define SCAN_DEVICE_TENSOR_SHORT_ROWS_CUT_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/plan/row_plan.hpp"
#include "scan/device/slice/slice_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// How the rows of one side lie in memory.
struct row_layout {
  std::int64_t pitch;      // elements
  int columns;             // elements that are read or written of each row
  bool dense;              // rows follow each other without gaps
  bool in_granules;        // not dense, but all begins and ends at multiples of 16 bytes
  small_divisor by_units;  // of a row that is not dense: granules, or elements

  template <class T>
  row_layout(const T* data, std::int64_t pitch, int columns, std::int64_t outer, bool granules)
      : pitch(pitch),
        columns(columns),
        dense(outer <= 1 || pitch == columns),
        in_granules(granules && reinterpret_cast<std::uintptr_t>(data) % 16 == 0 &&
                    pitch * sizeof(T) % 16 == 0 && columns * sizeof(T) % 16 == 0),
        by_units(in_granules ? columns * static_cast<int>(sizeof(T)) / 16 : columns) {}
};

/// The rows of a tensor with inner = 1 and at most 32 vectors a row. A tile is whole rows, so no
/// block needs another one.
template <class Tensor>
struct short_rows_cut : Tensor {
  using in_type = typename Tensor::in_type;
  using out_type = typename Tensor::out_type;
  using T = typename Tensor::T;
  using Tensor::num_inputs;
  static constexpr int element_bytes = static_cast<int>(
      std::max({sizeof(in_type), sizeof(out_type), sizeof(typename Tensor::value_type)}));
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr bool parts_beside = has_parts_beside(vector_items);
  static constexpr int num_threads = short_rows_threads, num_warps = num_threads / warp_size;
  /// As many as fit, if registers suffice.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  static constexpr int most_blocks_per_sm = 1024 / num_threads;
#else
  static constexpr int most_blocks_per_sm = 5;
#endif
  static constexpr int blocks_per_sm = short_rows_blocks_per_sm(element_bytes, most_blocks_per_sm);
  /// What a tile takes of shared memory: inputs, output and, of vectors of several elements, a fold
  /// a vector and an eighth; short_rows_bytes or, if that is more, a row and its output beyond the
  /// end for each warp.
  static constexpr int item_bytes =
      num_inputs * static_cast<int>(sizeof(in_type)) + static_cast<int>(sizeof(out_type));
  static constexpr int fold_bytes = vector_items == 1 ? 0 : 9 * static_cast<int>(sizeof(T));
  static constexpr int tile_items = std::max(
      short_rows_bytes * 8 * vector_items / (8 * vector_items * item_bytes + fold_bytes) / 64 * 64,
      num_warps*(warp_size* vector_items + 1));
  static constexpr int tile_folds = vector_items == 1 ? 1 : tile_items * 9 / (8 * vector_items);

  row_layout in_rows, out_rows;
  int length, vectors_per_row, rows_per_tile;
  int fold_stride;                     // of rows' folds: odd
  bool whole_vectors;                  // in every row
  bool beside;                         // how they are scanned: see short_rows_kernel.cuh
  int group_rows;                      // so many rows are a vector, or 0
  unsigned starts;                     // of rows in such a vector: bits
  bool has_start;                      // of rows: an init
  bool starts_apart;                   // each row has one of its own
  bool has_ends;                       // something is written besides the rows' outputs
  small_divisor by_vectors, by_folds;  // a row's vectors, and those but the last
  small_divisor by_rows;               // rows_per_tile
  std::int64_t num_tiles;

  short_rows_cut(const Tensor& scan, bool extra_output, int sm_count)
      : Tensor(scan),
        in_rows(scan.input(0), scan.shape.in_pitch, static_cast<int>(scan.shape.length),
                scan.shape.outer, inputs_aligned(scan)),
        out_rows(scan.out.data, scan.shape.out_pitch,
                 static_cast<int>(scan.shape.length) + (extra_output ? 1 : 0), scan.shape.outer,
                 true),
        length(in_rows.columns),
        vectors_per_row((length + vector_items - 1) / vector_items),
        fold_stride((vectors_per_row - 1) | 1),
        whole_vectors(length % vector_items == 0),
        beside(whole_vectors || (parts_beside && are_parts_beside(vectors_per_row))),
        group_rows(vector_items % length == 0 && !extra_output && scan.init_pointer == nullptr &&
                           scan.total == nullptr && !is_part(scan)
                       ? vector_items / length
                       : 0),
        starts(0),
        has_start(scan.init.exists || scan.init_pointer != nullptr),
        starts_apart(scan.init_pointer != nullptr || is_part(scan)),
        has_ends(extra_output || scan.total != nullptr),
        by_vectors(vectors_per_row),
        by_folds(vectors_per_row - 1),
        by_rows(1) {
    for (int i = 0; i < vector_items; i += length) starts |= 1u << i;
    const bool in_parts = !beside && vectors_per_row > 1;
    const int at_once = in_parts ? 8 : num_warps * (warp_size / vectors_per_row);
    const int of_folds =
        vectors_per_row > 1 && vector_items > 1 ? tile_folds / fold_stride : tile_items;
    int most = std::min(tile_items / out_rows.columns, of_folds);
    if (in_parts) {  // as many vectors a thread, but for the last few threads
      const int vectors = most * vectors_per_row / num_threads * num_threads;
      most = vectors > 0 ? vectors / vectors_per_row : most;
    }
    // Small tensors are for all multiprocessors.
    const std::int64_t fair = (scan.shape.outer + 2 * sm_count - 1) / (2 * sm_count);
    const auto passes = std::min<std::int64_t>(most / at_once, (fair + at_once - 1) / at_once);
    rows_per_tile = most < at_once ? most : static_cast<int>(passes) * at_once;
    by_rows = small_divisor(rows_per_tile);
    num_tiles = (scan.shape.outer + rows_per_tile - 1) / rows_per_tile;
  }

 private:
  static bool inputs_aligned(const Tensor& scan) {
    for (int i = 0; i < num_inputs; ++i) {
      if (reinterpret_cast<std::uintptr_t>(scan.input(i)) % 16 != 0) return false;
    }
    return true;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
