// The look-back of segments over more tiles than it looks at in one go, where a segment begins in
// none of them, or in one: a warp a tile, all at once.
#include <vector>

#include "scan/call/segment_heads.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/operators.hpp"
#include "scan/protocol/running_prefix.hpp"
#include "tests/mutations/probe.hpp"
#include "tests/support/device_memory.hpp"

namespace {

using fold = scan::segment_fold<std::int32_t>;
using add = scan::segmented<scan::plus>;
using states_type = scan::tile_states<fold>;
using lanes_type = scan::device::warp_lookers<fold>;
constexpr std::int64_t num_tiles = 5 * lanes_type::count * lanes_type::batches_at_once / 2;

/// Tile i's fold is i + 1; before[i]: of the tiles before it, from the one with a head on.
__global__ void __launch_bounds__(32)
    look_back(void* memory, std::size_t num_bytes, std::int64_t head, std::int32_t* before) {
  states_type states(memory, num_bytes);
  lanes_type lanes;
  scan::ticket mine{};
  if (lanes.index() == 0) mine = states.claim(num_tiles);
  mine.tile = __shfl_sync(~0u, mine.tile, 0);
  mine.epoch = __shfl_sync(~0u, mine.epoch, 0);
  states.enter(mine.epoch);
  if (lanes.index() == 0) {
    states.publish(mine.tile,
                   {static_cast<std::int32_t>(mine.tile + 1), mine.tile == head ? 1u : 0u});
  }
  scan::running_prefix<fold, add, lanes_type> earlier({}, add{});
  const scan::prefix<fold> found = earlier.exclusive_prefix(states, lanes, mine.tile);
  if (lanes.index() == 0) before[mine.tile] = found.exists ? found.value.value : 0;
}

void check(std::int64_t head) {
  const std::size_t num_bytes = states_type::required_bytes(num_tiles);
  const tests::device_memory memory(num_bytes), before(num_tiles * sizeof(std::int32_t));
  tests::cuda_check(cudaMemset(memory.as<void>(), 0, num_bytes));
  look_back<<<num_tiles, 32>>>(memory.as<void>(), num_bytes, head, before.as<std::int32_t>());
  std::vector<std::int32_t> found(num_tiles);
  tests::cuda_check(cudaMemcpy(found.data(), before.as<void>(), num_tiles * sizeof(std::int32_t),
                               cudaMemcpyDeviceToHost));
  std::int32_t sum = 0;
  for (std::int64_t tile = 0; tile < num_tiles; ++tile) {
    probe::expect(found[static_cast<std::size_t>(tile)] == sum, "what is before a tile", tile,
                  static_cast<int>(head));
    const auto own = static_cast<std::int32_t>(tile + 1);
    sum = tile == head ? own : sum + own;
  }
}

}  // namespace

int main() {
  if (!tests::gpu_present()) return 77;
  for (const std::int64_t head :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{40}, num_tiles / 2, num_tiles - 1}) {
    for (int round = 0; round < 20; ++round) check(head);
  }
  return probe::result();
}
