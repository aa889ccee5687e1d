// Rows of a tensor so small that all of it is on the device at once: a block a tile, which it holds
// in registers as a walk does, and looks back once (span_look_back.cuh).
#ifndef SCAN_DEVICE_WALK_ROW_WAVE_CUH
#define SCAN_DEVICE_WALK_ROW_WAVE_CUH

#include <cstddef>
#include <cstdint>

#include "scan/device/fold/span_look_back.cuh"
#include "scan/device/walk/row_walk.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block does for its tile; `Cut` is a row_walk_cut.
template <class Cut>
class row_wave : public row_walk<Cut> {
  using walk = row_walk<Cut>;

 public:
  using T = typename walk::T;
  using look_back_type = span_look_back<T, typename Cut::op_type>;
  struct shared {
    typename walk::shared of_walk;
    typename look_back_type::shared of_look;
    shared_array<T, 1> aggregate;
    shared_array<prefix<T>, 1> start;
    ticket mine;
  };

  __device__ row_wave(const Cut& scan, const relay_plan& plan, shared& memory, std::int64_t index)
      : walk(scan, memory.of_walk, index % scan.shape.outer, tile_of(scan, index)),
        plan_(plan),
        wave_(memory),
        tile_(tile_of(scan, index)) {}

  /// Asks the L2 for what the block will take, if tickets go by its index.
  __device__ void prefetch() const { this->prefetch_chunk(); }

  /// What the row starts with; and what is wanted at its end. All threads, before a barrier.
  __device__ void start() {
    if (threadIdx.x == 0) {
      wave_.start[0] = tile_ == 0 ? this->begin() : this->row().start();
    }
    if (tile_ + 1 == plan_.tiles_per_row) this->fetch_rest();
  }

  /// All threads, after the barrier behind fold(); barriers, of which one follows.
  __device__ void look_back(tile_states<T>& states) {
    const std::int64_t first_state = this->index_ * plan_.words_per_row();
    const look_back_type look(plan_, first_state, tile_, 1, this->scan_.op, wave_.of_look);
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
      wave_.of_walk.running.enter(0, join(before.before_group, before.in_group, this->scan_.op));
    }
  }

 private:
  /// The first tile of each row, then the second of each ..
  __device__ static int tile_of(const Cut& scan, std::int64_t index) {
    return static_cast<int>(index / scan.shape.outer);
  }

  const relay_plan& plan_;
  shared& wave_;
  int tile_;
};

/// A block a tile. `Cut` is a row_walk_cut; `states_memory`: see tile_states.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    row_wave_kernel(const __grid_constant__ Cut scan, void* states_memory, std::size_t states_bytes,
                    const __grid_constant__ relay_plan plan) {
  using wave = row_wave<Cut>;
  static_assert(sizeof(typename wave::shared) <= 48 * 1024);  // what is granted unasked
  __shared__ typename wave::shared memory;
  const bool leader = threadIdx.x == 0;
  admit_later_kernels();
  wave(scan, plan, memory, blockIdx.x).prefetch();
  await_earlier_kernels();
  if (left_alone(scan)) return;
  tile_states<typename Cut::T> states(states_memory, states_bytes);
  if (leader) memory.mine = states.claim(gridDim.x);
  __syncthreads();
  states.enter(memory.mine.epoch);
  wave tile(scan, plan, memory, memory.mine.tile);
  const auto items = tile.fetch(0);
  tile.start();
  tile.take(items);
  tile.fold();
  __syncthreads();
  tile.look_back(states);
  __syncthreads();
  if (leader) states.retire(gridDim.x);
  tile.finish();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
