// A block of the kernel of wide columns: what its warps do, each for one tile after another. (See
// strip_ring_kernel.cuh.)
#ifndef SCAN_DEVICE_TENSOR_STRIP_RING_CUH
#define SCAN_DEVICE_TENSOR_STRIP_RING_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/sequence/ring_cut.cuh"
#include "scan/device/tensor/strip_cut.cuh"
#include "scan/device/tensor/strip_run.cuh"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block's warps at work on its ring. `Cut` is a strip_cut.
template <class Cut>
class strip_ring {
 public:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  using stage_type = strip_stage<Cut>;
  using looks = strip_looks<T, typename Cut::op_type>;
  using states_type = typename looks::states_type;
  static constexpr strip_tuning ring = Cut::ring;
  static constexpr int num_inputs = Cut::num_inputs, lane_columns = Cut::lane_columns;
  static constexpr int most_stages = 6;

  /// Phase r of each barrier is about the tile of round r; see ring_block. (As large as boxes are
  /// aligned: stages lie behind it, and of code that is not optimised a driver has been seen to
  /// begin them at its end, whatever they ask for.)
  struct alignas(128) shared {
    phase_barrier claimed[most_stages];
    phase_barrier loaded[most_stages];
    phase_barrier reduced[most_stages];
    phase_barrier published[most_stages];
    phase_barrier prefixed[most_stages];
    phase_barrier freed[most_stages];
    ticket tickets[most_stages];
    strip_place places[most_stages];
  };

  /// As many as there is room for: two or more (see least_ring_bytes, and most_strip_bytes).
  static int stages_in(std::size_t num_bytes, const Cut& scan) {
    const int stages = static_cast<int>(num_bytes) / stage_type::bytes_with_lines(scan);
    return stages < most_stages ? stages : most_stages;
  }

  __device__ strip_ring(const Cut& scan, shared& memory, unsigned char* stages, int num_stages)
      : scan_(scan),
        memory_(memory),
        stages_(stages),
        stage_bytes_(static_cast<int>(sizeof(stage_type)) + num_inputs * scan.slot_bytes),
        num_stages_(num_stages) {}

  __device__ void initialise() const {
    for (int i = threadIdx.x; i < num_stages_; i += blockDim.x) {
      memory_.claimed[i].initialise(warp_size);
      memory_.loaded[i].initialise(warp_size);
      memory_.reduced[i].initialise(ring.reduce_warps * warp_size);
      memory_.published[i].initialise(warp_size);
      memory_.prefixed[i].initialise((1 + ring.look_warps) * warp_size);
      memory_.freed[i].initialise(ring.scan_warps * warp_size);
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
      strip_place& tile = memory_.places[at.stage];
      if (lane_index() == 0) {
        mine = states.claim(scan_.num_tiles + gridDim.x);
        if (is_tile(mine)) tile = scan_.place_of(mine.tile);
      }
      __syncwarp();
      memory_.claimed[at.stage].arrive();
      states.enter(mine.epoch);
      if (!is_tile(mine)) return;
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) {
        stage_of(at.stage).load(scan_, tile, which, memory_.loaded[at.stage]);
      }
      memory_.loaded[at.stage].arrive();
    }
  }

  /// Reduce warp `warp`.
  __device__ void reduce_tiles(int warp) const {
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory_.loaded[at.stage].wait(at.parity);  // the bytes are visible to who has waited
      const strip_place tile = memory_.places[at.stage];
      const bool begins = tile.first == 0 && !scan_.has_init();
#pragma unroll 1
      for (int w = warp; w < ring.scan_warps; w += ring.reduce_warps) {
        const strip_part mine(scan_, tile, w);
        if (mine.count == 0) continue;
        T folded[lane_columns];
        run_of_lane(mine, tile, stage_of(at.stage)).fold(begins && mine.first == 0, folded);
#pragma unroll
        for (int v = 0; v < lane_columns; ++v) {
          if (v >= mine.columns) break;
          stage_of(at.stage).fold_of(scan_, mine.run, mine.column + v * mine.apart) = folded[v];
        }
      }
      memory_.reduced[at.stage].arrive();
    }
  }

  /// The publish warp: a lane a column, or some.
  __device__ void publish_tiles(states_type states) const {
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      memory_.reduced[at.stage].wait(at.parity);
      const strip_place tile = memory_.places[at.stage];
      for (int column = lane_index(); column < tile.columns; column += warp_size) {
        const T aggregate = scan_folds(tile, stage_of(at.stage), column);
        stage_of(at.stage).aggregates[column] = aggregate;
        if (tile.number + 1 < scan_.plan.tiles) {
          states.publish(scan_.states_of(tile, column).of_tile(tile.number), aggregate);
        }
      }
      memory_.published[at.stage].arrive();
      memory_.prefixed[at.stage].arrive();
    }
  }

  /// Look-back warp `warp`: 32 columns of every tile whose turn is its.
  __device__ void look_back_for_tiles(states_type states, int warp) const {
    const int parts = scan_.plan.width / warp_size, turns = ring.look_warps / parts;
    const int column = warp % parts * warp_size + lane_index();
    const bool takes_turns = warp < turns * parts;
    looks earlier(scan_.op);
    int turn = warp / parts;
    for (ring_position at;; at.advance(num_stages_), turn = turn > 0 ? turn - 1 : turns - 1) {
      const ticket drawn = await_ticket(at);
      states.enter(drawn.epoch);
      if (!is_tile(drawn)) return;
      if (turn == 0 && takes_turns) look_back(earlier, states, at, column);
      memory_.prefixed[at.stage].arrive();  // (all: so nobody is a phase of `claimed` behind)
    }
  }

  /// Warp `warp` of those that scan: a run of every tile.
  __device__ void scan_tiles(int warp) const {
    for (ring_position at;; at.advance(num_stages_)) {
      const ticket drawn = await_ticket(at);
      if (!is_tile(drawn)) return;
      memory_.loaded[at.stage].wait(at.parity);
      memory_.prefixed[at.stage].wait(at.parity);
      const strip_place tile = memory_.places[at.stage];
      const strip_part mine(scan_, tile, warp);
      if (mine.count > 0) scan_run(mine, tile, stage_of(at.stage));
      memory_.freed[at.stage].arrive();
    }
  }

 private:
  /// Whether a column of a tile's is no other strip's.
  __device__ bool is_own(const strip_place& tile, int column) const {
    return static_cast<unsigned>(column - tile.shared) < static_cast<unsigned>(scan_.plan.step);
  }

  __device__ stage_type& stage_of(int stage) const {
    return *reinterpret_cast<stage_type*>(stages_ + stage * stage_bytes_);
  }
  __device__ bool is_tile(const ticket& drawn) const { return drawn.tile < scan_.num_tiles; }
  __device__ const ticket& await_ticket(const ring_position& at) const {
    memory_.claimed[at.stage].wait(at.parity);
    return memory_.tickets[at.stage];
  }

  __device__ strip_run<Cut> run_of_lane(const strip_part& mine, const strip_place& tile,
                                        stage_type& stage) const {
    const unsigned char* lines[num_inputs];
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) lines[which] = stage.lines(scan_, which);
    typename Cut::constants common[lane_columns];
#pragma unroll
    for (int v = 0; v < lane_columns; ++v) {
      const int column = v < mine.columns ? mine.column + v * mine.apart : mine.column;
      common[v] = scan_.sequence(tile.slab, tile.column + column).in_common();
    }
    const auto row = static_cast<int>(scan_.row_of_item(tile, mine.first) - scan_.first_row(tile));
    return {scan_, mine, lines, tile.shifts, row, common};
  }

  /// Of a column: runs' folds become those of what is before them; returns the tile's.
  __device__ T scan_folds(const strip_place& tile, stage_type& stage, int column) const {
    constexpr int at_once = 4;
    auto op = scan_.op;
    T folded = stage.fold_of(scan_, 0, column);
#pragma unroll 1
    for (int first = 1; first < scan_.plan.runs; first += at_once) {
      T next[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        next[i] = stage.fold_of(scan_, min(first + i, scan_.plan.runs - 1), column);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int run = first + i;
        if (run >= scan_.plan.runs || run * scan_.plan.run_rows >= tile.count) break;
        stage.fold_of(scan_, run, column) = folded;
        folded = op(folded, next[i]);
      }
    }
    return folded;
  }

  __device__ void look_back(looks& earlier, states_type& states, const ring_position& at,
                            int column) const {
    const strip_place tile = memory_.places[at.stage];
    const bool has_column = column < tile.columns;
    const auto sequence = [&] { return scan_.sequence(tile.slab, tile.column + column); };
    const auto start = [&] { return has_column ? sequence().start() : prefix<T>{}; };
    stage_type& stage = stage_of(at.stage);
    const prefix<T> before =
        earlier.before(states, scan_.states_of(tile, column), has_column, tile.number, start, [&] {
          memory_.published[at.stage].wait(at.parity);
          return stage.aggregates[has_column ? column : 0];
        });
    if (!has_column) return;
    if (tile.number == 0 && is_own(tile, column)) sequence().write_start(before);
    stage.before_tile[column] = before;
  }

  __device__ void scan_run(const strip_part& mine, const strip_place& tile,
                           stage_type& stage) const {
    prefix<T> running[lane_columns];
#pragma unroll
    for (int v = 0; v < lane_columns; ++v) {
      const int column = v < mine.columns ? mine.column + v * mine.apart : mine.column;
      running[v] = stage.before_tile[column];
      if (mine.run > 0) {
        running[v] = join(running[v], {stage.fold_of(scan_, mine.run, column), true}, scan_.op);
      }
    }
    const std::int64_t inner = scan_.shape.inner, item = tile.first + mine.first;
    const std::int64_t row = scan_.row_of_item(tile, mine.first);
    out_type* const results = scan_.out.data + tile.slab * scan_.shape.out_pitch + row * inner +
                              tile.column + mine.column;
    run_of_lane(mine, tile, stage).scan(results, scan_.backwards ? -inner : inner, running);
    if (item + mine.count < scan_.shape.length) return;
#pragma unroll
    for (int v = 0; v < lane_columns; ++v) {
      const int column = mine.column + v * mine.apart;
      if (v >= mine.columns || !is_own(tile, column)) continue;
      scan_.sequence(tile.slab, tile.column + column).write_end(running[v]);
    }
  }

  const Cut& scan_;
  shared& memory_;
  unsigned char* stages_;
  int stage_bytes_, num_stages_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
