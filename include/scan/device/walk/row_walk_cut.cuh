// The rows of a tensor as walks take them.
#ifndef SCAN_DEVICE_WALK_ROW_WALK_CUT_CUH
#define SCAN_DEVICE_WALK_ROW_WALK_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/move/walk_io.cuh"
#include "scan/device/plan/walk_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// (Not of the states of 16-bit recurrences, which are wider: their vectors would be half as wide.)
template <class Tensor>
inline constexpr int walked_bytes = static_cast<int>(std::max(sizeof(typename Tensor::in_type),
                                                              sizeof(typename Tensor::out_type)));

/// The rows of a tensor, inner = 1; `Tensor` is a tensor_problem. `aligned`: the vectors of all
/// rows, of all arrays, lie at multiples of their size. These are of elements of `element_bytes_`.
template <class Tensor, bool aligned_, int element_bytes_ = walked_bytes<Tensor>>
struct row_walk_cut : Tensor {
  using Tensor::num_inputs;
  using Tensor::num_outputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr bool aligned = aligned_;
  static constexpr int element_bytes = element_bytes_;
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = tile_chunks * warp_size;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  static constexpr int most_blocks_per_sm = 1024 / most_threads;
#else
  static constexpr int most_blocks_per_sm = 1536 / most_threads;
#endif
  static constexpr bool in_granules = !aligned && sizeof(in_type) < walk_lone_bytes;
  static constexpr int wanted_threads =
      Tensor::is_recurrence
          ? recurrence_threads_per_sm(num_inputs, sizeof(T), in_granules, vector_items)
          : walk_threads_per_sm(num_inputs, sizeof(T), in_granules);
  static constexpr int blocks_per_sm = std::min(wanted_threads / most_threads, most_blocks_per_sm);

  int whole_vectors;  // of a row
  int rest_items;     // at its end, fewer than a vector
  int lines_ahead;    // steps; the L2 is asked for lines so early, or never

  row_walk_cut(const Tensor& scan, int lines)
      : Tensor(scan),
        whole_vectors(static_cast<int>(scan.shape.length / vector_items)),
        rest_items(static_cast<int>(scan.shape.length % vector_items)),
        lines_ahead(lines) {}

  /// Vectors of a row, of which the last may be partial.
  __device__ int num_vectors() const { return whole_vectors + (rest_items > 0 ? 1 : 0); }

  /// Whether a tensor's vectors lie so.
  static bool are_aligned(const Tensor& scan) {
    const auto lies = [&](auto* data, std::int64_t pitch) {
      const auto* const boundary = Tensor::reversed ? data + scan.shape.length : data;
      return vector_aligned(boundary, vector_items) &&
             (scan.shape.outer < 2 || pitch % vector_items == 0);
    };
    bool all = true;
    for (int i = 0; i < num_outputs; ++i) all = all && lies(scan.output(i), scan.shape.out_pitch);
    for (int i = 0; i < num_inputs; ++i) all = all && lies(scan.input(i), scan.shape.in_pitch);
    return all;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
