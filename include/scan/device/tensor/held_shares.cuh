// Rows of scans that a block holds in registers from the fold to the scan of each vector: what
// lanes copy to shared memory side by side (held_loads.cuh), in the order of the wave's tiles, so
// that rows have the bits of the call for one sequence. A warp has some shares of a row, one after
// another; a share is 32 lanes' vectors, or pairs of them, that a warp of the wave would have. The
// tiles of a longer row are dealt out to the blocks of a cluster, or to blocks that look back.
// (bench/NOTES.md, "Sums along rows in registers", H200, 2026-11-28)
#ifndef SCAN_DEVICE_TENSOR_HELD_SHARES_CUH
#define SCAN_DEVICE_TENSOR_HELD_SHARES_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/looked_folds.cuh"
#include "scan/device/fold/vector_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/tensor/row_cut.cuh"
#include "scan/device/walk/held_loads.cuh"
#include "scan/device/walk/row_round_cut.cuh"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp at its shares; `Cut` is a held_shares_cut.
template <class Cut>
class held_shares {
  using row_type = typename Cut::Problem;
  using scans = vector_scan<row_type, Cut::vector_items>;
  using in_type = typename Cut::in_type;
  using in_vector = typename scans::in_vector;
  using out_vector = typename scans::out_vector;
  static constexpr int stripes = Cut::stripes, shares = Cut::shares;
  static constexpr int vector_items = Cut::vector_items;
  static constexpr unsigned vector_bytes = sizeof(in_vector);

 public:
  using T = typename Cut::T;
  struct shared {
    shared_array<T, Cut::most_warps * shares> aggregates;  // of shares, some a warp
    row_folds<T, Cut::most_tiles, Cut::looks_back> tiles;  // of a row, from its first warp here on
  };

  /// Touches nothing that is read. `slots`: the block's.
  __device__ held_shares(const Cut& scan, shared& memory, unsigned char* slots,
                         const round_place& place)
      : scan_(scan),
        memory_(memory),
        slots_(slots + warp_index() * Cut::warp_bytes),
        first_warp_(uniform_warp_index() - place.warp),
        of_row_(Cut::is_spread ? 0 : first_warp_),
        first_state_(place.row * scan.rows.tiles),
        first_tile_(static_cast<int>(place.tile)),
        mine_(scan, place.warp),
        row_(scan.row_of(place)),
        chunk_(mine_.chunk(length(), place.row < scan.shape.outer)),
        loads_(scan, row_, chunk_),
        num_whole_(mine_.whole_of(scan.rows.whole)),
        has_rest_(chunk_.first + chunk_.count == length() && chunk_.count % vector_items != 0) {}
  /// False: see held_loads.
  __device__ bool is_lost() const { return loads_.are_lost(); }

  __device__ void load() {
    loads_.start(slots_);
    start_ = row_.start();
    loads_.finish(slots_);
    const unsigned shift = loads_.shift(0);
    if (scan_.lie_whole() || shift % vector_bytes == 0) {
      const in_vector* const from = at(place_of(0)) + shift / vector_bytes;
#pragma unroll
      for (int i = 0; i < shares * stripes; ++i) vectors_[i].of[0] = from[apart(i)];
    } else {
#pragma unroll
      for (int i = 0; i < shares * stripes; ++i) vectors_[i].of[0] = vector_at(place_of(i), shift);
    }
    in_vector rest;
    if (has_rest_) rest = vector_at(num_whole_, shift);
    __syncwarp();  // all have read: where they have results go
    if (has_rest_ && lane_index() == 0) *at(num_whole_) = rest;
  }

  /// Folds vectors and scans them across each share. A barrier follows, or of one warp a row none.
  /// (What lies where no vectors are is folded, too, whatever it is: lanes hand what they have to
  /// later ones alone, and nobody reads what those have. So there are no operators of the
  /// caller's.)
  __device__ void fold() {
#pragma unroll
    for (int i = 0; i < shares; ++i) {
      if (i >= mine_.count) break;
      T folded = fold_of(i * stripes);
      if constexpr (stripes > 1) {
        first_[i] = folded;
        if (place_of(i * stripes + 1) < num_whole_)
          folded = row_.op(folded, fold_of(i * stripes + 1));
      }
      const T scanned = warp_inclusive_scan(folded, warp_size, row_.op);
      const int left = num_whole_ - i * Cut::share_vectors;
      if (lane_index() == min((left + stripes - 1) / stripes, warp_size) - 1)
        memory_.aggregates[share(mine_.tile, mine_.first + i)] = scanned;
      before_[i] = shuffle_up(scanned, 1);
    }
    __syncwarp();
  }
  /// Scans what the tile's shares fold to; who looks back waits for the blocks before. Of a row of
  /// several tiles a barrier before and after, which is meet().
  __device__ void scan_tile(tile_states<T>& states) {
    const int tile_vectors = scan_.rows.tile_vectors, begin = mine_.tile * tile_vectors;
    const int in_tile = max(min(whole() - begin, tile_vectors), 0);
    const int last = max((in_tile - 1) / Cut::share_vectors, 0);
    shares_up_to_ = warp_inclusive_scan(
        T(memory_.aggregates[share(mine_.tile, min(lane_index(), last))]), warp_size, row_.op);
    if constexpr (Cut::blocks == row_blocks::cluster) {
      const T all = shuffle(shares_up_to_, last);
      memory_.tiles.await_blocks();
      if (mine_.first == 0 && in_tile > 0) {
        memory_.tiles.give(mine_.tile, all, mine_.tile / scan_.rows.block_tiles, scan_.rows.blocks);
      }
    } else if (mine_.first == 0 && lane_index() == last && (!Cut::looks_back || in_tile > 0)) {
      memory_.tiles[of_row_ + mine_.tile] = shares_up_to_;
      if (Cut::looks_back) states.publish(first_state_ + mine_.tile, shares_up_to_);
    }
    if constexpr (Cut::looks_back) memory_.tiles.look(states, first_state_, first_tile_);
  }
  /// Until all folds of the row's tiles are there, up to the block's last.
  __device__ void meet() const {
    if constexpr (Cut::blocks == row_blocks::cluster) {
      memory_.tiles.meet();
    } else if (scan_.rows.tiles > 1) {
      __syncthreads();
    }
    if constexpr (Cut::looks_back) {
      memory_.tiles.scan_parts(min(first_tile_ + scan_.rows.block_tiles, scan_.rows.tiles),
                               row_.op);
      __syncthreads();
    }
  }
  /// Scans the shares and stores them.
  __device__ void finish() {
    if (chunk_.count == 0) return;
    prefix<T> before_tile = start_;
    if (mine_.tile > 0) {
      const prefix<T> tiles{memory_.tiles.fold(of_row_, mine_.tile, row_.op), true};
      before_tile = join(start_, tiles, row_.op);
    }
    if (chunk_.first == 0 && lane_index() == 0) row_.write_start(start_);
    prefix<T> last = before_tile;
#pragma unroll
    for (int i = 0; i < shares; ++i) {
      if (i >= mine_.count) break;
      const int nth = mine_.first + i;
      // (That one precedes the second is for the compiler to know.)
      const prefix<T> before_share{shuffle(shares_up_to_, max(nth - 1, 0)), i > 0 || nth > 0};
      scan_share(i, join(before_tile, before_share, row_.op), last);
    }
    if (has_rest_) {
      if (num_whole_ / stripes % warp_size == lane_index()) scan_rest(last);
    } else if (chunk_.first + chunk_.count == length() &&
               (num_whole_ - 1) / stripes % warp_size == lane_index()) {
      row_.write_end(last);
    }
    __syncwarp();
    const auto& slot = Cut::out_slot_of(slots_, 0);
    const auto to = scan_.results_of(row_, chunk_, 0);
    if (scan_.lie_whole()) {
      slot.store_granules(to);
    } else {
      slot.store_at_once(to);
    }
  }

 private:
  static constexpr int held_vectors = held_share_vectors * warp_size;
  __device__ int length() const { return static_cast<int>(scan_.shape.length); }
  /// Vectors of the row without what fills none.
  __device__ int whole() const { return scan_.rows.whole; }
  /// Where a share's aggregate is.
  __device__ int share(int tile, int nth) const {
    return (first_warp_ + tile * scan_.rows.tile_warps) * shares + nth;
  }
  /// The lane's i-th vector in the chunk.
  __device__ static int place_of(int i) {
    return (i / stripes * warp_size + lane_index()) * stripes + i % stripes;
  }
  /// From the lane's first to its i-th in memory.
  __device__ static int apart(int i) {
    const int places = i / stripes * Cut::share_vectors + i % stripes;
    return Cut::reversed ? -places : places;
  }
  __device__ static int memory_place(int vector) {
    return Cut::reversed ? held_vectors - 1 - vector : vector;
  }
  __device__ in_vector* at(int vector) const {
    return reinterpret_cast<in_vector*>(Cut::in_slot_of(slots_, 0).bytes) + memory_place(vector);
  }
  /// A vector of the chunk, which lies so far above its place. (A slot has room for all.)
  __device__ in_vector vector_at(int vector, unsigned shift) const {
    const in_vector* const from = at(vector) + shift / vector_bytes;
    return shifted<sizeof(in_type) % 4 != 0>(from[0], from[1], shift % vector_bytes);
  }
  __device__ T fold_of(int i) const { return scans::fold(row_, vectors_[i], true); }

  /// The i-th, after `before`. `last` becomes what follows the lane's vector there, or, in the lane
  /// where the row's last items would be one, what precedes these.
  __device__ void scan_share(int i, const prefix<T>& before, prefix<T>& last) const {
    auto* const results = reinterpret_cast<out_vector*>(Cut::out_slot_of(slots_, 0).bytes) +
                          memory_place(place_of(0));
#pragma unroll
    for (int r = 0; r < stripes; ++r) {
      const int place = place_of(i * stripes + r);
      prefix<T> running = before;
      if (r > 0 && lane_index() == 0) {
        running = join(before, prefix<T>{first_[i], true}, row_.op);
      } else if (r > 0) {
        running =
            join(before, prefix<T>{static_cast<T>(row_.op(before_[i], first_[i])), true}, row_.op);
      } else if (lane_index() > 0) {
        running = join(before, prefix<T>{before_[i], true}, row_.op);
      }
      if (place < num_whole_) {
        out_vector scanned;
        running = scans::scan(row_, vectors_[i * stripes + r], running, scanned);
        results[apart(i * stripes + r)] = scanned;
      }
      if (place < num_whole_ + (has_rest_ ? 1 : 0)) last = running;
    }
  }
  /// The row's last items, which fill no vector.
  __device__ void scan_rest(prefix<T> running) const {
#pragma unroll 1
    for (int k = chunk_.count / vector_items * vector_items; k < chunk_.count; ++k) {
      const int place = Cut::reversed ? Cut::chunk_items - 1 - k : k;
      item_of<row_type> item{{}, row_.in_common()};
      item.elements[0] = reinterpret_cast<const in_type*>(Cut::in_slot_of(slots_, 0).bytes)[place];
      reinterpret_cast<typename Cut::out_type*>(Cut::out_slot_of(slots_, 0).bytes)[place] =
          scan_item(row_, item, running);
    }
    row_.write_end(running);
  }

  const Cut& scan_;
  shared& memory_;
  unsigned char* slots_;      // the warp's
  int first_warp_;            // the row's, as warps of the block count; below 0 it is another's
  int of_row_;                // where its tiles' folds begin
  std::int64_t first_state_;  // the row's
  int first_tile_;            // the block's, of a row that several have
  warp_shares<Cut> mine_;
  row_type row_;
  row_chunk chunk_;
  held_loads<Cut> loads_;
  typename scans::vectors vectors_[shares * stripes];
  T first_[shares];   // of pairs, the first one's fold
  T before_[shares];  // the fold of the share's lanes before
  T shares_up_to_;    // of the tile, one a lane
  prefix<T> start_;   // what precedes the row
  int num_whole_;     // vectors of the chunk
  bool has_rest_;     // and items behind them, the row's last
};

/// A block some rows, or several blocks one, of calls that are no slices. `Cut` is a
/// held_shares_cut; `states_memory`: see tile_states, or null where nobody looks back.
template <class Cut>
__global__ void __launch_bounds__(Cut::register_threads, 2)
    held_shares_kernel(const __grid_constant__ Cut scan, void* states_memory,
                       std::size_t states_bytes) {
  extern __shared__ __align__(128) unsigned char arrays[];
  __shared__ typename held_shares<Cut>::shared memory;
  tile_states<typename Cut::T> states(states_memory, states_bytes);
  std::int64_t index = blockIdx.x;
  admit_later_kernels();
  if constexpr (Cut::blocks == row_blocks::cluster) memory.tiles.begin();
  if constexpr (Cut::looks_back) {
    scan.prefetch(index);
    await_earlier_kernels();
    ticket& mine = memory.tiles.mine;
    if (threadIdx.x == 0) mine = states.claim(gridDim.x);
    __syncthreads();
    states.enter(mine.epoch);
    index = uniform(mine.tile);
  }
  held_shares<Cut> row(scan, memory, arrays, scan.place_of(index));
  if (row.is_lost()) return;
  if constexpr (!Cut::looks_back) await_earlier_kernels();
  row.load();
  row.fold();
  if (scan.plan.warps > 1) __syncthreads();
  row.scan_tile(states);
  row.meet();
  if (Cut::looks_back && threadIdx.x == 0) states.retire(gridDim.x);
  row.finish();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
