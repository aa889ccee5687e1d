// The look-back kernel: composition of the rooms, nothing else.
#ifndef SCAN_DEVICE_KERNEL_CUH
#define SCAN_DEVICE_KERNEL_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/block_scan.cuh"
#include "scan/device/packed.cuh"
#include "scan/device/prefetch.cuh"
#include "scan/device/tile_io.cuh"
#include "scan/device/tuning.hpp"
#include "scan/device/warp.cuh"
#include "scan/problem.hpp"
#include "scan/protocol/look_back.hpp"
#include "scan/protocol/tile_states.hpp"

namespace scan::device {

/// One scan with one launch shape, as the kernels take it. Item numbers are those of `problem`.
template <class Tuned, class Problem>
struct kernel_problem : Problem {
  using typename Problem::in_type;
  using typename Problem::out_type;
  using typename Problem::T;
  static constexpr int tile_items = Tuned::shape.tile_items();
  static constexpr int num_warps = Tuned::shape.warps_per_block();
  static constexpr int rows = Tuned::shape.rows;
  static constexpr int vector_items = Tuned::shape.vector_items;
  using io_in = tile_io<in_type, Tuned, Problem::reversed>;
  using io_out = tile_io<out_type, Tuned, Problem::reversed>;
  using blocks = block_scan<T, typename Problem::op_type, Tuned>;
  using lanes = block_lanes<T, look_back_warps>;
  static constexpr int widest = static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  using staging = row_staging<num_warps, Tuned::shape.row_items() * widest>;

  std::int64_t num_draws = 0;  // of tickets, see tile_states::claim
  bool in_aligned;             // see vector_aligned
  bool out_aligned;

  explicit kernel_problem(const Problem& scan)
      : Problem(scan),
        in_aligned(vector_aligned(boundary(scan.in.data), vector_items)),
        out_aligned(vector_aligned(boundary(scan.out.data), vector_items)) {}

  /// Items of the tile that starts at item `first`: all, or what is left.
  __device__ int valid_items(std::int64_t first) const {
    return left(first) < tile_items ? static_cast<int>(left(first)) : tile_items;
  }

  __device__ const in_type* input(std::int64_t first) const { return item(this->in.data, first); }
  __device__ out_type* output(std::int64_t first) const { return item(this->out.data, first); }

 private:
  __device__ std::int64_t left(std::int64_t first) const { return this->num_items - first; }

  template <class U>
  __device__ U* item(U* data, std::int64_t index) const {
    return Problem::reversed ? data + (this->num_items - 1 - index) : data + index;
  }
  template <class U>
  U* boundary(U* data) const {  // tiles are counted from here
    return Problem::reversed ? data + this->num_items : data;
  }
};

/// What a block keeps of a tile from its loading to its storing, besides the items in registers; in
/// shared memory, because registers are short.
template <class Scan>
struct tile_note {
  static constexpr std::int64_t none = -1;
  std::int64_t first;  // number of the tile's first item, or none
  /// Fold of the tile's items before each warp; its own warp's business.
  shared_array<prefix<typename Scan::T>, Scan::num_warps> before_warp;
};

/// Each thread's warp_part::before of one tile, in shared memory for the same reason.
template <class Scan>
struct before_vectors {
  static constexpr int threads = Scan::num_warps * warp_size;
  shared_array<typename Scan::T, Scan::rows * threads> values;

  __device__ void keep(const typename Scan::blocks::warp_part& warp) {
#pragma unroll
    for (int row = 0; row < Scan::rows; ++row)
      values[row * threads + threadIdx.x] = warp.before[row];
  }
  __device__ const typename Scan::T& operator()(int row) {
    return values[row * threads + threadIdx.x];
  }
};

/// Scans a vector's first `num_valid` items after `running`; returns the fold of both.
template <class Scan>
__device__ prefix<typename Scan::T> scan_vector(const Scan& scan,
                                                const typename Scan::io_in::vector& vector,
                                                int num_valid, prefix<typename Scan::T> running,
                                                typename Scan::io_out::vector& results) {
  using T = typename Scan::T;
  if constexpr (packed<Scan>::scans && sizeof(vector) % 4 == 0) {
    if (num_valid >= Scan::vector_items) {
      packed_scan<Scan> words(scan, running);
      results = words.scan(vector, scan.exclusive);
      return {words.value(), true};
    }
  }
  const auto items = Scan::io_in::items::unpack(vector);
  typename Scan::io_out::items scanned;
#pragma unroll
  for (int i = 0; i < Scan::vector_items; ++i) {
    if (i >= num_valid) break;
    const prefix<T> next = join(running, {scan.take(items[i]), true}, scan.op);
    const T earlier = running.exists ? running.value : scan.first_output;
    scanned[i] = scan.give(scan.exclusive ? earlier : next.value);
    running = next;
  }
  results = scanned.pack();
  return running;
}

/// Folds each of the thread's vectors from its exclusive prefix on, and stores the results. The
/// tile starts at item `first`; `before_vector(row)`: warp_part::before; `before_warp`: the fold of
/// all items before the warp's; `mostly_partial`: see tile_io.
template <bool mostly_partial, class Scan, class BeforeVector>
__device__ void store_scanned(const Scan& scan, std::int64_t first, int num_valid,
                              const typename Scan::io_in::share& share,
                              BeforeVector&& before_vector,
                              const prefix<typename Scan::T>& before_warp,
                              typename Scan::staging& stage) {
  using T = typename Scan::T;
  const bool is_last = first + num_valid == scan.num_items;
#pragma unroll
  for (int row = 0; row < Scan::rows; ++row) {
    const int num_left = num_valid - Scan::io_in::first_item(row);
    typename Scan::io_out::vector results;
    if (num_left > 0) {
      const prefix<T> before = Scan::blocks::before_vector(before_vector(row), row);
      const prefix<T> end =
          scan_vector(scan, share.row[row], num_left, join(before_warp, before, scan.op), results);
      if (num_left <= Scan::vector_items && is_last) scan.write_end(end);
    }
    Scan::io_out::template store_row<mostly_partial>(scan.output(first), num_valid,
                                                     scan.out_aligned, row, results, stage);
  }
}

/// Scans any number of tiles in one pass; the grid may have any number of blocks. `states_memory`:
/// see tile_states.
///
/// A block has two tiles in hand: it publishes the aggregate of its next tile before it looks back
/// for the current one. So by the time a prefix is wanted, the aggregates before it have been out
/// for about as long as a block takes for a tile, and waiting, which floods the few cache lines
/// that everyone looks at, is rare.
template <class Tuned, class Scan>
__global__ void __launch_bounds__(Tuned::shape.threads_per_block, Tuned::shape.blocks_per_sm)
    look_back_kernel(const __grid_constant__ Scan scan, void* states_memory,
                     std::size_t states_bytes) {
  using T = typename Scan::T;
  using lanes = typename Scan::lanes;
  __shared__ typename Scan::blocks::warp_aggregates warp_aggregates;
  __shared__ typename lanes::shared lanes_memory;
  __shared__ typename Scan::staging stage;
  __shared__ tile_note<Scan> notes[2];
  __shared__ before_vectors<Scan> before;
  __shared__ ticket next_tile;

  tile_states<T> states(states_memory, states_bytes);
  const prefix<T> start = scan.start();
  look_back<T, typename Scan::op_type, lanes> earlier_tiles(start, scan.op);
  lanes block(lanes_memory);
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  prefetch_tiles(scan, Scan::tile_items);
  if (leader) {
    next_tile = states.claim(scan.num_draws);
    if (next_tile.tile == 0) scan.write_start(start);
    notes[1].first = notes[1].none;
  }
  __syncthreads();
  states.join(next_tile.epoch);

  typename Scan::io_in::share share;
  for (int round = 0;; round ^= 1) {
    // ---- load the next tile, scan inside it, publish its aggregate ----
    const std::int64_t first = next_tile.tile * Scan::tile_items;
    const bool more = first < scan.num_items;
    typename Scan::io_in::share next;
    typename Scan::blocks::warp_part warp;
    if (more) {
      const int num_valid = scan.valid_items(first);
      Scan::io_in::template load<false>(scan.input(first), num_valid, scan.in_aligned, next, stage);
      // The tile after the next, asked for while the loads are under way.
      const ticket claimed = leader ? states.claim(scan.num_draws) : ticket{};
      warp = Scan::blocks::scan_warp(next, num_valid, scan);
      if (lane_index() == 0) warp_aggregates[warp_index()] = warp.aggregate;
      __syncthreads();
      const warps_scan<T> warps =
          Scan::blocks::scan_aggregates(warp_aggregates, num_valid, scan.op);
      if (lane_index() == 0) notes[round].before_warp[warp_index()] = warps.before_warp;
      if (leader) {
        notes[round].first = first;
        states.publish(first / Scan::tile_items, warps.aggregate);
        next_tile = claimed;
      }
      __syncthreads();
    }

    // ---- look back for the current tile, apply, store ----
    tile_note<Scan>& current = notes[round ^ 1];
    if (current.first != current.none) {
      const prefix<T> before_tile =
          earlier_tiles.exclusive_prefix(states, block, current.first / Scan::tile_items);
      store_scanned<false>(scan, current.first, scan.valid_items(current.first), share, before,
                           join(before_tile, current.before_warp[warp_index()], scan.op), stage);
    }
    if (!more) break;
    share = next;
    before.keep(warp);
  }
  if (leader) states.retire(gridDim.x);
}

}  // namespace scan::device

#endif
