// Rows that blocks hold parts of, in shared memory, all of a part's loads under way at once: rows
// of which there are too few for a block each, rows that begin anywhere, short ones. Of a row that
// is several blocks', each hands on what it has folded (span_look_back.cuh).
//
// The order of operations is that of the walks, but not who does what: a thread has a run of
// vectors that follow each other, and a chunk, which there is a warp's, is here some lanes'. So the
// scan of a chunk across lanes takes fewer steps, and what has to be found out about a place is
// found out once for all of the run.
#ifndef SCAN_DEVICE_WALK_ROW_RELAY_CUH
#define SCAN_DEVICE_WALK_ROW_RELAY_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/row_run.cuh"
#include "scan/device/fold/span_look_back.cuh"
#include "scan/device/fold/warp_scan.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/row_relay_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a row_relay_cut.
template <class Problem, bool looks_back>
class relay_tiles : public row_run<Problem, relay_part<looks_back>> {
  using one_run = row_run<Problem, relay_part<looks_back>>;
  using one_run::first_, one_run::part_;
  using one_run::rest_items_, one_run::scan_, one_run::tile_, one_run::tile_items, one_run::turn_;
  using one_run::view_, one_run::whole_;

 public:
  using typename one_run::byte;
  using typename one_run::in_type;
  using typename one_run::out_type;
  using typename one_run::T;
  using typename one_run::tile_view;
  static constexpr int vector_items = Problem::vector_items, num_inputs = Problem::num_inputs;
  static constexpr int run = Problem::run, chunk_threads = Problem::chunk_threads;
  using look_back_type = span_look_back<T, typename Problem::op_type>;

  struct shared {
    tile_view tiles[Problem::most_tiles];
    shared_array<T, Problem::most_chunks> chunks;         // folds, then of a tile's up to each
    shared_array<prefix<T>, Problem::most_rows> starts;   // of rows
    shared_array<prefix<T>, Problem::most_tiles> before;  // what precedes tiles
    std::conditional_t<looks_back, typename look_back_type::shared, char> look_back;
    phase_barrier loaded;
    ticket mine;
  };

  __device__ relay_tiles(const Problem& scan, const relay_part<looks_back>& part, shared& memory,
                         byte* room)
      : one_run(scan, part, room), memory_(memory) {}

  /// One thread a tile, beside load().
  __device__ void start(int tile) const {
    const int row = part_.row_of(tile);
    const auto sequence = scan_.sequence(part_.first_row + row, 0);
    const std::int64_t first = part_.tile_of(tile) * tile_items();
    memory_.tiles[tile] = this->view_of(tile);
    if (tile > 0 && part_.tile_of(tile) != 0) return;
    const prefix<T> start = sequence.start();
    memory_.starts[row] = start;
    if (first == 0 && !left_alone(scan_)) sequence.write_start(start);
  }

  /// Folds the threads' runs and scans the vectors of each chunk. A barrier follows.
  __device__ void fold() {
    const bool exists = tile_ < part_.count;
    this->place(exists ? memory_.tiles[tile_] : tile_view{}, exists);
    if (whole_ > 0) {
      if (this->inputs_aligned()) {
        this->template fold_vectors<true>(values_);
      } else {
        this->template fold_vectors<false>(values_);
      }
    }
    rotate(values_, -turn_);
    scan_values(values_, whole_, scan_.op);
    previous_ = shuffle_up(values_[run - 1], 1);
    T folded = values_[0];
#pragma unroll
    for (int i = 1; i < run; ++i) {
      if (i < whole_) folded = values_[i];
    }
    // The last of its chunk, or of its tile.
    if (whole_ > 0 && (this->has_last_vector() || lane_in_chunk() == chunk_threads - 1)) {
      memory_.chunks[chunk()] = folded;
    }
  }

  /// What precedes each tile, of rows that are this block's alone; by a warp. A barrier follows.
  __device__ void find_prefixes() const {
    scan_chunks();
    for (int row = lane_index(); row < part_.rows; row += warp_size) {
      hand_down(row * scan_.plan.tiles_per_row, row * scan_.plan.part_chunks,
                scan_.plan.tiles_per_row, {memory_.starts[row], {}});
    }
  }
  /// The same of a part of a row. All threads; barriers, of which one follows.
  __device__ void look_back(tile_states<T>& states) {
    const std::int64_t first_state = part_.first_row * scan_.plan.words_per_row();
    const look_back_type look_back(scan_.plan, first_state, part_.first_tile, part_.count, scan_.op,
                                   memory_.look_back);
    const T* const folds = &memory_.chunks[tile_chunks - 1];
    if (warp_index() == 0) {
      scan_chunks();
      look_back.publish(folds, tile_chunks, states);
    }
    look_back.await_span(states);
    __syncthreads();
    if (warp_index() > 0) return;
    const part_prefix<T> before =
        look_back.exclusive_prefix(folds, tile_chunks, memory_.starts[0], states);
    if (lane_index() == 0) hand_down(0, 0, part_.count, before);
  }

  /// What precedes each vector, once the prefixes of tiles are there.
  __device__ void find_starts() {
    if (whole_ == 0 && rest_items_ == 0) return;
    const bool begins_tile = first_ < chunk_vectors, is_first = lane_in_chunk() == 0;
    const prefix<T> before =
        join(memory_.before[tile_], {memory_.chunks[begins_tile ? 0 : chunk() - 1], !begins_tile},
             scan_.op);
    T(&starts)[run] = starts_;
    starts[0] = is_first ? before.value : previous_;
    if (before.exists && !is_first) starts[0] = scan_.op(before.value, starts[0]);
#pragma unroll
    for (int i = 1; i < run; ++i) {
      starts[i] = values_[i - 1];
      if (before.exists && i <= whole_) starts[i] = scan_.op(before.value, starts[i]);
    }
    has_start_ = before.exists || !is_first;
    // (Asked for by number, an array would leave the registers.)
    before_rest_ = {starts[0], has_start_ || whole_ > 0};
#pragma unroll
    for (int i = 1; i < run; ++i) {
      if (i <= whole_) before_rest_.value = starts[i];
    }
    rotate(starts, turn_);
  }

  /// Makes results of items. A barrier follows.
  __device__ void apply() {
    if (whole_ == 0 && rest_items_ == 0) return;
    prefix<T> end = before_rest_;
    const T last = this->all_aligned() ? this->template scan_vectors<true>(starts_, has_start_)
                                       : this->template scan_vectors<false>(starts_, has_start_);
    if (rest_items_ == 0) {
      end.value = last;
    } else {
      end = this->scan_rest(end);
    }
    if (this->has_end() && view_.is_last) {
      scan_.sequence(part_.first_row + part_.row_of(tile_), 0).write_end(end);
    }
  }

 private:
  __device__ int chunk() const { return static_cast<int>(threadIdx.x) / chunk_threads; }
  __device__ int lane_in_chunk() const { return static_cast<int>(threadIdx.x) % chunk_threads; }

  /// Scans the chunks of each tile, of which those exist that have whole vectors.
  __device__ void scan_chunks() const {
    const int row_chunks = scan_.plan.part_chunks;
    const int count = looks_back ? part_.count * tile_chunks : part_.rows * row_chunks;
    // (No tile is in two rounds.)
    const int step = row_chunks > warp_size ? warp_size : warp_size / row_chunks * row_chunks;
    for (int first = 0; first < count; first += step) {
      const int chunk = min(first + lane_index(), count - 1);
      const int row = scan_.row_threads.quotient(chunk * chunk_threads);
      const int in_row = chunk - row * row_chunks, place = in_row % tile_chunks;
      const int tile = row * scan_.row_tiles.divisor + in_row / tile_chunks;
      const bool exists = first + lane_index() < count && lane_index() < step &&
                          memory_.tiles[tile].items >= (place * chunk_vectors + 1) * vector_items;
      T value = memory_.chunks[chunk];
#pragma unroll
      for (int delta = 1; delta < tile_chunks; delta *= 2) {
        const T earlier = shuffle_up(value, delta);
        if (exists && place >= delta) value = scan_.op(earlier, value);
      }
      __syncwarp();
      if (exists) memory_.chunks[chunk] = value;
    }
    __syncwarp();
  }

  /// What precedes each of a row's `count` tiles, of which the part has those from `first` on, and
  /// the chunks from `first_chunk` on. `before` precedes them.
  __device__ void hand_down(int first, int first_chunk, int count, part_prefix<T> before) const {
    for (int tile = 0; tile < count; ++tile) {
      memory_.before[first + tile] = join(before.before_group, before.in_group, scan_.op);
      if (tile + 1 == count) return;
      const T& folded = memory_.chunks[first_chunk + (tile + 1) * tile_chunks - 1];
      before.in_group = join(before.in_group, {folded, true}, scan_.op);
    }
  }

  shared& memory_;
  T values_[run];          // of vectors, then of the chunk's up to each
  T previous_;             // the same up to the lane before
  T starts_[run];          // what precedes each vector, in the order in which the thread goes round
  bool has_start_;         // before the run's first vector
  prefix<T> before_rest_;  // before the items after the run's last vector
};

/// A block a part, which is rows, or one of a row's that `looks_back`. `Problem` is a
/// row_relay_cut; `states_memory`: see tile_states, or null. Dynamic shared memory:
/// row_arrays::required_bytes of the threads.
template <class Problem, bool looks_back>
__global__ void __launch_bounds__(Problem::most_threads, Problem::blocks_per_sm)
    row_relay_kernel(const __grid_constant__ Problem scan, void* states_memory,
                     std::size_t states_bytes) {
  using T = typename Problem::T;
  __shared__ typename relay_tiles<Problem, looks_back>::shared memory;
  extern __shared__ __align__(128) unsigned char arrays[];
  const bool leader = threadIdx.x == 0;

  // ---- claim ----
  admit_later_kernels();
  await_earlier_kernels();
  tile_states<T> states(states_memory, states_bytes);
  std::int64_t index = blockIdx.x;
  if constexpr (looks_back) {
    if (left_alone(scan)) return;
    if (leader) memory.mine = states.claim(gridDim.x);
    __syncthreads();
    index = memory.mine.tile;
    states.enter(memory.mine.epoch);
  }
  const relay_part<looks_back> part(scan, index);
  relay_tiles<Problem, looks_back> tiles(scan, part, memory, arrays);
  if (leader) tiles.initialise(memory.loaded);
  __syncthreads();

  // ---- load, fold, look back ----
  tiles.load(memory.loaded);
  for (int tile = threadIdx.x; tile < part.count; tile += blockDim.x) tiles.start(tile);
  __syncthreads();
  tiles.await_loads(memory.loaded);
  if (!looks_back && left_alone(scan)) return;  // (here it costs less)
  tiles.fold();
  __syncthreads();
  if constexpr (looks_back) {
    tiles.look_back(states);
    if (leader) states.retire(gridDim.x);
  } else {
    if (warp_index() == 0) tiles.find_prefixes();
  }
  __syncthreads();

  // ---- apply, store ----
  tiles.find_starts();
  tiles.apply();
  tiles.publish_results();
  __syncthreads();
  tiles.store();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
