// Rows of a tensor by blocks that take a tile each and look back where a row is several: a warp has
// a chunk in shared memory, where it comes from wherever it lies, and its lanes fold and scan runs
// of it. (Recurrences along rows of one tile: held_row.cuh.)
#ifndef SCAN_DEVICE_WALK_ROW_ROUND_CUH
#define SCAN_DEVICE_WALK_ROW_ROUND_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/cluster_folds.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/round_loads.cuh"
#include "scan/device/walk/round_run.cuh"
#include "scan/device/walk/row_round_cut.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The fold of the chunks before that of the `warp`-th warp of a row; `folds`: of the block's.
template <class T, int most, class Op>
__device__ prefix<T> chunks_before(shared_array<T, most>& folds, int warp, Op op) {
  if (warp == 0) return {};
  const int mine = min(lane_index(), warp - 1) - warp;
  const T scanned = warp_scan_of_few(T(folds[warp_index() + mine]), warp, op);
  return {shuffle(scanned, warp - 1), true};
}

/// A warp at its chunk; `Cut` is a row_round_cut.
template <class Cut>
class row_round {
  using row_type = typename Cut::Problem;
  static constexpr int look_batches =
      ring_look_batches(Cut::is_recurrence, false, sizeof(typename Cut::T));

 public:
  using T = typename Cut::T;
  struct shared {
    phase_barrier loaded[Cut::most_warps];  // a warp's chunk
    shared_array<T, Cut::most_warps> folds;
    shared_array<prefix<T>, 1> before_tile;
    cluster_folds<T, most_wide_cluster_blocks> tiles;
    ticket mine;
  };

  __device__ row_round(const Cut& scan, shared& memory, unsigned char* slots, round_place place)
      : scan_(scan),
        memory_(memory),
        slots_(slots_of(slots)),
        place_(place),
        row_(scan.row_of(place)),
        chunk_(scan.chunk_of(place)),
        lane_(slots_, chunk_) {}

  /// The warp's of the block's `slots`, and its barrier.
  __device__ static unsigned char* slots_of(unsigned char* slots) {
    return slots + warp_index() * Cut::warp_bytes;
  }
  __device__ static phase_barrier& loaded_of(shared& memory) { return memory.loaded[warp_index()]; }
  /// Makes the warp's barrier. All lanes; before round_loads::start().
  __device__ static void initialise([[maybe_unused]] shared& memory) {
#if __CUDA_ARCH__ >= 900
    if (lane_index() == 0) memory.loaded[warp_index()].initialise(warp_size);
    publish_to_bulk();  // the copy engine is to see it made
    __syncwarp();
#endif
  }
  /// Waits for the chunk, which `loads` have started to bring.
  __device__ void await(const round_loads<Cut>& loads) {
    before_tile_ = row_.start();
    loads.finish(scan_, row_, chunk_, slots_, loaded_of(memory_));
    if constexpr (Cut::num_outputs > 1) {
      if (chunk_.count > 0) lane_.fill_ends(length(), [](int) { return 0; });
    }
  }
  /// Folds it; of a row of several chunks a barrier follows.
  __device__ void fold() {
    const bool begins = chunk_.first == 0 && lane_index() == 0 && !row_.has_init();
    const int num_folds = lane_.num_whole();
    const T scanned = warp_inclusive_scan(lane_.fold(row_, begins), num_folds, row_.op);
    if (scan_.plan.warps > 1 && num_folds == warp_size && lane_index() == warp_size - 1) {
      memory_.folds[warp_index()] = scanned;
    }
    before_lane_ = shuffle_up(scanned, 1);
  }
  /// The tile's fold, of a tile that another follows, for those who wait. By one warp, as below.
  __device__ void publish(tile_states<T>& states) const {
    if (place_.tile + 1 == scan_.plan.tiles_per_row) return;
    const T scanned = chunks_up_to_lane();
    if (lane_index() == scan_.plan.warps - 1) {
      states.publish(first_state() + place_.tile, scanned);
    }
  }
  /// The same in a cluster, whose blocks have the row's tiles, with what they wait for: all
  /// threads. (What the row's last tile folds to is nobody's.)
  __device__ void exchange() {
    const int tile = static_cast<int>(place_.tile), warps = scan_.plan.warps;
    const T folded = shuffle(chunks_up_to_lane(), warps - 1);
    memory_.tiles.await_blocks();
    if (place_.warp == 0) {
      memory_.tiles.give(tile, folded, tile + 1, static_cast<int>(scan_.plan.tiles_per_row));
    }
    memory_.tiles.meet();
    if (tile > 0) {
      const prefix<T> tiles{memory_.tiles.fold(0, tile, row_.op), true};
      before_tile_ = join(before_tile_, tiles, row_.op);
    }
  }
  /// What precedes the tile. By one warp, between barriers. (Batches that are not there take as
  /// long as others: of few tiles one batch at a time is what small calls are faster by.)
  __device__ void look_back(const tile_states<T>& states) const {
    const prefix<T> before =
        place_.tile <= 2 * warp_size ? before_tile<1>(states) : before_tile<look_batches>(states);
    if (lane_index() == 0) memory_.before_tile[0] = before;
  }
  /// Scans the chunk and stores it. `has_looked`: behind the barrier after look_back().
  __device__ void finish(bool has_looked) {
    if (chunk_.count == 0) return;
    if (has_looked) before_tile_ = memory_.before_tile[0];
    if (chunk_.first == 0 && lane_index() == 0) row_.write_start(before_tile_);
    const prefix<T> before_chunk =
        join(before_tile_, chunks_before(memory_.folds, place_.warp, row_.op), row_.op);
    const bool has_earlier = lane_index() > 0 && lane_.has_items();
    const prefix<T> end =
        lane_.scan(row_, join(before_chunk, {before_lane_, has_earlier}, row_.op));
    if (chunk_.first + chunk_.count == length() && lane_.has_last()) {
      lane_.finish_row(row_, end);
      row_.write_end(end);
    }
#pragma unroll
    for (int which = 0; which < Cut::num_outputs; ++which) {
      Cut::out_slot_of(slots_, which).store_by_lanes(scan_.results_of(row_, chunk_, which));
    }
  }

 private:
  __device__ std::int64_t length() const { return scan_.shape.length; }
  /// Of a whole tile what its chunks fold to, up to the lane's.
  __device__ T chunks_up_to_lane() const {
    const int warps = scan_.plan.warps, lane = lane_index();
    return warp_scan_of_few(T(memory_.folds[lane < warps ? lane : 0]), warps, row_.op);
  }
  __device__ std::int64_t first_state() const { return place_.row * scan_.plan.tiles_per_row; }
  template <int batches>
  __device__ prefix<T> before_tile(const tile_states<T>& states) const {
    warp_lookers<T, batches> lookers;
    running_prefix<T, typename row_type::op_type, warp_lookers<T, batches>> earlier(
        before_tile_, row_.op, first_state());
    return earlier.exclusive_prefix(states, lookers, first_state() + place_.tile);
  }

  const Cut& scan_;
  shared& memory_;
  unsigned char* slots_;  // the warp's
  round_place place_;
  row_type row_;
  row_chunk chunk_;
  round_run<Cut, row_type> lane_;
  prefix<T> before_tile_;  // of the row what is known from the start, then all
  T before_lane_;
};

/// A block a tile, or some rows. `Cut` is a row_round_cut that looks back; `states_memory`: see
/// tile_states, or null where rows are tiles, or clusters have them.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    row_round_kernel(const __grid_constant__ Cut scan, void* states_memory,
                     std::size_t states_bytes) {
  using round = row_round<Cut>;
  extern __shared__ __align__(128) unsigned char arrays[];
  __shared__ typename round::shared memory;
  const bool leader = threadIdx.x == 0;
  const bool in_cluster = scan.plan.in_clusters;
  const bool looks_back = scan.plan.tiles_per_row > 1 && !in_cluster;
  admit_later_kernels();
  if (in_cluster) memory.tiles.begin();
  round::initialise(memory);
  std::int64_t index = blockIdx.x;
  round_loads<Cut> loads(scan, scan.place_of(index));
  if (looks_back) loads.prefetch();
  await_earlier_kernels();
  if (uniform(left_alone(scan))) return;
  tile_states<typename Cut::T> states(states_memory, states_bytes);
  if (looks_back) {
    if (leader) memory.mine = states.claim(gridDim.x);
    __syncthreads();
    states.enter(memory.mine.epoch);
    index = uniform(memory.mine.tile);
    loads = round_loads<Cut>(scan, scan.place_of(index));
  }
  loads.start(round::slots_of(arrays), round::loaded_of(memory));
  round tile(scan, memory, arrays, scan.place_of(index));
  tile.await(loads);
  tile.fold();
  if (scan.plan.warps > 1) __syncthreads();
  if (in_cluster) tile.exchange();
  if (looks_back) {
    const int warp = uniform_warp_index();
    if (warp == 0) tile.publish(states);
    if (warp == scan.plan.warps - 1) tile.look_back(states);
    __syncthreads();
    if (leader) states.retire(gridDim.x);
  }
  tile.finish(looks_back);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
