// Rows of a tensor so small that all of it is on the device at once: a block a tile, which goes to
// registers at once; of rows of several tiles each looks back once (span_look_back.cuh).
#ifndef SCAN_DEVICE_WALK_ROW_WAVE_CUH
#define SCAN_DEVICE_WALK_ROW_WAVE_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/fold/span_look_back.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/prefetch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/row_chunks.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block does for its tile; `Cut` is a row_walk_cut.
template <class Cut>
class row_wave : public row_chunks<Cut, lone_chunk_bytes> {
  using base = row_chunks<Cut, lone_chunk_bytes>;
  using in_type = typename Cut::in_type;
  static constexpr int num_inputs = Cut::num_inputs, vector_items = Cut::vector_items;
  using stage = typename Cut::stage;

 public:
  using T = typename base::T;
  using look_back_type = span_look_back<T, typename Cut::op_type>;
  struct shared {
    typename base::shared of_chunks;
    typename look_back_type::shared of_look;
    shared_array<in_type, vector_items> rest[num_inputs];
    shared_array<T, 1> aggregate;
    shared_array<prefix<T>, 1> start;
    ticket mine;
  };

  /// Of all tiles tile `index`.
  __device__ row_wave(const Cut& scan, const relay_plan& plan, shared& memory, int index)
      : row_wave(scan, plan, memory, plan.tile_of(index, scan.shape.outer)) {}

  /// Asks the L2 for what the block will take, if tickets go by its index.
  __device__ void prefetch() const {
    constexpr int line = 128;
    const bool has_line = lane_index() * line < stage::chunk_bytes;
    if (this->left_ < chunk_vectors || !has_line) return;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      prefetch_line(reinterpret_cast<const unsigned char*>(chunk_at(i)) + lane_index() * line);
    }
  }

  /// Asks for the warp's chunk, and what is wanted at the row's end. Before a barrier.
  __device__ void load() {
    const auto mine = this->row();
    const int count = base::count_of(this->left_);
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      chunks_[i] = {chunk_at(i), count, this->scan_.readable(i)};
    }
    const int at = static_cast<int>(threadIdx.x);
    if (at >= this->scan_.rest_items || row_tile_ + 1 < plan_.tiles_per_row) return;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      wave_.rest[i][at] = element_or_one<Cut::reversed>(
          mine.input(i), this->rest_item(at) + Cut::beside(i), this->scan_.shape.length);
    }
  }
  /// What the row starts with. Before a barrier.
  __device__ void start() {
    if (!plan_.looks_back()) return base::start();
    if (threadIdx.x == 0) {
      wave_.start[0] = row_tile_ == 0 ? this->begin() : this->row().start();
    }
  }
  /// See row_chunks.
  __device__ void fold() {
    const int count = base::count_of(this->left_);
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) this->items_.of[i] = chunks_[i].arrived(count);
    this->complete_items();
    base::fold();
  }
  __device__ void finish() {
    base::finish([&](int k, int i) { return wave_.rest[k][i]; });
  }

  /// All threads, after the barrier behind fold(); barriers, of which one follows.
  __device__ void look_back(tile_states<T>& states) {
    const std::int64_t first_state = this->index_ * plan_.words_per_row();
    const look_back_type look(plan_, first_state, row_tile_, 1, this->scan_.op, wave_.of_look);
    if (warp_index() == 0) {
      const auto folds = this->scan_chunks();
      if (lane_index() == folds.count - 1) wave_.aggregate[0] = folds.up_to;
      __syncwarp();
      look.publish(&wave_.aggregate[0], 1, states);
    }
    look.await_span(states);
    __syncthreads();
    if (warp_index() > 0) return;
    const part_prefix<T> before =
        look.exclusive_prefix(&wave_.aggregate[0], 1, wave_.start[0], states);
    if (lane_index() == 0) {
      wave_.of_chunks.running.enter(0, join(before.before_group, before.in_group, this->scan_.op));
    }
  }

 private:
  __device__ row_wave(const Cut& scan, const relay_plan& plan, shared& memory,
                      const wave_place& place)
      : base(scan, memory.of_chunks, place.row, place.tile, 1),
        plan_(plan),
        wave_(memory),
        row_tile_(place.tile) {}
  __device__ const in_type* chunk_at(int input) const {
    const std::int64_t vector =
        std::int64_t{row_tile_} * (tile_chunks * chunk_vectors) + warp_index() * chunk_vectors;
    return stage::lowest(this->row().input(input), this->scan_.shape.length,
                         vector * vector_items + Cut::beside(input));
  }

  const relay_plan& plan_;
  shared& wave_;
  int row_tile_;
  chunk_load<in_type, vector_items, Cut::reversed, Cut::reads_beside> chunks_[num_inputs];
};

/// A block a tile. `Cut` is a row_walk_cut; `states_memory`: see tile_states, or null where rows
/// are tiles.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    row_wave_kernel(const __grid_constant__ Cut scan, void* states_memory, std::size_t states_bytes,
                    const __grid_constant__ relay_plan plan) {
  using wave = row_wave<Cut>;
  static_assert(sizeof(typename wave::shared) <= 48 * 1024);  // what is granted unasked
  __shared__ typename wave::shared memory;
  const bool leader = threadIdx.x == 0, looks_back = plan.looks_back();
  admit_later_kernels();
  if (looks_back) wave(scan, plan, memory, static_cast<int>(blockIdx.x)).prefetch();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  tile_states<typename Cut::T> states(states_memory, states_bytes);
  int index = static_cast<int>(blockIdx.x);
  if (looks_back) {
    if (leader) memory.mine = states.claim(gridDim.x);
    __syncthreads();
    states.enter(memory.mine.epoch);
    index = static_cast<int>(memory.mine.tile);
  }
  wave tile(scan, plan, memory, index);
  tile.load();
  tile.start();
  tile.fold();
  __syncthreads();
  if (looks_back) {
    tile.look_back(states);
    __syncthreads();
    if (leader) states.retire(gridDim.x);
  }
  tile.finish();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
