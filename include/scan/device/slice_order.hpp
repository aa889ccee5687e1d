// In which order a slice is combined, and what memory that takes. Across GPUs the kernel does not
// depend on the number of elements, which nobody knows: it is the ring's order, or the look-back
// kernel's where a GPU or a type has no ring.
#ifndef SCAN_DEVICE_SLICE_ORDER_HPP
#define SCAN_DEVICE_SLICE_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/launch_plan.hpp"
#include "scan/device/slice_message.hpp"
#include "scan/device/tuning.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// v, R, w and W of include/scan/README.md: a run of a thread, rows of a warp's share, warps of a
/// tile, tiles of a batch.
struct slice_order {
  int run_items;
  int rows;
  int tile_warps;
  int batch_tiles;

  SCAN_HOST_DEVICE constexpr int row_items() const { return 32 * run_items; }
  SCAN_HOST_DEVICE constexpr int share_items() const { return rows * row_items(); }
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
  const tuning shape = tuning_for(element_bytes);
  return {shape.vector_items, shape.rows, shape.warps_per_block(), 32 * look_back_warps};
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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
