#include "bench/error_bound.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "scan/device/tuning.hpp"
#include "scan/host/host_scan.hpp"

namespace bench {
namespace {

constexpr int lanes = 32;  // of a warp
using float_sum =
    scan::problem<scan::transform_input<float>, scan::transform_output<float>, scan::plus, false>;
constexpr int float_digits = std::numeric_limits<float>::digits;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Steps of a scan by shuffles over `count` values: ceil(log2(count)).
constexpr std::int64_t shuffle_steps(std::int64_t count) {
  return std::bit_width(static_cast<std::uint64_t>(count - 1));
}

}  // namespace

std::int64_t device_chain(std::int64_t n, int element_bytes) {
  const bool one_tile = n <= scan::device::tuning_for(element_bytes).tile_items();
  const scan::device::tuning shape = one_tile ? scan::device::one_tile_tuning_for(element_bytes)
                                              : scan::device::tuning_for(element_bytes);
  const std::int64_t warps = ceil_div(std::min<std::int64_t>(n, shape.tile_items()),
                                      static_cast<std::int64_t>(shape.warp_items()));
  // An element on its way into its tile's aggregate: vector, row, rows of the warp, warps.
  const std::int64_t aggregate =
      (shape.vector_items - 1) + shuffle_steps(lanes) + (shape.rows - 1) + shuffle_steps(warps);
  // From the prefix of the warp to the output: the prefix inside the warp, then one by one.
  const std::int64_t output = 1 + shape.vector_items;
  const std::int64_t earlier_tiles = scan::device::num_tiles(n, shape) - 1;
  if (earlier_tiles == 0) return aggregate + output;
  // The tile's prefix: batches of a tile per thread, folded by shuffles twice, added one by one.
  const std::int64_t batch = std::min<std::int64_t>(earlier_tiles, shape.threads_per_block);
  const std::int64_t batch_fold =
      shuffle_steps(std::min<std::int64_t>(batch, lanes)) + shuffle_steps(ceil_div(batch, lanes));
  const std::int64_t batches = ceil_div(earlier_tiles, shape.threads_per_block);
  return aggregate + batch_fold + (batches - 1) + 1 + output;
}

std::int64_t host_chain(std::int64_t n) {
  using scan::host_path::block_items, scan::host_path::group_items;
  constexpr std::int64_t tile_items = scan::host_path::lane_tiles<float_sum>::tile_items;
  constexpr std::int64_t vector_items = scan::host_path::lanes<float>::count;
  const std::int64_t groups =
      ceil_div(std::min<std::int64_t>(n, block_items<float>), group_items<float>);
  const std::int64_t blocks = ceil_div(std::min(n, tile_items), block_items<float>);
  // An element on its way into its tile's aggregate: groups of the block, vectors of the group,
  // lanes, blocks of the tile.
  const std::int64_t aggregate = (groups - 1) + 2 + (vector_items - 1) + (blocks - 1);
  // Tile after tile; then blocks, groups, and the prefix inside the group.
  return aggregate + (ceil_div(n, tile_items) - 1) + (blocks - 1) + (groups - 1) + 1;
}

double error_bound(std::int64_t chain, int output_digits) {
  const double roundings = static_cast<double>(chain) * unit_roundoff(float_digits);
  if (roundings >= 1) return std::numeric_limits<double>::infinity();
  const double gamma = roundings / (1 - roundings);
  return output_digits == float_digits ? gamma : gamma + unit_roundoff(output_digits) * (1 + gamma);
}

}  // namespace bench
