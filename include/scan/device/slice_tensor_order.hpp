// In which order the slices of a tensor's sequences are combined, and what memory that takes: as
// one GPU combines sequences so long that their length does not matter any more.
#ifndef SCAN_DEVICE_SLICE_TENSOR_ORDER_HPP
#define SCAN_DEVICE_SLICE_TENSOR_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/column_plan.hpp"
#include "scan/device/row_plan.hpp"
#include "scan/device/slice_order.hpp"
#include "scan/extents.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of rows: the ring's, or that of rows past the wave where there is no ring, whose lanes have two
/// vectors each, which they fold one by one and then together.
constexpr slice_order row_order(int element_bytes, bool widens, bool in_ring) {
  if (in_ring) return ring_order(element_bytes, widens);
  const int vectors = row_cut_of(1, element_bytes).rows;
  return {vectors * vector_items_for(element_bytes), 1,
          row_tile_vectors_for(element_bytes) / (32 * vectors), row_batch_tiles};
}

/// Of columns: rows of a tile, and tiles that are folded before they are sent.
constexpr int column_tile_rows(const column_sizes& sizes, std::int64_t inner) {
  return cut_long_columns(column_shape_for(sizes), 1, 1, inner).tile_rows;
}
inline constexpr int column_span_tiles = batch_tiles * span_batches;

/// Bytes of a call's memory.
struct SCAN_SHOWN slice_tensor_bytes {
  std::size_t message = 0;
  std::size_t shares = 0;  // folds of warps' shares, or of tiles of columns
  std::size_t starts = 0;  // what precedes sequences
  std::size_t totals = 0;  // of this rank

  constexpr bool has_room_for(const slice_tensor_bytes& other) const {
    return message >= other.message && shares >= other.shares && starts >= other.starts &&
           totals >= other.totals;
  }
};

/// `share_items`, `batch_items`: along a sequence. `operand_bytes`: of what the operator sees;
/// `start_bytes`: of one with a flag.
constexpr slice_tensor_bytes tensor_bytes_of(const tensor_shape& shape, std::int64_t share_items,
                                             std::int64_t batch_items, std::size_t operand_bytes,
                                             std::size_t start_bytes, std::size_t value_bytes) {
  const auto sequences = static_cast<std::size_t>(shape.outer * shape.inner);
  const auto times = [&](std::int64_t items) {
    return sequences * static_cast<std::size_t>(batches_of(shape.length, items)) * operand_bytes;
  };
  return {slice_ends_offset + sequences * operand_bytes + times(batch_items), times(share_items),
          sequences * start_bytes, sequences * value_bytes};
}

/// As much as slices of this shape take, of elements of up to `max_element_bytes` bytes.
constexpr slice_tensor_bytes most_tensor_bytes(const tensor_shape& shape, int max_element_bytes) {
  slice_tensor_bytes most;
  const auto add = [&](std::int64_t share_items, std::int64_t batch_items, int operand_bytes) {
    const auto bytes = static_cast<std::size_t>(operand_bytes);
    const slice_tensor_bytes wanted =
        tensor_bytes_of(shape, share_items, batch_items, bytes, 2 * bytes, bytes);
    most = {std::max(most.message, wanted.message), std::max(most.shares, wanted.shares),
            std::max(most.starts, wanted.starts), std::max(most.totals, wanted.totals)};
  };
  for (int in = 1; in <= max_element_bytes; ++in) {
    if (shape.inner < 2) {
      for (const slice_order& order :
           {row_order(in, false, true), row_order(in, true, true), row_order(in, false, false)}) {
        add(order.share_items(), order.batch_items(), std::max(in, 4));
      }
      continue;
    }
    for (int out = 1; out <= max_element_bytes; ++out) {
      for (int operand = 1; operand <= std::max(max_element_bytes, 4); ++operand) {
        const int rows = column_tile_rows({in, out, operand, 1}, shape.inner);
        add(rows, std::int64_t{rows} * column_span_tiles, std::max(operand, 4));
      }
    }
  }
  return most;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
