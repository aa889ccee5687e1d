// Wide columns as the ring has them: which rows and columns a tile has, and how an array's lines
// come to shared memory.
#ifndef SCAN_DEVICE_TENSOR_STRIP_CUT_CUH
#define SCAN_DEVICE_TENSOR_STRIP_CUT_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/move/tensor_map.hpp"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/device/tensor/strip_looks.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A tile: `count` rows in scan order from `first` on, of `columns` columns from `column` on of
/// slab `slab`, of which the strip before has `shared` as well; `number` is its own among those of
/// strip `strip` of all. `shifts`: how far from a granule its first row in memory is, of each
/// array.
struct strip_place {
  std::int64_t slab, strip, number, first, column;
  int count, columns, shared, shifts[2];
};

/// How the columns of a lane lie in shared memory: side by side in lines that are alike; a warp's
/// lanes apart there; or so in lines by boxes.
enum class strip_layout { beside, even, boxed };

/// The columns of a tensor; `Tensor` is a tensor_problem that goes forwards.
///
/// Lines come to shared memory by granules, and so with the other bytes of those that they begin
/// and end in. Those of a strip that is all columns lie one after another. Of others that lie alike
/// in granules an instruction brings a box: every `plan.phases`th row, and those of every
/// 2^`slab_bits`th slab, which are granules and `slab_rows` rows apart.
template <class Tensor>
struct strip_cut : Tensor {
  using Tensor::num_inputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr strip_tuning ring = strip_tuning_for(sizeof(in_type), Tensor::run_inputs);
  static constexpr int lane_columns = ring.lane_columns;

  tensor_map maps[num_inputs][granule / sizeof(in_type)];  // of slabs, then rows, that lie alike
  bool backwards;  // whatever `Tensor` says: from the last row in memory on
  strip_layout layout;
  strip_plan plan;
  int phase_bits = 0, slab_bits = 0, slab_rows = 0;  // 2^phase_bits = plan.phases
  int stored_items = 1;  // results that are stored together or not: of a sector, or one
  int line_bytes, box_bytes, slot_bytes;  // in shared memory: a line, a box, a tile of an array
  int line_shift;                         // how much further from a granule a row is than another
  std::int64_t num_strips, num_tiles, panel_tiles;

  strip_cut(const Tensor& scan, bool backwards, const device_limits& limits)
      : Tensor(scan),
        backwards(backwards),
        plan(plan_strips(ring, sizeof(in_type), Tensor::run_inputs, scan.shape.length,
                         scan.shape.inner)) {
    lay_out_results(limits);
    lay_out_items();
    num_strips = plan.strips * this->shape.outer;
    num_tiles = plan.tiles * num_strips;
    panel_tiles = plan.tiles * std::min<std::int64_t>(num_strips, strip_panel);
  }

  /// Has all arrays described, for the current device.
  status describe_arrays(int device) {
    if (plan.strips == 1) return {};
    for (int which = 0; which < num_inputs; ++which) {
      for (int slab = 0; slab < std::min<std::int64_t>(1 << slab_bits, this->shape.outer); ++slab) {
        for (int row = 0; row < plan.phases; ++row) {
          const status described = describe_lines(lines_of(which, slab, row), device,
                                                  maps[which][slab * plan.phases + row]);
          if (!described.ok()) return described;
        }
      }
    }
    return {};
  }

  /// The tile of a ticket: strips side by side, panel by panel, tile by tile. (By 32 bits, which
  /// are divided fast.)
  __device__ strip_place place_of(std::int64_t drawn) const {
    const auto index = static_cast<unsigned>(drawn), strips = static_cast<unsigned>(plan.strips);
    const auto of_panel = static_cast<unsigned>(panel_tiles),
               all = static_cast<unsigned>(num_strips);
    const unsigned panel = index / of_panel, in_panel = index - panel * of_panel;
    const unsigned before = panel * strip_panel, beside = min(all - before, strip_panel);
    const unsigned number = in_panel / beside, strip = before + in_panel - number * beside;
    const unsigned slab = strip / strips;
    strip_place at;
    at.number = number;
    at.strip = strip;
    at.slab = slab;
    at.column = std::int64_t{strip - slab * strips} * plan.step;
    at.shared = at.column > 0 ? plan.width - plan.step : 0;
    at.column -= at.shared;
    at.first = at.number * plan.tile_rows;
    at.count = valid_of(this->shape.length - at.first, plan.tile_rows);
    at.columns = valid_of(this->shape.inner - at.column, plan.width);
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      at.shifts[which] = shift_of(row_of(which, slab, first_row(at), at.column));
    }
    return at;
  }
  /// The first row in memory of those that come for a tile; the last ones of a slab whose boxes
  /// might reach beyond it come with rows before the tile's.
  __device__ std::int64_t first_row(const strip_place& at) const {
    const std::int64_t length = this->shape.length;
    if (backwards) return length - at.first - at.count;
    return slab_rows > 0 ? max(min(at.first, length - plan.tile_rows), std::int64_t{0}) : at.first;
  }
  /// Where a tile's item is in memory.
  __device__ std::int64_t row_of_item(const strip_place& at, int item) const {
    return backwards ? this->shape.length - 1 - at.first - item : at.first + item;
  }
  __device__ strip_states_place states_of(const strip_place& at, int column) const {
    return {at.strip * strip_states(plan.tiles) * plan.width + column, plan.width, plan.tiles};
  }
  /// Row `row` in memory of a slab, from column `column` on.
  SCAN_HOST_DEVICE const in_type* row_of(int which, std::int64_t slab, std::int64_t row,
                                         std::int64_t column) const {
    return this->input(which) + slab * this->shape.in_pitch + row * this->shape.inner + column;
  }
  /// How far from a granule that is.
  SCAN_HOST_DEVICE static int shift_of(const in_type* element) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(element) % granule);
  }
  /// Elements of an array, with those between slabs.
  __device__ std::int64_t span() const {
    return (this->shape.outer - 1) * this->shape.in_pitch + this->shape.length * this->shape.inner;
  }
  /// A tile of whole rows, as one chunk.
  __device__ auto chunk_of(int which, const strip_place& at) const {
    const auto* const parts = parts_at(row_of(which, at.slab, first_row(at), 0));
    return chunk<std::remove_pointer_t<std::remove_const_t<decltype(parts)>>>{
        parts, at.count * line_bytes, 0};
  }
  /// Where row `row` of a tile begins in shared memory, of one whose first row is `shift` bytes
  /// from a granule: the granule; how far from it.
  __device__ int place_of_line(int row) const {
    return (row & (plan.phases - 1)) * box_bytes + (row >> phase_bits) * line_bytes;
  }
  __device__ int shift_of_line(int shift, int row) const {
    return (shift + row * line_shift) & (granule - 1);
  }

 private:
  std::int64_t row_bytes() const { return this->shape.inner * std::int64_t{sizeof(in_type)}; }
  std::int64_t slab_bytes() const { return this->shape.in_pitch * std::int64_t{sizeof(in_type)}; }

  /// Has strips share columns where their rows are no whole sectors, and that pays: of results that
  /// the L2 does not hold, and of so many strips that there are hardly more. Not in place: who
  /// comes later would read results.
  void lay_out_results(const device_limits& limits) {
    constexpr std::int64_t size = sizeof(out_type), sector = 32;
    const tensor_shape& shape = this->shape;
    const bool are_whole = reinterpret_cast<std::uintptr_t>(this->out.data) % sector == 0 &&
                           shape.inner * size % sector == 0 &&
                           (shape.outer == 1 || shape.out_pitch * size % sector == 0);
    const strip_plan sharing =
        plan.with_shared(shared_columns(sizeof(in_type), sizeof(out_type)), shape.inner);
    bool pays = Tensor::run_inputs == 1 && size == 4 && plan.strips > 1 &&
                shape.length >= 4 * most_strip_rows &&
                shape.outer * shape.length * shape.inner * size >= limits.l2_bytes &&
                6 * sharing.strips <= 7 * plan.strips &&
                2 * sharing.strips * shape.outer >= limits.sm_count;
    for (int which = 0; which < num_inputs; ++which) {
      pays = pays && static_cast<const void*>(this->input(which)) != this->out.data;
    }
    if (are_whole || !pays) return;
    plan = sharing;
    stored_items = sector_items(sizeof(out_type));
  }
  void lay_out_items() {
    constexpr int alignment = 128, size = static_cast<int>(sizeof(in_type));
    const bool slabs = this->shape.outer > 1, is_whole = plan.strips == 1;
    while (1 << phase_bits < plan.phases) ++phase_bits;
    if (slabs && !is_whole) {
      while (plan.phases << slab_bits < granule_phases(slab_bytes())) ++slab_bits;
      while (((slab_bytes() << slab_bits) - slab_rows * row_bytes()) % granule != 0) ++slab_rows;
    }
    bool lie = plan.phases == 1 && slab_bits == 0;  // as granules do
    bool beside =
        this->shape.inner % lane_columns == 0 && vector_aligned(this->out.data, lane_columns) &&
        (!slabs ||
         (this->shape.out_pitch % lane_columns == 0 && this->shape.in_pitch % lane_columns == 0));
    for (int which = 0; which < num_inputs; ++which) {
      lie = lie && shift_of(this->input(which)) == 0;
      beside = beside && vector_aligned(this->input(which), lane_columns);
    }
    layout = beside ? strip_layout::beside : strip_layout::even;
    if (lane_columns == 1 && !beside) layout = strip_layout::boxed;  // (as if of one box)
    if (plan.phases > 1 || plan.step < plan.width) layout = strip_layout::boxed;
    line_bytes = is_whole ? static_cast<int>(row_bytes()) : plan.width * size + (lie ? 0 : granule);
    line_shift = plan.phases > 1 ? static_cast<int>(row_bytes() % granule) : 0;
    box_bytes = plan.tile_rows / plan.phases * line_bytes + (is_whole ? granule : 0);
    box_bytes = (box_bytes + alignment - 1) / alignment * alignment;
    slot_bytes = box_bytes * plan.phases;
  }
  /// Those of an array that lie as row `row` of slab `slab`.
  slab_lines lines_of(int which, int slab, int row) const {
    const in_type* const first = row_of(which, slab, row, 0);
    const int shift = shift_of(first);
    slab_lines all{};
    all.data = reinterpret_cast<const unsigned char*>(first) - shift;
    all.line_bytes = (shift + row_bytes() + granule - 1) / granule * granule;
    all.row_bytes = row_bytes() * plan.phases;
    all.slabs = ((this->shape.outer - 1 - slab) >> slab_bits) + 1;
    // (No more than the last one has: so nothing outside of the array is read.)
    all.rows = (this->shape.length - 1 + (all.slabs - 1) * slab_rows - row) / plan.phases + 1;
    // (Of one slab it may be more than there are strides for.)
    all.slab_bytes =
        all.slabs > 1 ? (slab_bytes() << slab_bits) - slab_rows * row_bytes() : all.row_bytes;
    all.box_bytes = line_bytes;
    all.box_rows = plan.tile_rows / plan.phases;
    return all;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
