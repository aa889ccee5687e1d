// Compaction of many elements on capability 9.0 and newer: persistent blocks, one a multiprocessor,
// with a ring of tiles in shared memory, whose warps have roles as in ring_kernel.cuh. Few blocks
// with large tiles look at few others.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_RING_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_RING_CUH

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/compaction/compaction_folds.cuh"
#include "scan/device/compaction/compaction_part.cuh"
#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/sequence/ring_cut.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class Cut>
using part_of_ring =
    std::conditional_t<Cut::Results::has_folds, compaction_folds<Cut>, compaction_part<Cut>>;

/// What a block holds of one tile; in dynamic shared memory.
template <class Cut>
struct compaction_stage {
  typename part_of_ring<Cut>::slots slots[Cut::warps];
  typename part_of_ring<Cut>::note notes[Cut::warps];
};

/// Bytes of dynamic shared memory: of stages, and behind them of what each warp that moves has for
/// itself.
template <class Cut>
struct compaction_ring_room {
  static constexpr std::size_t stage_bytes = sizeof(compaction_stage<Cut>);
  static constexpr std::size_t own_bytes =
      sizeof(typename part_of_ring<Cut>::own_memory) * Cut::warps;

  SCAN_HOST_DEVICE static constexpr int stages_in(std::size_t num_bytes) {
    const std::size_t left = num_bytes > own_bytes ? num_bytes - own_bytes : 0;
    const std::size_t fit = left / stage_bytes;
    return fit < most_compaction_stages ? static_cast<int>(fit) : most_compaction_stages;
  }
  SCAN_HOST_DEVICE static constexpr std::size_t bytes(int num_stages) {
    return num_stages * stage_bytes + own_bytes;
  }
};

/// A block's warps at work. `Cut` is a compaction_cut.
template <class Cut>
struct compaction_ring_block {
  using T = typename Cut::T;
  using tile_fold = typename Cut::tile_fold;
  using part = part_of_ring<Cut>;
  using stage_type = compaction_stage<Cut>;
  static constexpr int warps = Cut::warps, most_stages = most_compaction_stages;

  /// As of ring_block: all lanes of a warp arrive, each for what it has read and written, and phase
  /// r of each barrier is about the tile of round r.
  struct shared {
    phase_barrier claimed[most_stages];
    phase_barrier loaded[most_stages];
    phase_barrier marked[most_stages];
    phase_barrier prefixed[most_stages];
    phase_barrier freed[most_stages];
    ticket tickets[most_stages];
    shared_array<tile_fold, warps> before_part[most_stages];
    shared_array<T, most_stages> before_tile;
  };

  const Cut& scan;
  shared& memory;
  stage_type* stages;
  int num_stages;
  std::int64_t num_tiles;

  __device__ void initialise() const {
    for (int i = threadIdx.x; i < num_stages; i += blockDim.x) {
      memory.claimed[i].initialise(warp_size);
      memory.loaded[i].initialise(warp_size);
      memory.marked[i].initialise(Cut::mark_warps * warp_size);
      memory.prefixed[i].initialise(2 * warp_size);
      memory.freed[i].initialise(warps * warp_size);
    }
    publish_to_bulk();  // see ring_block::initialise
    __syncthreads();
  }

  __device__ bool is_tile(const ticket& drawn) const { return drawn.tile < num_tiles; }
  __device__ const ticket& await_ticket(const ring_position& at) const {
    memory.claimed[at.stage].wait(at.parity);
    return memory.tickets[at.stage];
  }
  __device__ part part_of(const ticket& drawn, int stage, int c) const {
    auto* const own = reinterpret_cast<typename part::own_memory*>(stages + num_stages);
    return part(scan, stages[stage].slots[c], (drawn.tile * warps + c) * scan.warp_items(), own[c]);
  }

  /// The load warp.
  __device__ void load_tiles(tile_states<tile_fold>& states) const {
    ring_position at;
    for (int step = 0;; ++step, at.advance(num_stages)) {
      if (step >= num_stages) memory.freed[at.stage].wait(at.parity ^ 1);
      if (lane_index() == 0) memory.tickets[at.stage] = states.claim(num_tiles + gridDim.x);
      __syncwarp();
      memory.claimed[at.stage].arrive();
      const ticket drawn = memory.tickets[at.stage];
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) {
        if (num_tiles == 0 && drawn.tile == 0 && lane_index() == 0) scan.write_end(T::none());
        return;
      }
      states.bring(drawn.tile, lane_index());
      load_tile(drawn, at.stage);
      memory.loaded[at.stage].arrive();
    }
  }
  __device__ void load_tile(const ticket& drawn, int stage) const {
    bool has_rest = false;
    for (int c = lane_index(); c < warps; c += warp_size) {
      part_of(drawn, stage, c)
          .visit_slots([&](auto& slot, const auto& from, auto* begin, auto* end) {
            slot.load(from, begin, end, memory.loaded[stage]);
            has_rest = has_rest || slot.has_rest(from, begin, end);
          });
    }
    if (!__any_sync(all_lanes, has_rest)) return;
    for (int c = 0; c < warps; ++c) {  // of the first or the last tile
      part_of(drawn, stage, c)
          .visit_slots([&](auto& slot, const auto& from, auto* begin, auto* end) {
            slot.load_rest(from, begin, end);
          });
    }
  }

  /// Marking warp `warp`. In place nothing has to be ordered: all elements of the tile are in
  /// shared memory, or have been compared, before its count is made of them, so that no read is
  /// under way when others may write. (What is in registers may have yet to come: see
  /// compaction_kernel.)
  __device__ void mark_tiles(int warp) const {
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory.loaded[at.stage].wait(at.parity);
      for (int c = warp; c < warps; c += Cut::mark_warps) {
        part mine = part_of(drawn, at.stage, c);
        mine.mark(mine.ask_previous());
        mine.keep(stages[at.stage].notes[c]);
      }
      publish_to_bulk();  // a bulk copy will load where the lanes have read, and moved flags
      memory.marked[at.stage].arrive();
    }
  }

  /// The fold of all parts up to the lane's.
  __device__ tile_fold up_to_part(int stage) const {
    const int lane = lane_index();
    return warp_inclusive_scan(stages[stage].notes[lane < warps ? lane : 0].total, warps,
                               scan.join());
  }

  /// The publish warp.
  __device__ void publish_tiles(tile_states<tile_fold> states) const {
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      memory.marked[at.stage].wait(at.parity);
      const tile_fold up_to = up_to_part(at.stage);
      const int lane = lane_index();
      if (lane == warps - 1) states.publish(drawn.tile, up_to);
      const tile_fold before = shuffle_up(up_to, 1);
      if (lane < warps) memory.before_part[at.stage][lane] = lane == 0 ? tile_fold::none() : before;
      memory.prefixed[at.stage].arrive();
    }
  }

  /// The look-back warp, which begins when the others' aggregates are there, too.
  __device__ void look_back_for_tiles(tile_states<tile_fold> states) const {
    using lookers_type = warp_lookers<tile_fold>;
    lookers_type lookers;
    const auto join = scan.join();
    running_prefix<T, std::decay_t<decltype(join)>, lookers_type, tile_fold> earlier_tiles(
        {T::none(), true}, join);
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      memory.marked[at.stage].wait(at.parity);
      __nanosleep(compaction_look_delay_ns);
      const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, drawn.tile);
      if (lane_index() == 0) memory.before_tile[at.stage] = before.value;
      if (drawn.tile == num_tiles - 1) {
        const tile_fold all = up_to_part(at.stage);
        if (lane_index() == warps - 1) scan.write_end(join(before.value, all));
      }
      memory.prefixed[at.stage].arrive();
    }
  }

  /// Warp `c` of those that move: part c of every tile.
  __device__ void move_tiles(int c) const {
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory.loaded[at.stage].wait(at.parity);  // complete: the bytes are visible to who has waited
      memory.marked[at.stage].wait(at.parity);
      part mine = part_of(drawn, at.stage, c);
      mine.take(stages[at.stage].notes[c]);
      mine.compact();
      memory.prefixed[at.stage].wait(at.parity);
      mine.store(scan.join()(memory.before_tile[at.stage], memory.before_part[at.stage][c]));
      publish_to_bulk();  // a bulk copy will load where the lanes have read
      memory.freed[at.stage].arrive();
    }
  }
};

/// Moves any number of tiles; the grid may have any number of blocks. `states_memory`: see
/// tile_states. The dynamic shared memory: compaction_ring_room.
template <class Cut>
__global__ void __launch_bounds__(Cut::ring_threads(), 1)
    compaction_ring_kernel(const __grid_constant__ Cut given, void* states_memory,
                           std::size_t states_bytes, int num_stages) {
#if __CUDA_ARCH__ >= 900
  using block_type = compaction_ring_block<Cut>;
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ typename block_type::shared memory;
  admit_later_kernels();
  auto* const ring = reinterpret_cast<compaction_stage<Cut>*>(stages);
  block_type{given, memory, ring, num_stages, 0}.initialise();
  await_earlier_kernels();
  Cut scan = given;
  scan.count_items();
  const block_type block{scan, memory, ring, num_stages, scan.num_tiles()};
  tile_states<typename Cut::tile_fold> states(states_memory, states_bytes);
  constexpr int load_warp = Cut::warps + Cut::mark_warps;
  const int warp = uniform_warp_index();
  if (warp < Cut::warps) {
    block.move_tiles(warp);
  } else if (warp < load_warp) {
    block.mark_tiles(warp - Cut::warps);
  } else if (warp == load_warp) {
    block.load_tiles(states);
  } else if (warp == load_warp + 1) {
    block.publish_tiles(states);
  } else {
    block.look_back_for_tiles(states);
  }
  // Who claimed knows the epoch; nobody looks any more.
  __syncthreads();
  if (threadIdx.x == load_warp * warp_size) states.retire(gridDim.x);
#endif
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
