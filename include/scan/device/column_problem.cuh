// Scans of a tensor's columns as their kernel takes them.
#ifndef SCAN_DEVICE_COLUMN_PROBLEM_CUH
#define SCAN_DEVICE_COLUMN_PROBLEM_CUH

#include <cstdint>

#include "scan/device/column_plan.hpp"
#include "scan/device/small_divisor.cuh"
#include "scan/tensor_problem.hpp"

namespace scan::device {

/// What a tile is: `rows` rows in scan order of `width` columns of `slabs` slabs.
struct column_place {
  unsigned strip;          // among those of the whole tensor
  unsigned tile;           // among the strip's
  std::int64_t slab;       // its first
  std::int64_t column;     // its first
  std::int64_t first_row;  // in memory: the last in scan order of a reversed scan
  int slabs, width, rows;
  bool whole_rows;  // a slab has no other columns
};

/// A thread's part: `count` rows of a column in scan order, from the tile's row `first` on.
struct column_part {
  int slab, group, column;
  int first, count;
};

/// `Tensor` is a tensor_problem whose extents are positive, inner 2 or more.
template <class Tensor>
struct column_problem : Tensor {
  using T = typename Tensor::T;
  using in_type = typename Tensor::in_type;
  using out_type = typename Tensor::out_type;
  static constexpr int num_inputs = Tensor::num_inputs;
  static constexpr column_sizes sizes = {static_cast<int>(sizeof(in_type)),
                                         static_cast<int>(sizeof(out_type)),
                                         static_cast<int>(sizeof(T)), num_inputs};
  static constexpr column_shape tuned = column_shape_for(sizes);
  static constexpr int threads = tuned.threads;
  /// Whether results take the place of the first input's elements in shared memory.
  static constexpr bool in_place = sizes.in == sizes.out;

  column_cut cut;
  small_divisor per_row, per_width, per_group;  // those of tile_rows, width, groups

  explicit column_problem(const Tensor& scan)
      : Tensor(scan),
        cut(cut_columns(tuned, scan.shape.outer, scan.shape.length, scan.shape.inner)),
        per_row(cut.tile_rows),
        per_width(cut.width),
        per_group(cut.groups) {}

  /// Tiles are numbered so that all strips' first ones come first: who waits for a strip's earlier
  /// tiles waits for lower numbers.
  __device__ column_place place(unsigned number) const {
    const auto num_strips = static_cast<unsigned>(cut.num_strips());
    const auto slab_strips = static_cast<unsigned>(cut.strips);
    column_place at;
    at.tile = number / num_strips;
    at.strip = number - at.tile * num_strips;
    const unsigned group = at.strip / slab_strips;
    at.slab = std::int64_t{group} * cut.slabs;
    at.column = std::int64_t{at.strip - group * slab_strips} * cut.width;
    const std::int64_t first = std::int64_t{at.tile} * cut.tile_rows;
    at.slabs = smaller(cut.slabs, this->shape.outer - at.slab);
    at.width = smaller(cut.width, this->shape.inner - at.column);
    at.rows = smaller(cut.tile_rows, this->shape.length - first);
    at.first_row = Tensor::reversed ? this->shape.length - first - at.rows : first;
    at.whole_rows = cut.strips == 1;
    return at;
  }

  /// Part `number` of a tile: columns side by side, group by group, slab by slab. Parts that lie
  /// outside of the tile have no rows.
  __device__ column_part part(const column_place& at, int number) const {
    column_part part;
    const int line = per_width.quotient(number);
    part.column = number - line * cut.width;
    part.slab = per_group.quotient(line);
    part.group = line - part.slab * cut.groups;
    part.first = part.group * cut.group_rows;
    const bool inside = part.slab < at.slabs && part.column < at.width;
    part.count = inside ? max(min(at.rows - part.first, cut.group_rows), 0) : 0;
    return part;
  }
  __device__ int num_parts(const column_place& at) const {
    return at.slabs * cut.groups * cut.width;
  }

  /// The sequence that a part belongs to, as a problem of its own.
  __device__ auto sequence_of(const column_place& at, const column_part& part) const {
    return this->sequence(at.slab + part.slab, at.column + part.column);
  }

 private:
  __device__ static int smaller(int most, std::int64_t left) {
    return left < most ? static_cast<int>(left) : most;
  }
};

}  // namespace scan::device

#endif
