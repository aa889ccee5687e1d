// A block of the kernel of narrow columns: what its warps do, each for one tile after another. (See
// column_ring_kernel.cuh.)
#ifndef SCAN_DEVICE_TENSOR_COLUMN_RING_CUH
#define SCAN_DEVICE_TENSOR_COLUMN_RING_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/named_barrier.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/tensor/column_ring_cut.cuh"
#include "scan/device/tensor/column_ring_looks.cuh"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block's warps at work on its ring. `Cut` is a column_ring_cut.
template <class Cut>
class column_ring {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  using stage_type = column_ring_stage<Cut>;
  static constexpr column_ring_tuning ring = Cut::ring;
  using looks = column_ring_looks<Cut, ring.look_warps * warp_size>;
  using states_type = typename looks::states_type;
  static constexpr int num_chunks = ring.scan_warps, num_inputs = Cut::num_inputs;
  static constexpr int most_stages = 6;

  /// Phase r of each barrier is about the tile of round r; see ring_block.
  struct shared {
    phase_barrier claimed[most_stages];
    phase_barrier loaded[most_stages];
    phase_barrier reduced[most_stages];
    phase_barrier prefixed[most_stages];
    phase_barrier scanned[most_stages];
    phase_barrier freed[most_stages];
    ticket tickets[most_stages];
    typename looks::shared seen;
  };

  /// As many as there is room for; 0 if that is less than two.
  static int stages_in(std::size_t num_bytes) {
    const auto stages = static_cast<int>(num_bytes / sizeof(stage_type));
    return stages < 2 ? 0 : stages < most_stages ? stages : most_stages;
  }

  __device__ column_ring(const Cut& scan, shared& memory, unsigned char* stages, int num_stages)
      : scan_(scan),
        memory_(memory),
        stages_(reinterpret_cast<stage_type*>(stages)),
        num_stages_(num_stages) {}

  __device__ void initialise() const {
    for (int i = threadIdx.x; i < num_stages_; i += blockDim.x) {
      memory_.claimed[i].initialise(warp_size);
      memory_.loaded[i].initialise(warp_size);
      memory_.reduced[i].initialise(ring.reduce_warps * warp_size);
      memory_.prefixed[i].initialise((1 + ring.look_warps) * warp_size);
      memory_.scanned[i].initialise(num_chunks * warp_size);
      memory_.freed[i].initialise(warp_size);
    }
    publish_to_bulk();  // by who has made a barrier: the copy engine is to see it made
    __syncthreads();
  }

  /// The load warp.
  __device__ void load_tiles(states_type& states) const {
    ring_position at;
    for (int step = 0;; ++step, at.advance(num_stages_)) {
      if (step >= num_stages_) memory_.freed[at.stage].wait(at.parity ^ 1);
      ticket& mine = memory_.tickets[at.stage];
      if (lane_index() == 0) mine = states.claim(scan_.num_tiles + gridDim.x);
      __syncwarp();
      memory_.claimed[at.stage].arrive();
      states.enter(mine.epoch);
      if (!is_tile(mine)) return;
      const column_rows rows = scan_.rows_of(mine.tile);
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) load_array(rows, at.stage, which);
      memory_.loaded[at.stage].arrive();
    }
  }

  /// Reduce warp `warp`.
  __device__ void reduce_tiles(int warp) const {
    const column_lane<Cut> lane(scan_);
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory_.loaded[at.stage].wait(at.parity);
      const column_rows rows = scan_.rows_of(drawn.tile);
#pragma unroll 1
      for (int c = warp; c < num_chunks; c += ring.reduce_warps) {
        reduce_chunk(lane, rows, stages_[at.stage], c);
      }
      memory_.reduced[at.stage].arrive();
    }
  }

  /// The publish warp: lane c has column c.
  __device__ void publish_tiles(states_type states) const {
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      memory_.reduced[at.stage].wait(at.parity);
      if (lane_index() < scan_.inner()) {
        const T aggregate = scan_folds(scan_.rows_of(drawn.tile), stages_[at.stage]);
        states.publish(drawn.tile * scan_.inner() + lane_index(), aggregate);
      }
      memory_.prefixed[at.stage].arrive();
    }
  }

  /// The look-back warps.
  __device__ void look_back_for_tiles(states_type states, int thread) const {
    const std::int64_t per_slab = scan_.plan.tiles_per_slab;
    looks earlier(scan_, memory_.seen, thread);
    std::int64_t slab = -1;
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      const std::int64_t now = tile_quotient(drawn.tile, per_slab),
                         tile = drawn.tile - now * per_slab;
      if (now != slab) {
        slab = now;
        earlier.restart(slab * per_slab,
                        scan_.sequence(slab, earlier.has_column() ? thread : 0).start());
      }
      memory_.reduced[at.stage].wait(at.parity);
      const prefix<T> before = earlier.before(states, tile);
      if (earlier.has_column()) {
        if (tile == 0) scan_.sequence(slab, thread).write_start(before);
        stages_[at.stage].before_tile[thread] = before;
      }
      memory_.prefixed[at.stage].arrive();
    }
  }

  /// Warp `c` of those that scan: chunk c of every tile.
  __device__ void scan_tiles(int c) const {
    const column_lane<Cut> lane(scan_);
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory_.loaded[at.stage].wait(at.parity);  // the bytes are visible to who has waited
      memory_.prefixed[at.stage].wait(at.parity);
      const column_rows rows = scan_.rows_of(drawn.tile);
      scan_chunk(lane, rows, stages_[at.stage], c);
      publish_to_bulk();
      if (!is_in_phase(rows)) store_chunk(rows, stages_[at.stage], c);
      memory_.scanned[at.stage].arrive();
    }
  }

  /// The store warp. (What granules have elsewhere than memory has is stored by those who scan.)
  __device__ void store_tiles() const {
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory_.scanned[at.stage].wait(at.parity);
      const column_rows rows = scan_.rows_of(drawn.tile);
      stage_type& stage = stages_[at.stage];
      if (is_in_phase(rows)) {
        results_of(stage).store(scan_.output_place(rows, results_offset(rows)));
        if (lane_index() == 0) await_bulk_reads<0>();
      }
      memory_.freed[at.stage].arrive();
    }
  }

 private:
  __device__ bool is_tile(const ticket& drawn) const { return drawn.tile < scan_.num_tiles; }
  __device__ const ticket& await_ticket(const ring_position& at) const {
    memory_.claimed[at.stage].wait(at.parity);
    return memory_.tickets[at.stage];
  }

  __device__ void load_array(const column_rows& rows, int stage, int which) const {
    const auto* const array = scan_.input(which);
    const auto* const begin = parts_at(array);
    const auto* const end = parts_at(array + scan_.span());
    const auto from = scan_.input_place(which, rows);
    auto& slot = stages_[stage].items[which];
    if (lane_index() == 0) slot.load(from, begin, end, memory_.loaded[stage]);
    if (slot.has_rest(from, begin, end)) slot.load_rest(from, begin, end);
  }

  /// A lane's run, where the copies have put it.
  __device__ column_run<Cut> run_of_lane(const column_lane<Cut>& lane, const lane_rows<Cut>& mine,
                                         const column_rows& rows, stage_type& stage) const {
    const int first = mine.first_item(scan_, lane, rows);
    const in_type* items[num_inputs];
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const int shift = scan_.input_place(which, rows).shift();
      items[which] = reinterpret_cast<const in_type*>(stage.items[which].bytes + shift) + first;
    }
    return {scan_, items, mine.count, scan_.sequence(rows.slab, lane.column).in_common()};
  }
  __device__ void reduce_chunk(const column_lane<Cut>& lane, const column_rows& rows,
                               stage_type& stage, int c) const {
    const lane_rows<Cut> mine(scan_, lane, rows, c);
    const bool has_rows = mine.count > 0;
    const bool begins = rows.first == 0 && mine.first == 0 && !scan_.has_init();
    auto op = scan_.op;
    T folded;
    if (has_rows) folded = run_of_lane(lane, mine, rows, stage).fold(begins);
    const int inner = scan_.inner();
    for (int runs = 1; runs < scan_.plan.lane_runs; runs *= 2) {
      const T earlier = shuffle_up(folded, runs * inner);
      if (has_rows && lane.nth >= runs) folded = op(earlier, folded);
    }
    // The last run that there is has all of the chunk's. (The operator sees nothing else.)
    const bool is_last =
        lane.nth + 1 == scan_.plan.lane_runs || mine.first + scan_.plan.run_rows >= rows.count;
    if (has_rows && is_last) stage.folds[c][lane.column] = folded;
    stage.before_lane[c][lane_index()] = shuffle_up(folded, inner % warp_size);
  }

  /// Of the lane's column: chunks' folds become those of what is before them; returns the tile's.
  __device__ T scan_folds(const column_rows& rows, stage_type& stage) const {
    constexpr int at_once = 4;
    const int chunk_rows = scan_.plan.lane_runs * scan_.plan.run_rows;
    auto op = scan_.op;
    T folded = stage.folds[0][lane_index()];
#pragma unroll
    for (int first = 1; first < num_chunks; first += at_once) {
      T next[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        next[i] = stage.folds[min(first + i, num_chunks - 1)][lane_index()];
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (first + i >= num_chunks || (first + i) * chunk_rows >= rows.count) break;
        stage.folds[first + i][lane_index()] = folded;
        folded = op(folded, next[i]);
      }
    }
    return folded;
  }

  __device__ void scan_chunk(const column_lane<Cut>& lane, const column_rows& rows,
                             stage_type& stage, int c) const {
    const lane_rows<Cut> mine(scan_, lane, rows, c);
    if (mine.count == 0) return;
    prefix<T> before = stage.before_tile[lane.column];
    if (c > 0) before = join(before, {stage.folds[c][lane.column], true}, scan_.op);
    if (lane.nth > 0) {
      before = join(before, {stage.before_lane[c][lane_index()], true}, scan_.op);
    }
    auto* const results =
        reinterpret_cast<out_type*>(results_of(stage).bytes + results_offset(rows));
    const T end = run_of_lane(lane, mine, rows, stage)
                      .scan(results + mine.first_item(scan_, lane, rows), before);
    if (rows.first + mine.first + mine.count == scan_.shape.length) {
      scan_.sequence(rows.slab, lane.column).write_end({end, true});
    }
  }
  __device__ static auto& results_of(stage_type& stage) {
    if constexpr (Cut::one_slot) {
      return stage.items[0];
    } else {
      return stage.results;
    }
  }
  /// Results lie as items do, or as in memory.
  __device__ int results_offset(const column_rows& rows) const {
    return Cut::one_slot ? scan_.input_place(0, rows).shift() : scan_.output_place(rows, 0).shift();
  }
  __device__ bool is_in_phase(const column_rows& rows) const {
    return scan_.output_place(rows, results_offset(rows)).shift() == 0;
  }
  /// A warp's part of the results, when all have theirs: granules reach into the neighbours'.
  __device__ void store_chunk(const column_rows& rows, stage_type& stage, int c) const {
    named_barrier<2>{num_chunks * warp_size}.meet();
    const column_rows part = scan_.chunk_of(rows, c);
    const int before = scan_.items_before(rows, part) * static_cast<int>(sizeof(out_type));
    if (part.count == 0) return;
    results_of(stage).store_shifted(scan_.output_place(part, results_offset(rows) + before));
  }

  const Cut& scan_;
  shared& memory_;
  stage_type* stages_;
  int num_stages_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
