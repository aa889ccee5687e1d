// A scan as the kernels take it that hold tiles in registers.
#ifndef SCAN_DEVICE_SEQUENCE_LOOK_BACK_KERNEL_CUH
#define SCAN_DEVICE_SEQUENCE_LOOK_BACK_KERNEL_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/problem.hpp"
#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/packed.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/plan/tuning.hpp"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// One scan with one tuning, whose tiles `Io` moves. Item numbers are those of `problem`.
template <class Tuned, class Problem, template <class, class, bool> class Io = tile_io>
struct register_cut : Problem {
  using typename Problem::in_type;
  using typename Problem::out_type;
  using typename Problem::T;
  static constexpr int tile_items = Tuned::tile.tile_items();
  static constexpr int num_warps = Tuned::tile.warps_per_block();
  static constexpr int stripes = Tuned::tile.stripes;
  static constexpr int vector_items = Tuned::tile.vector_items;
  using io_in = Io<in_type, Tuned, Problem::reversed>;
  using io_out = Io<out_type, Tuned, Problem::reversed>;
  using blocks = block_scan<T, typename Problem::op_type, Tuned>;
  using lookers = block_lookers<T, look_back_warps>;
  static constexpr int widest = static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  using staging = stripe_staging<num_warps, Tuned::tile.stripe_items() * widest>;

  std::int64_t num_draws = 0;  // of tickets, see tile_states::claim
  bool in_aligned;             // see vector_aligned
  bool out_aligned;

  explicit register_cut(const Problem& scan)
      : Problem(scan),
        in_aligned(vector_aligned(boundary(scan.in.data), vector_items)),
        out_aligned(vector_aligned(boundary(scan.out.data), vector_items)) {}

  /// Items of the tile of `most` items, or whole, that starts at item `first`.
  __device__ int valid_items(std::int64_t first, int most = tile_items) const {
    return valid_of(this->num_items - first, most);
  }

  /// The same, knowing how many items there are: see counted_cut.
  __device__ const register_cut& resolved() const { return *this; }

  __device__ auto input(std::int64_t first) const { return item(this->in.data, first); }
  __device__ auto output(std::int64_t first) const { return item(this->out.data, first); }

 protected:
  template <class Data>
  SCAN_HOST_DEVICE Data boundary(Data data) const {  // tiles are counted from here
    return Problem::reversed ? data + this->num_items : data;
  }

 private:
  template <class Data>
  __device__ Data item(Data data, std::int64_t index) const {
    return Problem::reversed ? data + (this->num_items - 1 - index) : data + index;
  }
};

// ---- The second pass over a tile in registers: its items are scanned from their prefixes on, and
// stored.

/// Scans a vector's first `num_valid` items after `running`; returns the fold of both. `Problem` is
/// a register_cut, here and below.
template <class Problem>
__device__ prefix<typename Problem::T> scan_vector(const Problem& scan,
                                                   const typename Problem::io_in::vector& vector,
                                                   int num_valid,
                                                   prefix<typename Problem::T> running,
                                                   typename Problem::io_out::vector& results) {
  if constexpr (packed<Problem>::scans && sizeof(vector) % 4 == 0) {
    packed_scan<Problem> words(scan, running);
    results = words.scan(num_valid >= Problem::vector_items
                             ? vector
                             : packed<Problem>::first_items(scan, vector, num_valid),
                         scan.exclusive);
    return {words.value(), true};
  } else {
    const auto items = Problem::io_in::items::unpack(vector);
    typename Problem::io_out::items scanned;
#pragma unroll
    for (int i = 0; i < Problem::vector_items; ++i) {
      if (i >= num_valid) break;
      scanned[i] = scan_item(scan, items[i], running);
    }
    results = scanned.pack();
    return running;
  }
}

/// Scans each of the thread's vectors from its exclusive prefix on, and stores the results. The
/// tile starts at item `first`; `before_vector(stripe)`: warp_part::before; `before_warp`: the fold
/// of all items before the warp's.
template <class Problem, class BeforeVector>
__device__ void store_scanned(const Problem& scan, std::int64_t first, int num_valid,
                              const typename Problem::io_in::part& part,
                              BeforeVector&& before_vector,
                              const prefix<typename Problem::T>& before_warp,
                              typename Problem::staging& stage) {
  using T = typename Problem::T;
  const bool is_last = first + num_valid == scan.num_items;
#pragma unroll
  for (int stripe = 0; stripe < Problem::stripes; ++stripe) {
    const int num_left = num_valid - Problem::io_in::first_item(stripe);
    typename Problem::io_out::vector results;
    if (num_left > 0) {
      const prefix<T> before = Problem::blocks::before_vector(before_vector(stripe), stripe);
      const prefix<T> end = scan_vector(scan, part.stripe[stripe], num_left,
                                        join(before_warp, before, scan.op), results);
      if (num_left <= Problem::vector_items && is_last) scan.write_end(end);
    }
    Problem::io_out::store_stripe(scan.output(first), num_valid, scan.out_aligned, stripe, results,
                                  stage);
  }
}

// ---- The look-back kernel: composition of the rooms, nothing else.

/// What a block keeps of a tile from its loading to its storing, besides the items in registers; in
/// shared memory, because registers are short.
template <class Problem>
struct tile_note {
  static constexpr std::int64_t none = -1;
  std::int64_t first;  // number of the tile's first item, or none
  /// Fold of the tile's items before each warp; its own warp's business.
  shared_array<prefix<typename Problem::T>, Problem::num_warps> before_warp;
};

/// Each thread's warp_part::before of one tile, in shared memory for the same reason.
template <class Problem>
struct before_vectors {
  static constexpr int threads = Problem::num_warps * warp_size;
  shared_array<typename Problem::T, Problem::stripes * threads> values;

  __device__ void keep(const typename Problem::blocks::warp_part& warp) {
#pragma unroll
    for (int stripe = 0; stripe < Problem::stripes; ++stripe)
      values[stripe * threads + threadIdx.x] = warp.before[stripe];
  }
  __device__ const typename Problem::T& operator()(int stripe) {
    return values[stripe * threads + threadIdx.x];
  }
};

/// Scans any number of tiles in one pass; the grid may have any number of blocks. `states_memory`:
/// see tile_states.
///
/// A block has two tiles in hand: it publishes the aggregate of its next tile before it looks back
/// for the current one. So by the time a prefix is wanted, the aggregates before it have been out
/// for about as long as a block takes for a tile, and waiting, which floods the few cache lines
/// that everyone looks at, is rare.
/// `Problem` is a register_cut or a counted_cut.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::tile.threads_per_block, Tuned::tile.blocks_per_sm)
    look_back_kernel(const __grid_constant__ Problem given, void* states_memory,
                     std::size_t states_bytes) {
  using T = typename Problem::T;
  using lookers = typename Problem::lookers;
  __shared__ typename Problem::blocks::warp_aggregates warp_aggregates;
  __shared__ typename lookers::shared lookers_memory;
  __shared__ typename Problem::staging stage;
  __shared__ tile_note<Problem> notes[2];
  __shared__ before_vectors<Problem> before;
  __shared__ ticket next_tile;

  admit_later_kernels();
  await_earlier_kernels();
  if (left_alone(given)) return;
  const auto& scan = given.resolved();
  tile_states<T> states(states_memory, states_bytes);
  const prefix<T> start = scan.start();
  running_prefix<T, typename Problem::op_type, lookers> earlier_tiles(start, scan.op);
  lookers block(lookers_memory);
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  prefetch_tiles(scan, Problem::tile_items);
  if (leader) {
    next_tile = states.claim(scan.num_draws);
    if (next_tile.tile == 0) scan.write_start(start);
    notes[1].first = notes[1].none;
  }
  __syncthreads();
  states.enter(next_tile.epoch);

  typename Problem::io_in::part part;
  for (int round = 0;; round ^= 1) {
    // ---- load the next tile, scan inside it, publish its aggregate ----
    const std::int64_t first = next_tile.tile * Problem::tile_items;
    const bool more = uniform(first < scan.num_items);
    typename Problem::io_in::part next;
    typename Problem::blocks::warp_part warp;
    if (more) {
      const int num_valid = scan.valid_items(first);
      Problem::io_in::load(scan.input(first), num_valid, scan.in_aligned, next, stage);
      // The tile after the next, asked for while the loads are under way.
      const ticket claimed = leader ? states.claim(scan.num_draws) : ticket{};
      warp = Problem::blocks::scan_warp(next, num_valid, scan);
      if (lane_index() == 0) warp_aggregates[warp_index()] = warp.aggregate;
      __syncthreads();
      const warps_scan<T> warps =
          Problem::blocks::scan_aggregates(warp_aggregates, num_valid, scan.op);
      if (lane_index() == 0) notes[round].before_warp[warp_index()] = warps.before_warp;
      if (leader) {
        notes[round].first = first;
        states.publish(first / Problem::tile_items, warps.aggregate);
        next_tile = claimed;
      }
      __syncthreads();
    }

    // ---- look back for the current tile, apply, store ----
    tile_note<Problem>& current = notes[round ^ 1];
    if (uniform(current.first != current.none)) {
      const prefix<T> before_tile =
          earlier_tiles.exclusive_prefix(states, block, current.first / Problem::tile_items);
      store_scanned(scan, current.first, scan.valid_items(current.first), part, before,
                    join(before_tile, current.before_warp[warp_index()], scan.op), stage);
    }
    if (!more) break;
    part = next;
    before.keep(warp);
  }
  if (leader) states.retire(gridDim.x);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
