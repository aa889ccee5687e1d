// Rows of scans that a block holds in registers from the fold to the scan of each vector: what
// lanes copy to shared memory side by side (held_loads.cuh), in the order of the wave's tiles, so
// that rows have the bits of the call for one sequence. A warp has some shares of a row, one after
// another; a share is 32 lanes' vectors, or pairs of them, that a warp of the wave would have.
// (bench/NOTES.md, "Sums along rows in registers", H200, 2026-11-28)
#ifndef SCAN_DEVICE_TENSOR_HELD_SHARES_CUH
#define SCAN_DEVICE_TENSOR_HELD_SHARES_CUH

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/vector_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/row_cut.cuh"
#include "scan/device/walk/held_loads.cuh"
#include "scan/device/walk/row_round_cut.cuh"

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
    shared_array<T, Cut::most_warps> tiles;                // of tiles of a row, at its first warp
  };

  /// Touches nothing that is read. `slots`: the block's.
  __device__ held_shares(const Cut& scan, shared& memory, unsigned char* slots,
                         const round_place& place)
      : scan_(scan),
        memory_(memory),
        slots_(slots + warp_index() * Cut::warp_bytes),
        of_row_(uniform_warp_index() - place.warp),
        mine_(scan, place.warp),
        row_(scan.row_of(place)),
        chunk_(mine_.chunk(length(), place.row < scan.shape.outer)),
        loads_(scan, row_, chunk_) {
    const int rest = whole() - mine_.vector;
    const bool has_rest = chunk_.first + chunk_.count == length() &&
                          chunk_.count % vector_items != 0 &&
                          rest / stripes % warp_size == lane_index();
    rest_ = has_rest ? rest : -1;
  }
  /// False: see held_loads.
  __device__ bool is_lost() const { return loads_.are_lost(); }

  __device__ void load() {
    loads_.start(slots_);
    start_ = row_.start();
    loads_.finish(slots_);
    const unsigned shift = loads_.shift(0);
    const bool lie = scan_.lie_whole() || shift % vector_bytes == 0;
#pragma unroll
    for (int i = 0; i < shares; ++i) {
      if (i >= mine_.count) break;
#pragma unroll
      for (int r = i * stripes; r < (i + 1) * stripes; ++r) {
        vectors_[r].of[0] = vector_at(place_of(r), shift, lie);
      }
    }
    const int rest = max(min(whole() - mine_.vector, held_vectors - 1), 0);
    const in_vector last = vector_at(rest, shift, lie);
    __syncwarp();  // all have read: where they have results go
    if (rest_ >= 0) *at(rest) = last;
  }

  /// Folds vectors and scans them across each share. A barrier follows, or of one warp a row none.
  __device__ void fold() {
#pragma unroll
    for (int i = 0; i < shares; ++i) {
      if (i >= mine_.count) break;
      const int left = vectors_of(i) - lane_index() * stripes;
      T folded = fold_of(i * stripes);
      if constexpr (stripes > 1) {
        first_[i] = folded;
        if (left > 1) folded = row_.op(folded, fold_of(i * stripes + 1));
      }
      const int num_valid = (vectors_of(i) + stripes - 1) / stripes;
      const T scanned = warp_inclusive_scan(folded, num_valid, row_.op);
      if (lane_index() == num_valid - 1)
        memory_.aggregates[share(mine_.tile, mine_.first + i)] = scanned;
      before_[i] = shuffle_up(scanned, 1);
    }
    __syncwarp();
  }
  /// Scans what the tile's shares fold to. Of a row of several tiles a barrier before and after.
  __device__ void scan_tile() {
    const int tile_vectors = scan_.rows.tile_vectors, begin = mine_.tile * tile_vectors;
    const int in_tile = max(min(whole() - begin, tile_vectors), 0);
    const int num_valid = (in_tile + Cut::share_vectors - 1) / Cut::share_vectors;
    const int last = max(num_valid - 1, 0);
    const T scanned = warp_inclusive_scan(
        T(memory_.aggregates[share(mine_.tile, min(lane_index(), last))]), num_valid, row_.op);
    shares_up_to_ = scanned;
    valid_shares_ = num_valid;
    if (mine_.first == 0 && lane_index() == last) memory_.tiles[of_row_ + mine_.tile] = scanned;
  }
  /// Scans the shares and stores them.
  __device__ void finish() {
    if (chunk_.count == 0) return;
    prefix<T> before_tile = start_;
    if (mine_.tile > 0) {
      const int tiles = mine_.tile;
      const T scanned = warp_scan_of_few(T(memory_.tiles[of_row_ + min(lane_index(), tiles - 1)]),
                                         tiles, row_.op);
      before_tile = join(start_, prefix<T>{shuffle(scanned, tiles - 1), true}, row_.op);
    }
    if (chunk_.first == 0 && lane_index() == 0) row_.write_start(start_);
#pragma unroll
    for (int i = 0; i < shares; ++i) {
      if (i >= mine_.count) break;
      const int nth = mine_.first + i;
      const prefix<T> before_share{shuffle(shares_up_to_, max(nth - 1, 0)),
                                   nth > 0 && nth <= valid_shares_};
      scan_share(i, join(before_tile, before_share, row_.op));
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
  __device__ int vectors_of(int i) const { return mine_.vectors_of(i, whole()); }
  /// Where a share's aggregate is.
  __device__ int share(int tile, int nth) const {
    return (of_row_ + tile * scan_.rows.tile_warps) * shares + nth;
  }
  /// The lane's i-th vector in the chunk.
  __device__ static int place_of(int i) {
    return (i / stripes * warp_size + lane_index()) * stripes + i % stripes;
  }
  __device__ static int memory_place(int vector) {
    return Cut::reversed ? held_vectors - 1 - vector : vector;
  }
  __device__ in_vector* at(int vector) const {
    return reinterpret_cast<in_vector*>(Cut::in_slot_of(slots_, 0).bytes) + memory_place(vector);
  }
  /// A vector of the chunk, which lies so far above its place. (A slot has room for all.)
  __device__ in_vector vector_at(int vector, unsigned shift, bool lies) const {
    const in_vector* const from = at(vector) + shift / vector_bytes;
    if (lies) return from[0];
    return shifted<sizeof(in_type) % 4 != 0>(from[0], from[1], shift % vector_bytes);
  }
  __device__ T fold_of(int i) const { return scans::fold(row_, vectors_[i], true); }

  /// The i-th, after `before`.
  __device__ void scan_share(int i, const prefix<T>& before) {
    const int left = vectors_of(i) - lane_index() * stripes;
    const int rest = rest_ - i * Cut::share_vectors;
#pragma unroll
    for (int r = 0; r < stripes; ++r) {
      const bool is_rest = rest == lane_index() * stripes + r;
      if (r >= left && !is_rest) continue;
      prefix<T> running = before;
      if (r > 0 && lane_index() == 0) {
        running = join(before, prefix<T>{first_[i], true}, row_.op);
      } else if (r > 0) {
        running =
            join(before, prefix<T>{static_cast<T>(row_.op(before_[i], first_[i])), true}, row_.op);
      } else if (lane_index() > 0) {
        running = join(before, prefix<T>{before_[i], true}, row_.op);
      }
      const int place = place_of(i * stripes + r);
      if (is_rest) {
        scan_rest(running);
      } else {
        out_vector scanned;
        running = scans::scan(row_, vectors_[i * stripes + r], running, scanned);
        reinterpret_cast<out_vector*>(Cut::out_slot_of(slots_, 0).bytes)[memory_place(place)] =
            scanned;
        if (mine_.vector + place + 1 == whole() && whole() * vector_items == length()) {
          row_.write_end(running);
        }
      }
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
  unsigned char* slots_;  // the warp's
  int of_row_;            // the row's first warp in the block
  warp_shares<Cut> mine_;
  row_type row_;
  row_chunk chunk_;
  held_loads<Cut> loads_;
  typename scans::vectors vectors_[shares * stripes];
  T first_[shares];   // of pairs, the first one's fold
  T before_[shares];  // the fold of the share's lanes before
  T shares_up_to_;    // of the tile, one a lane
  int valid_shares_;  // of the tile, those with vectors
  prefix<T> start_;   // what precedes the row
  int rest_;  // of the chunk, the vector that items fill no longer, if the lane has it; or -1
};

/// A block some rows. `Cut` is a held_shares_cut.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, 2)
    held_shares_kernel(const __grid_constant__ Cut scan) {
  extern __shared__ __align__(128) unsigned char arrays[];
  __shared__ typename held_shares<Cut>::shared memory;
  admit_later_kernels();
  held_shares<Cut> row(scan, memory, arrays, scan.place_of(blockIdx.x));
  if (row.is_lost()) return;
  await_earlier_kernels();
  if (uniform(left_alone(scan))) return;
  row.load();
  row.fold();
  if (scan.plan.warps > 1) __syncthreads();
  row.scan_tile();
  if (scan.rows.tiles > 1) __syncthreads();
  row.finish();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
