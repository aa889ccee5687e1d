// In which order a slice is combined, and what memory that takes. Across GPUs the kernel does not
// depend on the number of elements, which nobody knows: it is the ring's order, or the look-back
// kernel's where a GPU or a type has no ring.
#ifndef SCAN_DEVICE_PLAN_SLICE_PLAN_HPP
#define SCAN_DEVICE_PLAN_SLICE_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/column_plan.hpp"
#include "scan/device/plan/row_plan.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/plan/tuning.hpp"
#include "scan/device/slice/slice_message.hpp"
#include "scan/extents.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// v, R, w and W of include/scan/README.md: a run of a thread, stripes of a warp's share, warps of
/// a tile, tiles of a batch.
struct slice_order {
  int run_items;
  int stripes;
  int tile_warps;
  int batch_tiles;

  SCAN_HOST_DEVICE constexpr int stripe_items() const { return 32 * run_items; }
  SCAN_HOST_DEVICE constexpr int share_items() const { return stripes * stripe_items(); }
  SCAN_HOST_DEVICE constexpr int tile_items() const { return tile_warps * share_items(); }
  SCAN_HOST_DEVICE constexpr std::int64_t batch_items() const {
    return std::int64_t{batch_tiles} * tile_items();
  }
};

constexpr slice_order ring_order(int element_bytes, bool widens) {
  const ring_tuning ring = ring_tuning_for(element_bytes, widens);
  return {ring.run_items(), 1, ring.scan_warps, 32};
}
constexpr slice_order look_back_order(int element_bytes) {
  const tuning tile = tuning_for(element_bytes);
  return {tile.vector_items, tile.stripes, tile.warps_per_block(), 32 * look_back_warps};
}

/// Bytes that a slice's folds take: of warps' shares, which stay on the GPU, and of batches, which
/// are sent.
struct slice_bytes {
  std::size_t shares;
  std::size_t batches;
};
constexpr slice_bytes bytes_of(std::int64_t num_items, const slice_order& order, int value_bytes) {
  const auto times = [&](std::int64_t items) {
    return static_cast<std::size_t>(batches_of(num_items, items)) *
           static_cast<std::size_t>(value_bytes);
  };
  return {times(order.share_items()), times(order.batch_items())};
}

/// As many as any slice of up to `max_items` elements of up to `max_element_bytes` bytes takes.
/// (Sums of two-byte floats are kept in float.)
constexpr slice_bytes most_slice_bytes(std::int64_t max_items, int max_element_bytes) {
  slice_bytes most = {};
  for (int bytes = 1; bytes <= max_element_bytes; ++bytes) {
    for (const slice_order& order :
         {ring_order(bytes, false), ring_order(bytes, true), look_back_order(bytes)}) {
      const slice_bytes wanted = bytes_of(max_items, order, std::max(bytes, 4));
      most = {std::max(most.shares, wanted.shares), std::max(most.batches, wanted.batches)};
    }
  }
  return most;
}

// ---- how shares are folded (bench/NOTES.md, "Slices, several GPUs", H200, 11-22) ----

/// Warps of a block that folds shares, its blocks a multiprocessor, as registers have room for, and
/// bytes of shares that are worth a warp's start.
inline constexpr int share_fold_warps = 4, share_fold_blocks_per_sm = 8;
inline constexpr int share_fold_bytes = 3584;
/// How far from a slice's beginning what is folded need not stay in the L2, where the scan will not
/// find it any more; of slices up to some size: it is 2 to 5 % of the time of a call of 64 to 256
/// MiB, and costs 1 % from 512 MiB on.
inline constexpr std::int64_t most_kept_bytes = std::int64_t{32} << 20;
inline constexpr std::int64_t most_passing_bytes = std::int64_t{384} << 20;

// ---- In which order the slices of a tensor's sequences are combined, and what memory that takes:
// as one GPU combines sequences so long that their length does not matter any more.

/// Of rows: the ring's, or that of rows past the wave where there is no ring, whose lanes have two
/// vectors each, which they fold one by one and then together.
constexpr slice_order row_order(int element_bytes, bool widens, bool in_ring) {
  if (in_ring) return ring_order(element_bytes, widens);
  const int vectors = row_cut_of(1, element_bytes).stripes;
  return {vectors * vector_items_for(element_bytes), 1,
          row_tile_vectors_for(element_bytes) / (32 * vectors), row_batch_tiles};
}

/// Of columns: rows of a tile, and tiles that are folded before they are sent.
constexpr int column_tile_rows(const column_sizes& sizes, std::int64_t inner) {
  return cut_long_columns(column_tuning_for(sizes), 1, 1, inner).tile_rows;
}
inline constexpr int column_span_tiles = column_batch_tiles * span_batches;

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
