// A block of the ring kernel: what its warps do, each for one tile after another.
#ifndef SCAN_DEVICE_SEQUENCE_RING_BLOCK_CUH
#define SCAN_DEVICE_SEQUENCE_RING_BLOCK_CUH

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/sequence/ring_cut.cuh"
#include "scan/device/sequence/ring_stage.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block's warps at work on its ring.
template <class Problem>
struct ring_block {
  using T = typename Problem::T;
  using runs = typename Problem::runs;
  using place = typename Problem::place;
  using stage_type = ring_stage<Problem>;
  static constexpr int num_inputs = Problem::num_inputs;
  static constexpr int num_chunks = Problem::ring.scan_warps;
  static constexpr int reduce_warps = Problem::ring.reduce_warps;
  static constexpr int most_stages = most_ring_stages;
  /// Where results are not kept as wide as items, they go by way of slots of their own, one a warp,
  /// from which the warp stores them itself: for bulk copies there would have to be two, and
  /// waiting.
  using result_slot =
      chunk_slot<Problem::warp_items* static_cast<int>(sizeof(typename Problem::out_type)),
                 copied_line>;
  static constexpr int result_slots = Problem::one_slot ? 0 : num_chunks;

  /// All lanes of a warp arrive, each for what it has read and written: that one lane arrives for a
  /// warp that has met is no faster, and racecheck does not follow it. Phase r of each barrier is
  /// about the tile of round r. A phase cannot be overtaken: the load warp begins a stage's next
  /// round when all scan warps have freed it.
  struct shared {
    phase_barrier claimed[most_stages];
    phase_barrier landed[Problem::heads_change_items ? most_stages : 1];  // see arrivals
    phase_barrier loaded[most_stages];
    phase_barrier reduced[most_stages];
    phase_barrier prefixed[most_stages];
    phase_barrier freed[most_stages];
    ticket tickets[most_stages];
    shared_array<T, num_chunks> chunk_aggregates[most_stages];
    shared_array<prefix<T>, num_chunks> before_chunk[most_stages];
    shared_array<prefix<T>, most_stages> before_tile;
  };

  /// After the stages, of which there are as many as there is room for: results, and what says
  /// where segments begin.
  static constexpr std::size_t results_bytes = result_slots * sizeof(result_slot);
  static std::size_t required_bytes(int num_stages, std::size_t heads_bytes = 0) {
    return num_stages * sizeof(stage_type) + results_bytes + heads_bytes;
  }
  /// As many as there is room for; 0 if that is less than two.
  static int stages_in(std::size_t num_bytes, std::size_t heads_bytes) {
    const std::size_t others = required_bytes(0, heads_bytes);
    if (num_bytes < others) return 0;
    const std::size_t num_stages = (num_bytes - others) / sizeof(stage_type);
    return num_stages < 2 ? 0 : static_cast<int>(std::min<std::size_t>(num_stages, most_stages));
  }
  __device__ auto& heads() const {
    auto* const end = reinterpret_cast<unsigned char*>(stages + num_stages);
    return *reinterpret_cast<typename Problem::heads_shared*>(end + results_bytes);
  }

  const Problem& scan;
  shared& memory;
  stage_type* stages;
  int num_stages;
  int apart = sizeof(typename stage_type::slot);  // bytes from a chunk to the next: see ring_stage

  __device__ void initialise() const {
    for (int i = threadIdx.x; i < num_stages; i += blockDim.x) {
      memory.claimed[i].initialise(warp_size);
      if constexpr (Problem::heads_change_items) memory.landed[i].initialise(warp_size);
      memory.loaded[i].initialise(warp_size + Problem::head_warps * warp_size);
      memory.reduced[i].initialise(reduce_warps * warp_size);
      memory.prefixed[i].initialise(2 * warp_size);
      memory.freed[i].initialise(num_chunks * warp_size);
      stages[i].initialise();
    }
    scan.initialise(heads());
    // By the thread that has made a barrier: the copy engine, which is to complete a phase, might
    // else not see it made.
    publish_to_bulk();
    __syncthreads();
  }

  __device__ bool is_tile(const ticket& drawn) const { return drawn.tile < scan.num_tiles; }
  __device__ const ticket& await_ticket(const ring_position& at) const {
    memory.claimed[at.stage].wait(at.parity);
    return memory.tickets[at.stage];
  }
  __device__ static std::int64_t first_item(const place& at, int chunk) {
    return stage_type::first_item(at, chunk);
  }
  __device__ static int valid_items(const place& at, int chunk) {
    return at.scan.valid_items(first_item(at, chunk), Problem::warp_items);
  }

  /// Waits until it is known what precedes the items, if they are loaded and reduced before.
  /// Whether anything is to be written.
  __device__ bool await_start() const {
    if constexpr (is_loaded_early<Problem>) {
      await_earlier_kernels();
      return !left_alone(scan);
    } else {
      return true;
    }
  }

  /// The load warp.
  __device__ void load_tiles(tile_states<T>& states) const {
    const std::int64_t num_draws = scan.num_tiles + gridDim.x;
    ring_position at;
    for (int step = 0;; ++step, at.advance(num_stages)) {
      if (step >= num_stages) memory.freed[at.stage].wait(at.parity ^ 1);
      if (lane_index() == 0) memory.tickets[at.stage] = states.claim(num_draws);
      __syncwarp();
      memory.claimed[at.stage].arrive();
      const ticket drawn = memory.tickets[at.stage];
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      states.bring(drawn.tile, lane_index());
      load_tile(scan.tile_at(drawn.tile), at.stage);
    }
  }
  __device__ void load_tile(const place& from_tile, int stage) const {
    // (Where segments begin all code has to be short: bench/NOTES.md, "What instruction caches
    // hold".)
    [[maybe_unused]] constexpr int at_once = Problem::head_warps > 0 ? 1 : num_inputs;
#pragma unroll at_once
    for (int which = 0; which < num_inputs; ++which) {
      stages[stage].load(from_tile, which, apart, arrivals(stage));
    }
    if constexpr (Problem::heads_change_items) memory.landed[stage].arrive();
    memory.loaded[stage].arrive();
  }
  /// What bulk copies of a stage complete: items may be changed before they count as loaded.
  __device__ phase_barrier& arrivals(int stage) const {
    return scan.has_inits_in_items() ? memory.landed[stage] : memory.loaded[stage];
  }

  /// Reduce warp `warp` of reduce_warps.
  __device__ void reduce_tiles(int warp) const {
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory.loaded[at.stage].wait(at.parity);
      const place in_row = scan.tile_at(drawn.tile);
      for (int c = warp; c < num_chunks; c += reduce_warps) reduce_chunk(in_row, at.stage, c);
      memory.reduced[at.stage].arrive();
    }
  }
  __device__ void reduce_chunk(const place& in_row, int stage, int c) const {
    auto& held = stages[stage];
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      held.chunk(which, c, apart).align(stage_type::input_chunk(in_row, which, c).shift());
    }
    const int num_valid = valid_items(in_row, c);
    const T scanned =
        held.fold_chunk(in_row.scan, in_row.tile, c, held.chunk(0, c, apart).bytes, num_valid);
    if (lane_index() == held.lanes_of(num_valid) - 1) memory.chunk_aggregates[stage][c] = scanned;
  }

  /// The publish warp: also the prefixes of chunks within the tile.
  __device__ void publish_tiles(tile_states<T> states) const {
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      const place in_row = scan.tile_at(drawn.tile);
      const int num_items = in_row.scan.valid_items(first_item(in_row, 0), Problem::tile_items);
      const int num_valid = (num_items - 1) / Problem::warp_items + 1;
      const int lane = lane_index();
      memory.reduced[at.stage].wait(at.parity);
      const T aggregate = memory.chunk_aggregates[at.stage][lane < num_chunks ? lane : 0];
      const T scanned = warp_inclusive_scan(aggregate, num_valid, scan.op);
      if (lane == num_valid - 1) states.publish(drawn.tile, scanned);
      const T before = shuffle_up(scanned, 1);
      if (lane < num_chunks) memory.before_chunk[at.stage][lane] = {before, lane > 0};
      memory.prefixed[at.stage].arrive();
    }
  }

  /// The look-back warp. It begins a little after the block's own aggregate is there: about then
  /// the others' are too. Looking in vain holds up those who publish. Where no head of a segment is
  /// near it has so much to look at that it begins at once.
  __device__ void look_back_for_tiles(tile_states<T> states) const {
    using lookers_type = warp_lookers<T, Problem::look_batches>;
    lookers_type lookers;
    std::int64_t row_first = 0;
    await_start();
    running_prefix<T, typename Problem::op_type, lookers_type> earlier_tiles(scan.start(), scan.op);
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      const place in_row = scan.tile_at(drawn.tile);
      if (Problem::has_rows && in_row.first != row_first) {
        row_first = in_row.first;
        earlier_tiles.restart(in_row.scan.start(), row_first);
      }
      memory.reduced[at.stage].wait(at.parity);
      if (earlier_tiles.near_head()) __nanosleep(Problem::ring.look_delay_ns);
      const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, drawn.tile);
      if (lane_index() == 0) {
        if (in_row.tile == 0) in_row.scan.write_start(before);
        memory.before_tile[at.stage] = before;
      }
      memory.prefixed[at.stage].arrive();
    }
  }

  /// Warp `c` of those that scan: chunk c of every tile.
  __device__ void scan_tiles(int c) const {
    const bool writes = await_start();
    for (ring_position at;; at.advance(num_stages)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory.loaded[at.stage].wait(at.parity);  // complete: the bytes are visible to who has waited
      const auto heads = runs::heads_to_scan(scan, drawn.tile, stages[at.stage], c);
      memory.prefixed[at.stage].wait(at.parity);
      if (writes) scan_chunk(scan.tile_at(drawn.tile), at.stage, c, heads);
      if (Problem::one_slot && lane_index() == 0) await_bulk_reads<0>();
      memory.freed[at.stage].arrive();
    }
  }
  template <class Heads>
  __device__ void scan_chunk(const place& in_row, int stage, int c, const Heads& heads) const {
    const int num_valid = valid_items(in_row, c);
    if (num_valid == 0) return;
    const prefix<T> before_chunk =
        join(memory.before_tile[stage], memory.before_chunk[stage][c], scan.op);
    result_slot& results = result_chunk(stage, c);
    const prefix<T> end = stages[stage].scan_chunk(in_row.scan, in_row.tile, c,
                                                   stages[stage].chunk(0, c, apart).bytes,
                                                   results.bytes, num_valid, before_chunk, heads);
    const std::int64_t first = first_item(in_row, c);
    if (first + num_valid == in_row.scan.num_items && runs::holds_last(num_valid)) {
      in_row.scan.write_end(end);
    }
    if constexpr (Problem::one_slot) {
      results.store(in_row.scan.chunk_of(in_row.scan.out.data, first));
    } else {
      results.store_now(in_row.scan.chunk_of(in_row.scan.out.data, first));
    }
  }
  __device__ result_slot& result_chunk(int stage, int c) const {
    if constexpr (Problem::one_slot) return stages[stage].chunk(0, c, apart);
    return reinterpret_cast<result_slot*>(stages + num_stages)[c];
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
