// The rows of a tensor as walks take them.
#ifndef SCAN_DEVICE_WALK_ROW_WALK_CUT_CUH
#define SCAN_DEVICE_WALK_ROW_WALK_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/walk_io.cuh"
#include "scan/device/plan/walk_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// (Not of the states of 16-bit recurrences, which are wider: their vectors would be half as wide.)
template <class Tensor>
inline constexpr int walked_bytes = static_cast<int>(std::max(sizeof(typename Tensor::in_type),
                                                              sizeof(typename Tensor::out_type)));

/// The rows of a tensor, inner = 1; `Tensor` is a tensor_problem. Vectors are of elements of
/// `element_bytes_`.
template <class Tensor, int element_bytes_ = walked_bytes<Tensor>>
struct row_walk_cut : Tensor {
  using Tensor::num_inputs;
  using Tensor::num_outputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int element_bytes = element_bytes_;
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = tile_chunks * warp_size;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  static constexpr int most_blocks_per_sm = 1024 / most_threads;
#else
  static constexpr int most_blocks_per_sm = 1536 / most_threads;
#endif
  using stage = chunk_stage<in_type, vector_items, Tensor::reversed>;
  static constexpr int num_stages =
      walk_stages(tile_chunks * num_inputs * static_cast<int>(sizeof(stage)));
  static constexpr bool reads_beside = num_outputs > 1;
  static constexpr int blocks_per_sm =
      std::min(walk_threads_per_sm(num_inputs, static_cast<int>(sizeof(T))) / most_threads,
               most_blocks_per_sm);

  int whole_vectors;  // of a row
  int rest_items;     // at its end, fewer than a vector
  int block_rows;

  row_walk_cut(const Tensor& scan, int rows)
      : Tensor(scan),
        whole_vectors(static_cast<int>(scan.shape.length / vector_items)),
        rest_items(static_cast<int>(scan.shape.length % vector_items)),
        block_rows(rows) {}

  /// What may be read of an array.
  __device__ typename stage::range readable(int input) const {
    const in_type* const begin = this->input(input);
    const auto& shape = this->shape;
    return {begin, begin + (shape.outer - 1) * shape.in_pitch + shape.length};
  }
  /// Steps that a block of so many threads takes along a row.
  SCAN_HOST_DEVICE int num_steps(int threads) const {
    return (whole_vectors + (rest_items > 0 ? 1 : 0) - 1) / threads + 1;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
