// The kernels that fold a tensor's slices before they are scanned: of rows the fold of what each
// warp of the scan takes of a tile, of columns that of each tile. A share, or a tile, is a warp's,
// or a block's, and nobody waits for another.
//
// They go from where the scan ends to where it begins, as the kernels of slice_fold.cuh do.
#ifndef SCAN_DEVICE_SLICE_SLICE_TENSOR_FOLD_CUH
#define SCAN_DEVICE_SLICE_SLICE_TENSOR_FOLD_CUH

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/fold/packed.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/tensor/column_prefix.cuh"
#include "scan/device/tensor/column_tile.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// How rows are cut into shares.
struct row_shares {
  int run_items;    // of a lane
  bool by_vectors;  // which are folded vector by vector: where there is no ring
  int share_items;  // of a warp
  std::int64_t per_row;
};

/// A warp's share in shared memory, from its way there to its fold. `Tensor` is a tensor_problem of
/// rows, of elements of up to `element_bytes` bytes.
template <int element_bytes, class Tensor>
struct row_share {
  using T = typename Tensor::T;
  using in_type = typename Tensor::in_type;
  static constexpr bool reversed = Tensor::reversed;
  static constexpr int size = static_cast<int>(sizeof(in_type));
  static constexpr int least = std::min(static_cast<int>(alignof(in_type)), 16);
  static constexpr int granule = std::max(static_cast<int>(alignof(in_type)), 16);
  static constexpr int vector_items = vector_items_for(element_bytes);
  using vector = vector_elements<in_type, vector_items, reversed>;
  static constexpr int vector_bytes = size * vector_items;
  static constexpr bool in_words = (vector_bytes & (vector_bytes - 1)) == 0 && vector_bytes <= 16;
  static constexpr int most_items =
      warp_size *
      std::max(row_order(element_bytes, false, false).run_items,
               element_bytes <= 16 ? row_order(element_bytes, false, true).run_items : 1);
  struct alignas(granule) slot {
    unsigned char bytes[(most_items * size + 2 * granule - 1) / granule * granule];
  };

  const Tensor& scan;
  unsigned char* items;  // the first in memory
  int num_valid;

  /// Brings the items that begin at `from`: to the place in granules that they have there.
  __device__ row_share(const Tensor& problem, const in_type* from, int count, slot& memory)
      : scan(problem), num_valid(count) {
    auto* const global = reinterpret_cast<unsigned char*>(const_cast<in_type*>(from));
    const int offset = static_cast<int>(reinterpret_cast<std::uintptr_t>(global) % granule);
    items = memory.bytes + offset;
    const int bytes = count * size, head = min(-offset & 15, bytes);
    const int tail = head + (bytes - head) / 16 * 16, lane = lane_index();
    using copy = load_lines<least>;
#pragma unroll 4
    for (int at = head + lane * 16; at < tail; at += warp_size * 16) {
      copy::copy_granule(global + at, items + at);
    }
    if (const int at = lane * least; at < head) copy::copy_piece(global + at, items + at);
    if (const int at = tail + lane * least; at < bytes) copy::copy_piece(global + at, items + at);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }

  /// The fold of all, in all lanes.
  __device__ T fold(const row_shares& cut) const {
    if constexpr (packed<Tensor>::folds) {
      return shuffle(warp_inclusive_scan(fold_words(), warp_size, scan.op), warp_size - 1);
    } else {
      const int num_lanes = (num_valid + cut.run_items - 1) / cut.run_items;
      T folded{};
      if (lane_index() < num_lanes) folded = fold_run(cut);
      return shuffle(warp_inclusive_scan(folded, num_lanes, scan.op), num_lanes - 1);
    }
  }

 private:
  /// Where neither order nor grouping matters: the lane's of the granules that are whole, and of
  /// the items around them.
  __device__ T fold_words() const {
    using word = memory_word<16>;
    auto op = scan.op;
    const auto begin = reinterpret_cast<std::uintptr_t>(items);
    const int bytes = num_valid * size, head = min(static_cast<int>(-begin & 15), bytes);
    const int tail = head + (bytes - head) / 16 * 16, lane = lane_index() * size;
    packed_fold<Tensor> words(scan);
#pragma unroll 2
    for (int at = head + lane_index() * 16; at < tail; at += warp_size * 16) {
      words.take(*reinterpret_cast<const word*>(items + at));
    }
    T folded = words.result();
    if (lane < head) folded = op(folded, item_at(lane));
    if (tail + lane < bytes) folded = op(folded, item_at(tail + lane));
    return folded;
  }
  __device__ T item_at(int byte) const {
    return scan.take(*reinterpret_cast<const in_type*>(items + byte));
  }

  /// The fold of the lane's run, which has items.
  __device__ T fold_run(const row_shares& cut) const {
    auto op = scan.op;
    const int begin = lane_index() * cut.run_items;
    const int count = min(num_valid - begin, cut.run_items);
    const auto edge = reinterpret_cast<std::uintptr_t>(items + (reversed ? num_valid * size : 0));
    const bool aligned = in_words && edge % (in_words ? vector_bytes : 1) == 0;
    T folded{};
#pragma unroll 1
    for (int at = 0; at < count; at += vector_items) {
      const int here = min(count - at, vector_items);
      const vector elements = read(begin + at, here, aligned);
      T inside = scan.take(elements[0]);
      if (at > 0 && !cut.by_vectors) inside = op(folded, inside);
#pragma unroll
      for (int i = 1; i < vector_items; ++i) {
        if (i < here) inside = op(inside, scan.take(elements[i]));
      }
      if (at > 0 && cut.by_vectors) inside = op(folded, inside);
      folded = inside;
    }
    return folded;
  }
  /// `count` items from item `first` on.
  __device__ vector read(int first, int count, bool aligned) const {
    if constexpr (in_words) {
      if (aligned && count == vector_items) {
        const int at = reversed ? num_valid - first - vector_items : first;
        return vector::unpack(*reinterpret_cast<const typename vector::packed*>(items + at * size));
      }
    }
    vector elements;
    const auto* const begin = reinterpret_cast<const in_type*>(items);
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      const int item = first + min(i, count - 1);
      elements[i] = begin[reversed ? num_valid - 1 - item : item];
    }
    return elements;
  }
};

/// A fold a share, row by row.
inline constexpr int share_warps = 8;
template <int element_bytes, class Tensor>
__global__ void __launch_bounds__(share_warps* warp_size)
    fold_row_shares(const __grid_constant__ Tensor scan, const __grid_constant__ row_shares cut,
                    typename Tensor::T* folds) {
  using share_type = row_share<element_bytes, Tensor>;
  __shared__ typename share_type::slot slots[share_warps];
  admit_later_kernels();
  await_earlier_kernels();
  const std::int64_t step = std::int64_t{gridDim.x} * share_warps;
  const std::int64_t last = cut.per_row * scan.shape.outer - 1;
  std::int64_t share = last - (std::int64_t{blockIdx.x} * share_warps + warp_index());
  for (; share >= 0; share -= step) {
    const std::int64_t row = share / cut.per_row;
    const std::int64_t first = (share - row * cut.per_row) * cut.share_items;
    const std::int64_t left = scan.shape.length - first;
    const int num_valid = left < cut.share_items ? static_cast<int>(left) : cut.share_items;
    const std::int64_t place = Tensor::reversed ? left - num_valid : first;
    const share_type items(scan, scan.in.data + (row * scan.shape.in_pitch + place), num_valid,
                           slots[warp_index()]);
    const typename Tensor::T folded = items.fold(cut);
    if (lane_index() == 0) folds[share] = folded;
    __syncwarp();  // the slot is filled anew
  }
}

/// A(t) of each column: those of a tile's columns side by side, tile by tile. `Problem` is a
/// column_cut, a block has a tile.
template <class Problem>
__global__ void __launch_bounds__(Problem::threads, 5)
    fold_column_tiles(const __grid_constant__ Problem scan, typename Problem::T* tiles) {
  using T = typename Problem::T;
  using tile_type = column_tile<Problem>;
  extern __shared__ __align__(128) unsigned char tile_memory[];
  __shared__ shared_array<T, Problem::threads> folds, other_folds;
  __shared__ column_place at;
  admit_later_kernels();
  await_earlier_kernels();
  if (threadIdx.x == 0) at = scan.place(gridDim.x - 1 - blockIdx.x);
  __syncthreads();
  const tile_type tile(scan, at, {tile_memory, scan.in_bytes, tile_memory});
  tile.load();
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const column_part part = scan.part(at, static_cast<int>(threadIdx.x));
  T fold;
  if (part.count > 0) fold = tile.fold(part);
  scan_groups(scan, part, fold, folds, other_folds);
  if (part.count == 0 || part.first + part.count < at.rows) return;
  const std::int64_t sequence = at.slab * scan.shape.inner + at.column + part.column;
  tiles[at.tile * (scan.shape.outer * scan.shape.inner) + sequence] = fold;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
