// Scans of a tensor's columns as their kernel takes them.
#ifndef SCAN_DEVICE_TENSOR_COLUMN_CUT_CUH
#define SCAN_DEVICE_TENSOR_COLUMN_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/plan/column_plan.hpp"
#include "scan/device/slice/slice_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

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

/// How a tile lies in shared memory, in elements.
struct column_strides {
  int row, slab;
};

/// A thread's part: `count` rows of a column in scan order, from the tile's row `first` on.
struct column_part {
  int slab, group, column;
  int first, count;
};

/// `Tensor` is a tensor_problem whose extents are positive, inner 2 or more.
template <class Tensor>
struct column_cut : Tensor {
  using T = typename Tensor::T;
  using in_type = typename Tensor::in_type;
  using out_type = typename Tensor::out_type;
  static constexpr int num_inputs = Tensor::num_inputs;
  static constexpr column_sizes sizes = {static_cast<int>(sizeof(in_type)),
                                         static_cast<int>(sizeof(out_type)),
                                         static_cast<int>(sizeof(T)), num_inputs};
  static constexpr int alignment =
      static_cast<int>(alignof(in_type) > alignof(out_type) ? alignof(in_type) : alignof(out_type));
  static constexpr column_tuning tuned = column_tuning_for(sizes);
  static constexpr int threads = tuned.threads;
  static constexpr int most_rows_taken = most_rows_at_once(num_inputs);
  /// Whether results take the place of the first input's elements in shared memory.
  static constexpr bool in_place = sizes.in == sizes.out;

  bool backwards;  // whatever `Tensor` says: from the last row in memory on
  column_plan cut;
  column_strides in_strides, out_strides;
  /// Whether lines have room in shared memory for all of the granules that they lie in, and have
  /// the place in these that they have in global memory.
  bool has_room = false;
  /// Whether sequences have no starts of their own and write no ends.
  bool writes_results_only;
  /// Whether results go to memory from registers.
  bool stores_directly = false;
  int in_bytes, out_bytes;                      // of a tile in shared memory, each array
  small_divisor per_row, per_width, per_group;  // those of tile_rows, width, groups

  column_cut(const Tensor& scan, int sm_count, bool is_long = false,
             bool backwards = Tensor::reversed)
      : Tensor(scan),
        backwards(backwards),
        cut(is_long ? cut_long_columns(tuned, scan.shape.outer, scan.shape.length, scan.shape.inner)
                    : spread_columns(
                          tuned,
                          cut_columns(tuned, scan.shape.outer, scan.shape.length, scan.shape.inner),
                          scan.shape.outer, scan.shape.inner, 4 * sm_count)),
        in_strides{cut.width, cut.slab_stride},
        out_strides(in_strides),
        per_row(cut.tile_rows),
        per_width(cut.width),
        per_group(cut.groups) {
    measure();
    writes_results_only = scan.init_pointer == nullptr && scan.total == nullptr && !is_part(scan);
    if constexpr (num_inputs == 1) {
      writes_results_only =
          writes_results_only && scan.end_output == nullptr && scan.start_output == nullptr;
    }
  }

  /// Whether all lines that are read begin and end with granules.
  bool aligned_to_granules() const {
    std::uintptr_t bits = static_cast<std::uintptr_t>(this->shape.inner * sizes.in);
    if (this->shape.outer > 1) bits |= static_cast<std::uintptr_t>(this->shape.in_pitch * sizes.in);
    for (int i = 0; i < num_inputs; ++i) {
      bits |= reinterpret_cast<std::uintptr_t>(this->input(i));
    }
    return bits % 16 == 0 && cut.width * sizes.in % 16 == 0;
  }
  /// Gives misaligned lines room where that lets threads copy them without waiting; returns whether
  /// it has.
  bool make_room() {
    if (16 % sizes.in != 0 || 16 % sizes.out != 0) return false;
    if (cut.strips > 1) {
      in_strides.row = with_room(sizes.in);
      out_strides.row = in_place ? in_strides.row : with_room(sizes.out);
    } else if (cut.slabs > 1 && (this->shape.in_pitch != in_strides.slab ||
                                 this->shape.length * this->shape.inner != in_strides.slab)) {
      return false;  // (or else they are one line)
    }
    has_room = true;
    measure();
    return true;
  }
  /// Whether a tile's sequences are scanned several at once by a thread, which has all of each.
  SCAN_HOST_DEVICE bool takes_columns() const {
    return cut.groups == 1 && this->shape.length <= most_rows_taken && writes_results_only;
  }
  /// Of a tile in dynamic shared memory.
  std::size_t shared_bytes() const {
    return static_cast<std::size_t>(num_inputs * in_bytes + out_bytes);
  }

  /// Tiles are numbered so that the first ones of all strips, or of many, come first: who waits for
  /// a strip's earlier tiles waits for lower numbers.
  __device__ column_place place(unsigned number) const {
    const auto num_strips = static_cast<unsigned>(cut.num_strips());
    const auto slab_strips = static_cast<unsigned>(cut.strips);
    column_place at;
    const auto tiles = static_cast<unsigned>(cut.tiles);
    const unsigned panel = min(panel_strips, num_strips);
    const unsigned first_strip = number / (panel * tiles) * panel;
    const unsigned in_panel = number - first_strip * tiles;
    const unsigned strips = min(panel, num_strips - first_strip);
    at.tile = in_panel / strips;
    at.strip = first_strip + in_panel - at.tile * strips;
    const unsigned group = at.strip / slab_strips;
    at.slab = std::int64_t{group} * cut.slabs;
    at.column = std::int64_t{at.strip - group * slab_strips} * cut.width;
    const std::int64_t first = std::int64_t{at.tile} * cut.tile_rows;
    at.slabs = smaller(cut.slabs, this->shape.outer - at.slab);
    at.width = smaller(cut.width, this->shape.inner - at.column);
    at.rows = smaller(cut.tile_rows, this->shape.length - first);
    at.first_row = backwards ? this->shape.length - first - at.rows : first;
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
  /// The least stride whose rows share no granule and have the places in granules that they have in
  /// global memory.
  int with_room(int bytes) const {
    const int unit = 16 / bytes;
    const int least = cut.width + unit - 1;
    const auto inner = static_cast<int>(this->shape.inner % unit);
    return least + (inner - least % unit + unit) % unit;
  }
  void measure() {
    in_bytes = stage_bytes(in_strides, sizes.in);
    stores_directly = !in_place && cut.width * sizes.out >= least_direct_bytes;
    out_bytes = in_place || stores_directly ? 0 : stage_bytes(out_strides, sizes.out);
  }
  int stage_bytes(const column_strides& strides, int bytes) const {
    const int items = cut.slabs > 1 ? cut.slabs * strides.slab : cut.tile_rows * strides.row;
    const int granule = std::max(16, alignment);
    return (items * bytes + 2 * granule - 1) / granule * granule;
  }
  __device__ static int smaller(int most, std::int64_t left) {
    return left < most ? static_cast<int>(left) : most;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
