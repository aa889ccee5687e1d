// Long rows of recurrences by blocks that take one tile each, and look back where a row is several:
// a warp has a chunk in shared memory, where bulk copies bring it from wherever it lies, and its
// lanes scan runs of it, in the ring's order. Capability 9.0.
#ifndef SCAN_DEVICE_WALK_ROW_ROUND_CUH
#define SCAN_DEVICE_WALK_ROW_ROUND_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/move/prefetch.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/device/sequence/ring_cut.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A row in the ring's chunks, of which the arrays lie side by side.
template <class Tuned, class Problem>
struct round_row : ring_cut<Tuned, Problem> {
  using base = ring_cut<Tuned, Problem>;
  using typename base::in_slot;
  using result_slot =
      chunk_slot<base::warp_items* static_cast<int>(sizeof(typename base::out_type))>;
  using runs = thread_runs<round_row>;
  static constexpr int slots_apart = static_cast<int>(sizeof(in_slot));
  /// Where results are not as wide as items they have a place of their own.
  static constexpr std::size_t warp_bytes =
      base::num_inputs * sizeof(in_slot) + (base::one_slot ? 0 : sizeof(result_slot));

  __device__ explicit round_row(const Problem& scan) : base(scan) {}
};

/// The rows; `Tensor` is a tensor_problem with inner = 1.
template <class Tuned, class Tensor>
struct row_round_cut : Tensor {
  using row = round_row<Tuned, typename Tensor::Problem>;
  using typename Tensor::T;
  static constexpr int most_warps = most_round_warps(Tuned::element_bytes);
  static constexpr int most_threads = most_warps * warp_size, blocks_per_sm = 2;
  round_plan plan;

  row_round_cut(const Tensor& scan, const round_plan& plan) : Tensor(scan), plan(plan) {}
};

/// A block at its tile: `tile` of a row, whose first one is `first` of all.
template <class Cut>
class row_round {
  using row_type = typename Cut::row;
  using runs = typename row_type::runs;
  using in_slot = typename row_type::in_slot;
  using result_slot = typename row_type::result_slot;
  static constexpr int run_items = row_type::run_items, chunk_items = row_type::warp_items;

 public:
  using T = typename Cut::T;
  struct shared {
    phase_barrier loaded[Cut::most_warps];  // a warp's chunk
    shared_array<T, Cut::most_warps> folds;
    shared_array<prefix<T>, Cut::most_warps> before_chunk;
    shared_array<prefix<T>, 1> before_tile;
    ticket mine;
  };

  __device__ row_round(const Cut& scan, shared& memory, unsigned char* slots, std::int64_t index)
      : row_(scan.sequence(index / scan.plan.tiles_per_row, 0)),
        memory_(memory),
        slots_(slots + warp_index() * row_type::warp_bytes),
        tile_(index % scan.plan.tiles_per_row),
        first_(index - tile_),
        item_((tile_ * scan.plan.warps + warp_index()) * chunk_items),
        num_valid_(row_.valid_items(item_, chunk_items)) {}

  /// Asks the L2 for the warp's chunk.
  __device__ void prefetch() const {
    constexpr int line = 128;
#pragma unroll
    for (int which = 0; which < row_type::num_inputs; ++which) {
      const auto from = row_.chunk_of(row_.input(which), item_);
      const auto* const bytes = reinterpret_cast<const unsigned char*>(from.data);
      for (int i = lane_index() * line; i < from.num_bytes; i += warp_size * line) {
        prefetch_line(bytes + i);
      }
    }
  }
  /// Brings it.
  __device__ void load() const {
#pragma unroll
    for (int which = 0; which < row_type::num_inputs; ++which) {
      const auto* const array = row_.input(which);
      const auto* const begin = parts_at(array);
      const auto* const end = parts_at(array + row_.num_items);
      const auto from = row_.chunk_of(array, item_);
      if (lane_index() == 0) slot(which).load(from, begin, end, memory_.loaded[warp_index()]);
      if (slot(which).has_rest(from, begin, end)) slot(which).load_rest(from, begin, end);
    }
    memory_.loaded[warp_index()].arrive();
    memory_.loaded[warp_index()].wait(0);
#pragma unroll
    for (int which = 0; which < row_type::num_inputs; ++which) {
      slot(which).align(row_.chunk_of(row_.input(which), item_).shift());
    }
  }
  /// Folds it; before a barrier.
  __device__ void fold() {
    const int num_lanes = (num_valid_ + run_items - 1) / run_items;
    const bool is_first = item_ == 0 && lane_index() == 0 && !row_.has_init();
    const T folded = runs::fold(row_, slot(0).bytes, num_valid_, no_heads{is_first});
    const T scanned = warp_inclusive_scan(folded, num_lanes, row_.op);
    if (lane_index() == num_lanes - 1) memory_.folds[warp_index()] = scanned;
    before_lane_ = shuffle_up(scanned, 1);
  }
  /// What precedes the chunks in the tile, and, where other blocks wait for it, the tile's fold. By
  /// one warp, between barriers.
  __device__ void publish(tile_states<T>& states, bool looks_back) const {
    const int lane = lane_index(), warps = static_cast<int>(blockDim.x) / warp_size;
    const std::int64_t left = row_.num_items - item_;  // (of the first warp: the tile's)
    const int num_chunks = static_cast<int>(min((left - 1) / chunk_items + 1, std::int64_t{warps}));
    const T scanned =
        warp_inclusive_scan(memory_.folds[lane < warps ? lane : 0], num_chunks, row_.op);
    if (looks_back && lane == num_chunks - 1) states.publish(first_ + tile_, scanned);
    const T before = shuffle_up(scanned, 1);
    if (lane < warps) memory_.before_chunk[lane] = {before, lane > 0};
  }
  /// What precedes the tile. By one warp, between barriers. (Batches that are not there take as
  /// long as others: of few tiles one batch at a time is what small calls are faster by.)
  __device__ void look_back(const tile_states<T>& states) const {
    const prefix<T> before = tile_ <= 2 * warp_size ? before_tile<1>(states)
                                                    : before_tile<row_type::look_batches>(states);
    if (lane_index() > 0) return;
    if (tile_ == 0) row_.write_start(before);
    memory_.before_tile[0] = before;
  }
  /// Scans the warp's chunk and stores it; behind a barrier.
  __device__ void finish() const {
    if (num_valid_ == 0) return;
    const prefix<T> before_chunk =
        join(memory_.before_tile[0], memory_.before_chunk[warp_index()], row_.op);
    const bool has_earlier = lane_index() > 0 && lane_index() * run_items < num_valid_;
    const prefix<T> before = join(before_chunk, {before_lane_, has_earlier}, row_.op);
    result_slot& results = result();
    const prefix<T> end = runs::scan_items(row_, slot(0).bytes, results.bytes, num_valid_, before);
    if (item_ + num_valid_ == row_.num_items && runs::holds_last(num_valid_)) row_.write_end(end);
    results.store_by_lanes(row_.chunk_of(row_.out.data, item_));
  }

 private:
  template <int batches>
  __device__ prefix<T> before_tile(const tile_states<T>& states) const {
    warp_lookers<T, batches> lookers;
    running_prefix<T, typename row_type::op_type, warp_lookers<T, batches>> earlier(
        row_.start(), row_.op, first_);
    return earlier.exclusive_prefix(states, lookers, first_ + tile_);
  }
  __device__ in_slot& slot(int which) const { return reinterpret_cast<in_slot*>(slots_)[which]; }
  __device__ result_slot& result() const {
    if constexpr (row_type::one_slot) {
      return slot(0);
    } else {
      return *reinterpret_cast<result_slot*>(slots_ + row_type::num_inputs * sizeof(in_slot));
    }
  }

  row_type row_;
  shared& memory_;
  unsigned char* slots_;  // the warp's
  std::int64_t tile_, first_, item_;
  int num_valid_;
  T before_lane_;
};

/// A tile a block. `Cut` is a row_round_cut; `states_memory`: see tile_states, or null where rows
/// are tiles.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    row_round_kernel(const __grid_constant__ Cut scan, void* states_memory,
                     std::size_t states_bytes) {
#if __CUDA_ARCH__ >= 900
  using round = row_round<Cut>;
  extern __shared__ __align__(128) unsigned char arrays[];
  __shared__ typename round::shared memory;
  const bool leader = threadIdx.x == 0, looks_back = scan.plan.tiles_per_row > 1;
  admit_later_kernels();
  if (threadIdx.x < Cut::most_warps) {
    memory.loaded[threadIdx.x].initialise(warp_size);
    publish_to_bulk();  // the copy engine is to see it made
  }
  round(scan, memory, arrays, blockIdx.x).prefetch();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  tile_states<typename Cut::T> states(states_memory, states_bytes);
  if (leader) memory.mine = looks_back ? states.claim(gridDim.x) : ticket{blockIdx.x, 0};
  __syncthreads();
  states.enter(memory.mine.epoch);
  round tile(scan, memory, arrays, memory.mine.tile);
  tile.load();
  tile.fold();
  __syncthreads();
  const int last = static_cast<int>(blockDim.x) / warp_size - 1;
  if (warp_index() == 0) tile.publish(states, looks_back);
  if (warp_index() == last) tile.look_back(states);
  __syncthreads();
  if (looks_back && leader) states.retire(gridDim.x);
  tile.finish();
#endif
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
