// Bytes of the states of a tensor's tiles, whatever the types and the device: what a workspace for
// tensors has room for.
#ifndef SCAN_TENSOR_STATES_HPP
#define SCAN_TENSOR_STATES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/column_plan.hpp"
#include "scan/device/plan/column_ring_plan.hpp"
#include "scan/device/plan/column_walk_plan.hpp"
#include "scan/device/plan/round_plan.hpp"
#include "scan/device/plan/row_plan.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/extents.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of rows of `length` > 0 elements, the widest of `element_bytes` bytes.
constexpr std::size_t row_states_bytes(std::int64_t num_rows, std::int64_t length,
                                       int element_bytes) {
  std::int64_t most = tiles_of(length, ring_tuning_for(element_bytes, false).tile_items());
  for (const bool has_ring : {false, true}) {
    const row_plan plan = plan_rows(num_rows, length, element_bytes, has_ring, 1);
    if (plan.kernel != row_kernel_kind::tiles) continue;
    most = std::max<std::int64_t>(most,
                                  plan.tiles_per_row + (plan.tiles_per_row - 1) / row_batch_tiles);
  }
  return std::max(most_states_bytes(length, element_bytes),
                  tile_states_bytes(num_rows * most, std::max(element_bytes, 4)));
}
/// Of recurrences along rows, and their gradients: of what is computed with, twice as wide, a state
/// a tile. (The ring has the tiles that rounds have where there is one.)
constexpr std::size_t recurrence_states_bytes(std::int64_t num_rows, std::int64_t length,
                                              int element_bytes) {
  std::int64_t most = 0;
  for (const bool has_ring : {false, true}) {
    for (const int num_inputs : {2, 3}) {
      const round_plan plan =
          plan_rounds(vectors_of(length, element_bytes), element_bytes, num_inputs, has_ring);
      most = std::max(most, plan.tiles_per_row);
    }
  }
  return most > 1 ? tile_states_bytes(num_rows * most, 2 * std::max(element_bytes, 4)) : 0;
}

/// By a block a tile, and through the rings.
constexpr std::size_t column_states_bytes(const tensor_shape& shape, const column_sizes& sizes) {
  const std::size_t tiled =
      cut_columns(column_tuning_for(sizes), shape.outer, shape.length, shape.inner)
          .states_bytes(sizes.value);
  if (!column_ring_takes(sizes.in, sizes.out, sizes.value, sizes.inputs)) return tiled;
  if (shape.inner > most_ring_columns) {
    if (!goes_in_strips(shape.length, shape.inner, sizes.in, sizes.inputs)) return tiled;
    const auto plan = plan_strips(strip_tuning_for(sizes.in, sizes.inputs), sizes.in, sizes.inputs,
                                  shape.length, shape.inner)
                          .with_shared(shared_columns(sizes.in, sizes.out), shape.inner);
    return std::max(
        tiled, strip_states_bytes(plan.tiles, shape.outer * plan.strips * plan.width, sizes.value));
  }
  const auto plan = plan_column_ring(column_ring_tuning_for(sizes.in, sizes.out, sizes.inputs),
                                     shape.length, shape.inner);
  return std::max(
      tiled, column_ring_states_bytes(plan.tiles_per_slab * shape.outer, shape.inner, sizes.value));
}

/// Of columns that are walked, of elements of `bytes` bytes: of as many slabs as a wave takes.
constexpr std::size_t walked_states_bytes(const tensor_shape& shape, int bytes, int value_bytes,
                                          int num_inputs) {
  if (value_bytes > most_wave_value_bytes) return 0;
  column_plan wave = wave_columns(1, shape.length, shape.inner, bytes, value_bytes, num_inputs);
  wave.slab_groups = std::min(shape.outer, most_wave_strips / wave.strips);
  return wave.slab_groups > 0 ? wave.states_bytes(value_bytes) : 0;
}

/// For elements of up to `element_bytes` bytes.
constexpr std::size_t most_tensor_states_bytes(const tensor_shape& shape, int element_bytes) {
  std::size_t most = sizeof(tile_states_header);
  if (shape.outer == 0 || shape.length == 0 || shape.inner == 0) return most;
  for (int bytes = 1; bytes <= element_bytes; ++bytes) {
    const bool recurs = bytes == 2 || bytes == 4 || bytes == 8;
    if (shape.inner == 1) {
      most = std::max(most, row_states_bytes(shape.outer, shape.length, bytes));
      if (recurs) {
        most = std::max(most, recurrence_states_bytes(shape.outer, shape.length, bytes));
      }
      continue;
    }
    if (recurs) {
      const column_sizes sizes{bytes, bytes, 2 * std::max(bytes, 4), 2};
      most = std::max({most, column_states_bytes(shape, sizes),
                       walked_states_bytes(shape, bytes, sizes.value, 2)});
    }
    for (int value = 1; value <= most_wave_value_bytes; ++value) {
      most = std::max(most, walked_states_bytes(shape, bytes, value, 1));
    }
    for (int out = 1; out <= element_bytes; ++out) {
      for (int value = 1; value <= std::max(element_bytes, 4); ++value) {
        most = std::max(most, column_states_bytes(shape, {bytes, out, value, 1}));
      }
    }
  }
  return most;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
