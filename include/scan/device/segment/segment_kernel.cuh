// The kernel of segmented scans of any number of elements where there is no ring: on GPUs before
// 9.0, through iterators, and of elements that the ring does not take.
//
// Its blocks have a tile in shared memory, in chunks of a warp each, which are folded and scanned
// by the code of the ring's: what warps of a ring block do side by side they do here one after
// another. A multiprocessor has several blocks, of which one loads while others wait.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_KERNEL_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_KERNEL_CUH

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/segment/block_heads.cuh"
#include "scan/device/segment/segment_ring.cuh"
#include "scan/device/sequence/ring_stage.cuh"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class Tuned, class Segments>
struct tuned_for_blocks : Tuned {
  using Values = typename Segments::Values;
  static constexpr bool has_loops = Segments::is_recurrence;
  static constexpr block_bytes bytes = {
      sizeof(typename Values::in_type), sizeof(typename Values::out_type),
      sizeof(typename stored_result<Values>::type), sizeof(typename Segments::V)};
  static constexpr ring_tuning ring = segment_block_tuning_for(bytes, Segments::is_recurrence);
};

/// A segmented scan as the kernel takes it: see segment_chunks.
template <class Tuned, class Segments, bool valued>
struct segment_cut : segment_chunks<tuned_for_blocks<Tuned, Segments>, Segments, valued> {
  using base = segment_chunks<tuned_for_blocks<Tuned, Segments>, Segments, valued>;
  static constexpr block_bytes bytes = tuned_for_blocks<Tuned, Segments>::bytes;
  static constexpr int blocks_per_sm = segment_blocks_per_sm(bytes);
  static constexpr int num_chunks = base::ring.scan_warps, num_threads = num_chunks * warp_size;
  static constexpr bool is_for_ring = in_segment_ring<Segments>;
  static constexpr bool one_slot = bytes.one_slot();
  using stage_heads = ring_stage_heads<base::tile_items, base::warp_items, valued, 1>;
  using result_slot = chunk_slot<base::warp_items * bytes.result(), copied_line>;

  /// (Who marks a head has not the element that it is of.)
  explicit segment_cut(const Segments& scan) : base(scan, false) {}
  __device__ segment_cut resolved() const { return segment_cut(Segments::resolved(), 0); }

  struct place {
    const segment_cut& scan;
    std::int64_t tile, first;
  };

 private:
  __device__ segment_cut(const Segments& scan, int) : base(scan, false) {
    if (this->num_items == 0) this->num_tiles = 0;
  }
};

/// A chunk through iterators: each item by itself, lanes side by side.
template <class Problem>
struct lone_items {
  static constexpr int warp_items = Problem::warp_items;
  const Problem& scan;
  std::int64_t first;
  int num_valid;

  template <class Data>
  __device__ auto at(const Data& data, int item) const {
    return data + (Problem::reversed ? scan.num_items - 1 - first - item : first + item);
  }
  __device__ static int place_of(int item) {
    return Problem::reversed ? warp_items - 1 - item : item;
  }
  template <class Data, class T>
  __device__ void load(const Data& data, T* to) const {
    if (uniform(num_valid == warp_items)) {
      load_rows<true>(at(data, lane_index()), to);
    } else {
      load_rows<false>(at(data, lane_index()), to);
    }
    __syncwarp();
  }
  template <class T, class Data>
  __device__ void store(const T* from, const Data& data) const {
    __syncwarp();
    for (int item = lane_index(); item < num_valid; item += warp_size) {
      *at(data, item) = from[place_of(item)];
    }
    __syncwarp();
  }

 private:
  /// Some rows of 32 at once, so that their loads overlap.
  template <bool whole, class Data, class T>
  __device__ void load_rows(const Data& mine, T* to) const {
    constexpr int rows = Problem::run_items, at_once = rows % 10 == 0 ? 10 : rows < 12 ? rows : 8;
    constexpr int step = Problem::reversed ? -warp_size : warp_size;
#pragma unroll 1
    for (int row = 0; row < rows; row += at_once) {
      T held[at_once];
      const auto from = mine + row * step;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (is_there<whole>(row + i)) held[i] = *(from + i * step);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (is_there<whole>(row + i)) to[place_of((row + i) * warp_size + lane_index())] = held[i];
      }
    }
  }
  template <bool whole>
  __device__ bool is_there(int row) const {
    return whole ? row < Problem::run_items : row * warp_size + lane_index() < num_valid;
  }
};

/// A block at work. `Problem` is a segment_cut.
template <class Problem>
struct segment_block {
  using T = typename Problem::T;
  using stage_type = ring_stage<Problem>;
  using heads_type = block_heads<Problem>;
  static constexpr int num_chunks = Problem::num_chunks, warp_items = Problem::warp_items;
  using lookers = warp_lookers<T, few_warp_batches>;
  using earlier_tiles = running_prefix<T, typename Problem::op_type, lookers>;
  struct shared {
    stage_type stage;
    std::conditional_t<Problem::one_slot, char, typename Problem::result_slot> results[num_chunks];
    typename heads_type::shared heads;
    shared_array<T, num_chunks> aggregates;
    shared_array<prefix<T>, num_chunks> before_chunk;
    shared_array<prefix<T>, 1> before_tile;
    ticket mine;
  };

  const Problem& scan;
  shared& memory;
  tile_states<T>& states;
  earlier_tiles& earlier;  // the first warp's

  /// Tile `tile`, which there is; draws the next ticket. All threads.
  __device__ void scan_tile(std::int64_t tile) const {
    const int c = uniform_warp_index(), lane = lane_index();
    const std::int64_t first = tile * Problem::tile_items + c * warp_items;
    const int num_valid = scan.valid_items(first, warp_items);
    const heads_type heads{scan, memory.stage, memory.heads};

    // ---- load ----
    heads.begin(tile * Problem::tile_items, c);
    load<0>(first, num_valid, c);
    if constexpr (Problem::num_inputs > 1) load<1>(first, num_valid, c);
    heads.mark(tile * Problem::tile_items, first, num_valid, c);
    __syncthreads();

    // ---- fold, publish, look back ----
    stage_type& stage = memory.stage;
    const T scanned = stage.fold_chunk(scan, tile, c, stage.slots[0][c].bytes, num_valid);
    if (lane == stage.lanes_of(num_valid) - 1) memory.aggregates[c] = scanned;
    __syncthreads();
    const auto known = Problem::runs::heads_to_scan(scan, tile, stage, c);
    if (c == 0) look_back(tile);
    __syncthreads();

    // ---- scan, store ----
    if (threadIdx.x == 0) memory.mine = states.claim(num_draws());
    if (num_valid > 0) {
      const prefix<T> before = join(memory.before_tile[0], memory.before_chunk[c], scan.op);
      stage.scan_chunk(scan, tile, c, stage.slots[0][c].bytes, results(c), num_valid, before,
                       known);
      store(first, num_valid, c);
    }
    __syncthreads();  // nobody reads what is this tile's
  }
  __device__ std::int64_t num_draws() const { return scan.num_tiles + gridDim.x; }

 private:
  static constexpr bool from_array = is_array<decltype(Problem::in)>;
  static constexpr bool to_array = is_array<decltype(Problem::out)>;
  __device__ unsigned char* results(int c) const {
    if constexpr (Problem::one_slot) return memory.stage.slots[0][c].bytes;
    if constexpr (!Problem::one_slot) return memory.results[c].bytes;
  }

  template <int which>
  __device__ void load(std::int64_t first, int num_valid, int c) const {
    auto& slot = memory.stage.slots[which][c];
    if constexpr (from_array) {
      const auto* const array = scan.input(which);
      const auto from = scan.chunk_of(array, first);
      slot.load_now(from, parts_at(array), parts_at(array + scan.num_items), false);
      slot.align(from.shift());
    } else {
      lone_items<Problem>{scan, first, num_valid}.load(
          scan.in.data, reinterpret_cast<typename Problem::in_type*>(slot.bytes));
    }
  }
  __device__ void store(std::int64_t first, int num_valid, int c) const {
    if constexpr (to_array) {
      reinterpret_cast<const typename Problem::result_slot*>(results(c))
          ->store_by_lanes(scan.chunk_of(scan.out.data, first));
    } else {
      using stored = typename stored_result<typename Problem::Values>::type;
      lone_items<Problem>{scan, first, num_valid}.store(reinterpret_cast<const stored*>(results(c)),
                                                        scan.out.data);
    }
  }

  /// The first warp.
  __device__ void look_back(std::int64_t tile) const {
    const int lane = lane_index();
    const int num_items = scan.valid_items(tile * Problem::tile_items, Problem::tile_items);
    const int num_valid = (num_items - 1) / warp_items + 1;
    const T aggregate = memory.aggregates[lane < num_chunks ? lane : 0];
    const T scanned = warp_inclusive_scan(aggregate, num_valid, scan.op);
    if (lane == num_valid - 1) states.publish(tile, scanned);
    const T before = shuffle_up(scanned, 1);
    if (lane < num_chunks) memory.before_chunk[lane] = {before, lane > 0};
    lookers warp;
    const prefix<T> before_tile = earlier.exclusive_prefix(states, warp, tile);
    if (lane == 0) memory.before_tile[0] = before_tile;
  }
};

/// The way of a block.
template <class Problem>
__device__ __forceinline__ void scan_in_blocks(const Problem& given, void* states_memory,
                                               std::size_t states_bytes) {
  using block_type = segment_block<Problem>;
  using T = typename Problem::T;
  __shared__ typename block_type::shared memory;
  __shared__ shared_array<Problem, 1> resolved;
  static_assert(sizeof(memory) + sizeof(resolved) <= 48 * 1024);  // what is granted unasked
  admit_later_kernels();
  await_earlier_kernels();
  if (threadIdx.x == 0) new (&resolved[0]) Problem(given.resolved());
  __syncthreads();
  const Problem& scan = resolved[0];
  tile_states<T> states(states_memory, states_bytes);
  typename block_type::earlier_tiles earlier(scan.start(), scan.op);
  const block_type block{scan, memory, states, earlier};
  if (threadIdx.x == 0) memory.mine = states.claim(block.num_draws());
  block_type::heads_type::sample(scan, memory.heads);
  __syncthreads();
  states.enter(memory.mine.epoch);
  for (;;) {
    const std::int64_t tile = memory.mine.tile;
    if (uniform(tile >= scan.num_tiles)) break;
    block.scan_tile(tile);
  }
  if (threadIdx.x == 0) states.retire(gridDim.x);
  if constexpr (Problem::is_valued) {
    write_empty_windows(scan, std::int64_t{blockIdx.x} * Problem::num_chunks + warp_index(),
                        std::int64_t{gridDim.x} * Problem::num_chunks);
  }
}

/// Whether nobody asks for a problem of these types on the architecture that is compiled for, which
/// is nvcc's business: of 9.0 alone it is certain that there is room for the ring.
#if defined(__CUDACC__) && __CUDA_ARCH__ == 900
template <class Problem>
inline constexpr bool is_left_to_ring = Problem::is_for_ring;
#else
template <class Problem>
inline constexpr bool is_left_to_ring = false;
#endif

/// Scans any number of tiles; the grid may have any number of blocks. `states_memory`: see
/// tile_states. `Problem` is a segment_cut.
template <class Problem>
__global__ void __launch_bounds__(Problem::num_threads, Problem::blocks_per_sm)
    segment_kernel(const __grid_constant__ Problem scan, void* states_memory,
                   std::size_t states_bytes) {
  if constexpr (!is_left_to_ring<Problem>) scan_in_blocks(scan, states_memory, states_bytes);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
