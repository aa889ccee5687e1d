// The rows of a tensor as the kernels take them whose blocks hold groups of tiles in shared memory,
// or whole rows in registers.
#ifndef SCAN_DEVICE_TENSOR_ROW_CUT_CUH
#define SCAN_DEVICE_TENSOR_ROW_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/row_arrays.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/plan/row_plan.hpp"
#include "scan/device/walk/row_round_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The scans of all rows; `Tensor` is a tensor_problem with inner = 1. A tile's slots are room for
/// the vectors of its warps' shares; a thread has `run` slots that follow each other.
template <int element_bytes, int stripes_, class Tensor>
struct row_cut : Tensor {
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int stripes = stripes_, vector_items = vector_items_for(element_bytes);
  static constexpr int share_vectors = 32 * stripes;
  static constexpr int run = row_run_vectors(stripes, element_bytes);
  static constexpr int values = run / stripes;  // a thread's, see scan_values
  static constexpr int most_threads = most_row_threads(stripes, element_bytes);
  static constexpr int most_shares = most_threads * run / share_vectors;
  static constexpr int most_tiles = std::min(most_shares, most_group_tiles), most_rows = most_tiles;
  /// Results take the items' place in shared memory, where these can be as far off granules.
  static constexpr bool one_place =
      sizeof(in_type) == sizeof(out_type) && alignof(in_type) <= alignof(out_type);

  int tile_vectors;
  int tiles_per_row;
  int group_tiles;
  int groups_per_row;
  int tile_shares;
  small_divisor tile_threads;  // each has a run
  bool looks_back;             // rows have several groups
  bool prefetches;             // and are not so many that tickets would wait behind them
  bool in_dense, out_dense;    // no gaps between rows
  bool alike;                  // items and results are as far off granules

  row_cut(const Tensor& scan, const row_plan& plan)
      : Tensor(scan),
        tile_vectors(plan.tile_vectors),
        tiles_per_row(plan.tiles_per_row),
        group_tiles(plan.group_tiles),
        groups_per_row(static_cast<int>(plan.groups_per_row)),
        tile_shares(plan.shares_per_tile),
        tile_threads(plan.shares_per_tile * (share_vectors / run)),
        looks_back(plan.groups_per_row > 1),
        prefetches(looks_back &&
                   scan.shape.outer * scan.shape.length * element_bytes <= most_row_prefetch_bytes),
        in_dense(scan.shape.in_pitch == scan.shape.length),
        out_dense(scan.shape.out_pitch == scan.shape.length),
        alike(in_dense == out_dense && rows_are_alike(scan)) {}
};

/// The tiles of a group: `count` of one row, or so many rows of a tile each.
struct row_group {
  std::int64_t first_row;
  int first_tile;  // of its row
  int count, rows;
  bool is_rows;

  /// Where a thread's run begins.
  template <class Problem>
  __device__ static run_place place_of(const Problem& scan, int thread) {
    const int tile = scan.tile_threads.quotient(thread);
    return {tile, (thread - tile * scan.tile_threads.divisor) * Problem::run};
  }
  template <class Problem>
  __device__ row_group(const Problem& scan, std::int64_t index) : is_rows(scan.tiles_per_row == 1) {
    if (is_rows) {
      first_row = index * scan.group_tiles;
      first_tile = 0;
      const std::int64_t left = scan.shape.outer - first_row;
      count = left < scan.group_tiles ? static_cast<int>(left) : scan.group_tiles;
    } else {
      first_row = tile_quotient(index, scan.groups_per_row);
      first_tile = static_cast<int>(index - first_row * scan.groups_per_row) * scan.group_tiles;
      count = min(scan.tiles_per_row - first_tile, scan.group_tiles);
    }
    rows = is_rows ? count : 1;
  }
  __device__ int row_of(int tile) const { return is_rows ? tile : 0; }
  __device__ int tile_of(int tile) const { return is_rows ? 0 : first_tile + tile; }
};

// ---- The same rows in registers, in the order of these tiles. ----

/// The rows; `Tensor` is a tensor_problem. `stripes`: vectors of a lane of a share. `blocks`: that
/// have a row. (What is there for others alone makes small calls slower.)
template <class Tensor, int stripes_, row_blocks blocks_>
struct held_shares_cut : row_round_cut<Tensor, held_share_vectors, false> {
  using base = row_round_cut<Tensor, held_share_vectors, false>;
  static constexpr int stripes = stripes_, share_vectors = warp_size * stripes;
  static constexpr int shares = held_share_vectors / stripes;  // of a warp at most
  static constexpr row_blocks blocks = blocks_;
  static constexpr bool is_spread = blocks != row_blocks::one;
  static constexpr bool looks_back = blocks == row_blocks::look_back;
  static constexpr int register_threads =
      held_register_threads(base::element_bytes, stripes, blocks);
  static constexpr int most_warps = is_spread ? register_threads / warp_size : base::most_warps;
  static constexpr int most_tiles = is_spread ? most_wave_tiles : most_warps;

  held_shares_plan rows;
  small_divisor tile_warps;

  held_shares_cut(const Tensor& scan, const held_shares_plan& plan, int block_rows)
      : base(scan, {held_share_vectors, plan.warps(), 1}, block_rows),
        rows(plan),
        tile_warps(plan.tile_warps) {}
  /// Whose the calling warp of block `index` is; `warp` counts those of the row, `tile` is the
  /// block's first.
  __device__ round_place place_of(std::int64_t index) const {
    if constexpr (!is_spread) return base::place_of(index);
    const std::int64_t row = tile_quotient(index, rows.blocks);
    const int block = static_cast<int>(index - row * rows.blocks);
    return {row, block * rows.block_tiles, block * this->plan.warps + uniform_warp_index()};
  }
  /// Asks for what block `index` would have: by the time that it has a ticket, for another part,
  /// memory has been at work for one trip to the L2.
  __device__ void prefetch(std::int64_t index) const {
    const round_place place = place_of(index);
    const int most = rows.block_tiles * rows.tile_vectors * base::vector_items;
    const auto length = static_cast<int>(this->shape.length);
    const int first = static_cast<int>(place.tile) * rows.tile_vectors * base::vector_items;
    const int count = min(length - first, most);
    const auto* const row = this->row_of(place).input(0);
    prefetch_bytes(row + (Tensor::reversed ? length - first - count : first),
                   count * static_cast<int>(sizeof(typename Tensor::in_type)), threadIdx.x,
                   blockDim.x);
  }
  /// (Tiles end at vectors, which of narrower results are no granules.)
  __device__ bool lie_whole() const {
    return sizeof(typename Tensor::in_type) <= sizeof(typename Tensor::out_type) &&
           base::lie_whole();
  }
};

/// Which of a row's shares a warp has: `count` of tile `tile` from share `first` on.
template <class Cut>
struct warp_shares {
  int tile, first, count;
  int vector;  // of the row, the first one

  __device__ warp_shares(const Cut& scan, int warp) {
    tile = scan.tile_warps.quotient(warp);
    first = (warp - tile * scan.rows.tile_warps) * scan.rows.warp_shares;
    const int left = scan.rows.vectors - tile * scan.rows.tile_vectors;
    const int in_tile = max(min(left, scan.rows.tile_vectors), 0);
    const int all = (in_tile + Cut::share_vectors - 1) / Cut::share_vectors;
    count = max(min(all - first, scan.rows.warp_shares), 0);
    vector = tile * scan.rows.tile_vectors + first * Cut::share_vectors;
    end_ = tile * scan.rows.tile_vectors + in_tile;
  }
  /// Their items.
  __device__ row_chunk chunk(int length, bool is_there) const {
    const int begin = min(vector * Cut::vector_items, length);
    const int behind = min(vector + count * Cut::share_vectors, end_) * Cut::vector_items;
    return {begin, is_there && count > 0 ? min(behind, length) - begin : 0};
  }
  /// Their vectors that lie before `whole`, of the row.
  __device__ int whole_of(int whole) const {
    return max(min(min(vector + count * Cut::share_vectors, end_), whole) - vector, 0);
  }

 private:
  int end_;  // of the tile, in vectors of the row
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
