// Wide columns as the ring has them: which rows and columns a tile has, and how an array's lines
// come to shared memory.
#ifndef SCAN_DEVICE_TENSOR_STRIP_CUT_CUH
#define SCAN_DEVICE_TENSOR_STRIP_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/launch/tensor_map.hpp"
#include "scan/device/move/vector.cuh"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/device/tensor/strip_looks.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A tile: `count` rows in scan order from `first` on, of `columns` columns from `column` on of
/// slab `slab`; `number` is its own among those of strip `strip` of all.
struct strip_place {
  std::int64_t slab, strip, number, first, column;
  int count, columns;
};

/// How an array's lines come to shared memory: by granules, and so with the other bytes of those
/// that the array begins and ends in. Slabs that begin elsewhere in granules are of other maps.
template <int most_phases>
struct strip_lines {
  tensor_map maps[most_phases];  // of slabs i, i + phases, ...
  int phases;                    // a power of two
  int line_bytes;                // in shared memory
};

/// The columns of a tensor whose lines are whole granules; `Tensor` is a tensor_problem that goes
/// forwards.
template <class Tensor>
struct strip_cut : Tensor {
  using Tensor::num_inputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr strip_tuning ring = strip_tuning_for(sizeof(in_type), Tensor::run_inputs);
  static constexpr int lane_columns = ring.lane_columns;

  strip_lines<granule / sizeof(in_type)> lines[num_inputs];
  bool backwards;  // whatever `Tensor` says: from the last row in memory on
  strip_plan plan;
  int slot_bytes;  // of a tile of one array
  std::int64_t num_strips, num_tiles, panel_tiles;

  strip_cut(const Tensor& scan, bool backwards)
      : Tensor(scan),
        backwards(backwards),
        plan(plan_strips(ring, Tensor::run_inputs, scan.shape.length, scan.shape.inner)),
        slot_bytes(0),
        num_strips(plan.strips * scan.shape.outer),
        num_tiles(plan.tiles * num_strips),
        panel_tiles(plan.tiles * std::min<std::int64_t>(num_strips, strip_panel)) {}

  /// Has all arrays described, for the current device.
  status describe_arrays(int device) {
    constexpr int alignment = 128;
    for (int which = 0; which < num_inputs; ++which) {
      const status described = describe_array(this->input(which), device, lines[which]);
      if (!described.ok()) return described;
      slot_bytes = std::max(slot_bytes, plan.tile_rows * lines[which].line_bytes);
    }
    slot_bytes = (slot_bytes + alignment - 1) / alignment * alignment;
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
    at.column = std::int64_t{strip - slab * strips} * plan.width;
    at.first = at.number * plan.tile_rows;
    at.count = valid_of(this->shape.length - at.first, plan.tile_rows);
    at.columns = valid_of(this->shape.inner - at.column, plan.width);
    return at;
  }
  /// The first of its rows in memory.
  __device__ std::int64_t first_row(const strip_place& at) const {
    return backwards ? this->shape.length - at.first - at.count : at.first;
  }
  __device__ strip_states_place states_of(const strip_place& at, int column) const {
    return {at.strip * strip_states(plan.tiles) * plan.width + column, plan.width, plan.tiles};
  }
  /// How far from a granule the lines of a slab begin.
  SCAN_HOST_DEVICE static int shift_of(const in_type* slab) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(slab) % granule);
  }
  __device__ int shift_of(int which, const strip_place& at) const {
    return shift_of(this->input(which) + at.slab * this->shape.in_pitch);
  }

 private:
  template <class Lines>
  status describe_array(const in_type* data, int device, Lines& to) const {
    constexpr std::int64_t size = sizeof(in_type);
    const std::int64_t row_bytes = this->shape.inner * size, outer = this->shape.outer;
    const std::int64_t slab_bytes =
        outer > 1 ? this->shape.in_pitch * size : row_bytes * this->shape.length;
    to.phases = 1;
    while (to.phases * slab_bytes % granule != 0) to.phases *= 2;
    const int over = to.phases > 1 || shift_of(data) > 0 ? granule : 0;
    to.line_bytes = plan.width * static_cast<int>(size) + over;
    for (int i = 0; i < std::min<std::int64_t>(to.phases, outer); ++i) {
      const in_type* const first = data + i * this->shape.in_pitch;
      const int shift = shift_of(first);
      slab_lines all{};
      all.data = reinterpret_cast<const unsigned char*>(first) - shift;
      all.line_bytes = row_bytes + (shift > 0 ? granule : 0);  // (no granule without items)
      all.row_bytes = row_bytes;
      all.rows = this->shape.length;
      all.slabs = (outer - 1 - i) / to.phases + 1;
      // (Of one slab it may be more than there are strides for.)
      all.slab_bytes = all.slabs > 1 ? slab_bytes * to.phases : row_bytes;
      all.box_bytes = to.line_bytes;
      all.box_rows = plan.tile_rows;
      const status described = describe_lines(all, device, to.maps[i]);
      if (!described.ok()) return described;
    }
    return {};
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
