// How the baselines cut an input, and what scratch memory follows from that: plain numbers, for
// those who launch and for those who size a workspace.
#ifndef SCAN_BASELINES_SCRATCH_HPP
#define SCAN_BASELINES_SCRATCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/plan/tuning.hpp"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// The shape of the kernels that hold a tile in registers: 16 KiB, so that several blocks share a
/// multiprocessor and one loads while another computes (a block does nothing beside): as many as
/// leave enough registers. Powers of two in all: an item's part is found by a shift.
constexpr device::tuning tile_tuning_for(int element_bytes) {
  const int rows = element_bytes <= 16 ? 4 : element_bytes <= 32 ? 2 : 1;
  const bool few_registers = element_bytes == 1 || element_bytes == 4;
  return {256,
          few_registers        ? 4
          : element_bytes <= 8 ? 3
                               : 2,
          rows, device::vector_items_for(element_bytes)};
}

/// Items of a part of `blelloch`: two for each of a block's 256 threads.
inline constexpr int blelloch_part_items = 512;
/// Items that a block builds a tree of: A1 and A2, A3.
inline constexpr int small_tree_items = 256, large_tree_items = 512;
/// Parts of `reduce_then_scan_two_pass` at most.
inline constexpr int two_pass_parts = 1024;
/// No block has fewer items.
inline constexpr int least_block_items = 256;

/// Bytes of `count` values in scratch memory, where everything starts at a multiple of 256 bytes.
constexpr std::size_t padded_bytes(std::int64_t count, std::size_t value_bytes) {
  return (static_cast<std::size_t>(count) * value_bytes + 255) / 256 * 256;
}

/// Bytes of the sums of parts, of the sums of parts of these, and so on to the one of all.
constexpr std::size_t sums_bytes(std::int64_t num_items, int part_items, std::size_t value_bytes) {
  std::size_t num_bytes = 0;
  std::int64_t parts = num_items;
  do {
    parts = device::tiles_of(parts, part_items);
    num_bytes += padded_bytes(parts, value_bytes);
  } while (parts > 1);
  return num_bytes;
}

/// Bytes of scratch memory of a scan of `num_items` > 0 elements by the baseline `which`, computed
/// in values of `value_bytes` bytes and cut into tiles of `tile_items`; `in_output`: whether the
/// output can hold such values until they are final.
constexpr std::size_t scratch_bytes(algorithm which, std::int64_t num_items, int tile_items,
                                    std::size_t value_bytes, bool in_output) {
  const std::size_t copy = padded_bytes(num_items, value_bytes);
  const std::int64_t tiles = device::tiles_of(num_items, tile_items);
  const bool one_tile = tiles == 1;
  switch (which) {
    case algorithm::bit_layers:
    case algorithm::bit_three_kernel:
    case algorithm::bit_two_kernel:
      return copy;
    case algorithm::blelloch:
      return (in_output ? 0 : copy) + sums_bytes(num_items, blelloch_part_items, value_bytes);
    case algorithm::scan_then_fan:
      return (in_output ? 0 : copy) + sums_bytes(num_items, tile_items, value_bytes);
    case algorithm::reduce_then_scan:
      return one_tile ? 0 : sums_bytes(num_items, tile_items, value_bytes);
    case algorithm::reduce_then_scan_two_pass:
      return one_tile ? 0
                      : padded_bytes(std::min<std::int64_t>(tiles, two_pass_parts), value_bytes);
    default:
      return 0;
  }
}

/// The same for any types and functions of at most `element_bytes` bytes: values in the wider of
/// them, or in float where they may be floats of 16 bits, and a copy of all of them.
constexpr std::size_t most_scratch_bytes(algorithm which, std::int64_t num_items,
                                         int element_bytes) {
  if (num_items == 0) return 0;
  const int value_bytes = element_bytes == 1 ? 1 : std::max(element_bytes, 4);
  return scratch_bytes(which, num_items, tile_tuning_for(value_bytes).tile_items(),
                       static_cast<std::size_t>(value_bytes), false);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
