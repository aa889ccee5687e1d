#include <algorithm>
#include <bit>
#include <limits>

#include "bench/errors/errors.hpp"
#include "scan/device/plan/sequence_plan.hpp"
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

/// The same for one launch plan.
std::int64_t plan_chain(std::int64_t n, const scan::device::launch_plan& plan) {
  const scan::device::tuning& shape = plan.tile;
  const std::int64_t batch_tiles = plan.batch_tiles;
  const std::int64_t warps = ceil_div(std::min<std::int64_t>(n, plan.tile_items),
                                      static_cast<std::int64_t>(shape.warp_items()));
  // An element on its way into its tile's aggregate: vector, stripe, stripes of the warp, warps.
  const std::int64_t aggregate =
      (shape.vector_items - 1) + shuffle_steps(lanes) + (shape.stripes - 1) + shuffle_steps(warps);
  // From the prefix of the warp to the output: the rest of a run (of the wave), the prefix inside
  // the warp, then one by one.
  const std::int64_t output = (shape.stripes - 1) + 1 + shape.vector_items;
  const std::int64_t earlier_tiles = plan.num_tiles - 1;
  if (earlier_tiles == 0) return aggregate + output;
  // The tile's prefix: batches, folded by shuffles within a warp and then across, added one by one.
  const std::int64_t batch = std::min<std::int64_t>(earlier_tiles, batch_tiles);
  const std::int64_t batch_fold =
      shuffle_steps(std::min<std::int64_t>(batch, lanes)) + shuffle_steps(ceil_div(batch, lanes));
  const std::int64_t batches = ceil_div(earlier_tiles, batch_tiles);
  return aggregate + batch_fold + (batches - 1) + 1 + output;
}

}  // namespace

std::int64_t device_chain(std::int64_t n, int element_bytes) {
  const auto chain_of = [&](bool has_ring) {
    scan::device::device_limits limits;
    if (has_ring) limits.ring_bytes_of_block = scan::device::least_ring_bytes;
    const scan::device::launch_plan plan =
        scan::device::plan_for(n, element_bytes, scan::algorithm::automatic, limits);
    return plan_chain(n, plan);
  };
  // Whatever the GPU.
  return std::max(chain_of(false), chain_of(true));
}

std::int64_t host_chain(std::int64_t n) {
  using scan::host_path::block_items, scan::host_path::group_items;
  const std::int64_t tile_items = scan::host_path::lane_tiles<float_sum>::tile_items(n);
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
