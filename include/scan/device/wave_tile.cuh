// A tile of the wave: a block holds it in registers from its one load to its one store.
//
// Tiles are as many vectors each, so none is smaller but the last. A thread holds `rows` vectors:
// vector l of row r of warp w is the tile's vector (w * rows + r) * 32 + l. What fills no vector at
// the end of the input is held by the thread whose vector it would be, and joins in no fold:
// nothing comes after it.
//
// A problem may want a halo: then the block's first warps hold vectors before the tile, and fold
// them, to see whether segments begin there.
#ifndef SCAN_DEVICE_WAVE_TILE_CUH
#define SCAN_DEVICE_WAVE_TILE_CUH

#include "scan/device/block_scan.cuh"
#include "scan/device/row_io.cuh"
#include "scan/device/vector_scan.cuh"
#include "scan/device/warp_runs.cuh"
#include "scan/device/wave_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a wave_problem, segment_wave or segment_round; blocks may have any whole number of
/// warps up to its most.
template <class Problem>
class wave_tile {
 public:
  using T = typename Problem::T;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  static constexpr int rows = Problem::rows, vector_items = Problem::vector_items;
  static constexpr int most_warps = Problem::most_threads / warp_size;
  static constexpr int warp_items = rows * warp_size * vector_items;
  using in_rows = row_io<in_type, vector_items, Problem::reversed, rows, Problem::lone_bytes>;
  using out_rows = row_io<out_type, vector_items, Problem::reversed, rows, Problem::lone_bytes>;
  using runs = warp_runs<T, rows>;
  using vectors = typename Problem::vectors;
  using vector_index = typename Problem::vector_index;
  struct shared {
    shared_array<T, most_warps> warp_aggregates;
    granule_ends ends[most_warps];
    shared_array<in_type, vector_items> rest;
    typename runs::shared warp_runs[most_warps];
  };

  /// Loads tile `tile` and scans inside it. All threads.
  __device__ wave_tile(const Problem& scan, vector_index tile, shared& memory,
                       const vectors& with = {})
      : scan_(scan), memory_(memory), vectors_(with), runs_(memory.warp_runs[warp_index()]) {
    const vector_index first = tile * scan.tile_vectors;
    const int num_whole =
        valid_of(max(scan.whole_vectors - first, vector_index{0}), scan.tile_vectors);
    const int warp_first = (warp_index() - scan.halo_warps) * rows * warp_size;
    first_ = first + warp_first;
    count_ = max(min(num_whole - warp_first, rows * warp_size), 0);
    if (scan.halo_warps > 0 && first_ < 0) count_ = 0;
    const int place = num_whole - warp_first;
    const bool in_tile = scan.rest_items > 0 && first + scan.tile_vectors > scan.whole_vectors;
    rest_place_ = in_tile && place >= 0 && place < rows * warp_size ? place : -1;
    load();
    const int num_items = num_whole * vector_items + (in_tile ? scan.rest_items : 0);
    const int halo_items = scan.halo_warps * rows * warp_size * vector_items;
    vectors_.enter(scan, static_cast<std::int64_t>(first) * vector_items - halo_items,
                   num_items + halo_items);
    scan_warp();
    Problem::meet();
    warps_ = scan_warp_aggregates<most_warps>(
        memory.warp_aggregates, (num_whole + rows * warp_size - 1) / (rows * warp_size), scan.op,
        scan.halo_warps);
  }

  /// The fold of the tile's whole vectors.
  __device__ const T& aggregate() const { return warps_.aggregate; }
  /// Whether what precedes the tile changes nothing of the warp's.
  __device__ bool absorbs() const {
    return warps_.before_warp.exists && absorbs_earlier(scan_.op, warps_.before_warp.value);
  }

  /// The fold of the halo of tile `tile`, if what comes before that changes nothing; else absent.
  __device__ prefix<T> halo(vector_index tile) const {
    const auto before = static_cast<int>(tile * scan_.tile_vectors / (rows * warp_size));
    const int num_warps = min(before, scan_.halo_warps);
    const T mine = memory_.warp_aggregates[max(
        scan_.halo_warps - num_warps + min(lane_index(), num_warps - 1), 0)];
    const T folded = shuffle(warp_inclusive_scan(mine, num_warps, scan_.op), max(num_warps - 1, 0));
    return {folded, num_warps > 0 && absorbs_earlier(scan_.op, folded)};
  }

  /// Stores the results; `before`: the fold of what precedes the tile.
  __device__ void store(const prefix<T>& before) {
    if (warp_index() < scan_.halo_warps) return;
    const prefix<T> before_warp = join(before, warps_.before_warp, scan_.op);
    const auto before_vector = [&](int row) {
      return join(before_warp, {runs_.before(row), row > 0 || lane_index() > 0}, scan_.op);
    };
    const auto boundary = scan_.boundary(scan_.out.data);
    [[maybe_unused]] auto granules = granules_of(boundary);
    prefix<T> before_rest = before_warp;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      typename out_rows::vector results;
      if (out_rows::exists(row, count_)) {
        const prefix<T> end =
            vectors_.scan(scan_, {share_[row]}, before_vector(row), results, row, place_of(row));
        const vector_index index = first_ + row * warp_size + lane_index();
        if (scan_.rest_items == 0 && index == scan_.whole_vectors - 1) scan_.write_end(end);
      }
      if constexpr (!to_array) {
        out_rows::store_elements(boundary, first_, count_, row, results);
      } else if (scan_.out_aligned) {
        out_rows::store(boundary, first_, count_, row, results);
      } else if constexpr (out_rows::in_granules) {
        granules.store(row, results);
      } else {
        out_rows::store_elements(boundary, first_, count_, row, results);
      }
      if (rest_place_ == row * warp_size + lane_index()) before_rest = before_vector(row);
    }
    if constexpr (to_array) {
      if (!scan_.out_aligned && out_rows::in_granules) granules.store_ends();
    }
    if (rest_place_ >= 0 && rest_place_ % warp_size == lane_index()) store_rest(before_rest);
  }

 private:
  static constexpr bool from_array = is_array<decltype(Problem::in)>;
  static constexpr bool to_array = is_array<decltype(Problem::out)>;

  template <class Out>
  __device__ typename out_rows::granule_store granules_of(Out* boundary) const {
    return {boundary, first_, count_, ends(), {}};
  }
  template <class Cursor>
  __device__ int granules_of(const Cursor&) const {  // nobody asks for any
    return 0;
  }
  __device__ granule_ends& ends() const { return memory_.ends[warp_index()]; }

  __device__ void load() {
    const auto boundary = scan_.boundary(scan_.in.data);
    if constexpr (!from_array) {
      in_rows::load_elements(boundary, first_, count_, share_);
    } else if (scan_.in_aligned) {
      in_rows::load(boundary, first_, count_, share_);
    } else if constexpr (in_rows::in_granules) {
      in_rows::load_granules(scan_.in.data, scan_.num_items, first_, count_, share_, ends());
    } else {
      in_rows::load_elements(boundary, first_, count_, share_);
    }
    if (rest_place_ >= 0 && lane_index() < scan_.rest_items) {
      memory_.rest[lane_index()] = *scan_.rest_item(boundary, lane_index());
    }
  }

  /// Folds the thread's vectors and scans these across the warp.
  __device__ void scan_warp() {
#pragma unroll
    for (int row = 0; row < rows; ++row) runs_.put(row, fold_vector(row));
    const T aggregate = runs_.scan(count_, scan_.op);
    if (lane_index() == 0) memory_.warp_aggregates[warp_index()] = aggregate;
  }
  __device__ T fold_vector(int row) const {
    return vectors_.fold(scan_, {share_[row]}, in_rows::exists(row, count_), row, place_of(row));
  }
  /// Of the lane's vector, among those of the tile.
  __device__ static int place_of(int row) {
    return (warp_index() * rows + row) * warp_size + lane_index();
  }

  /// The items that fill no vector, after `running`. A loop, because code that comes cold costs
  /// more than its steps.
  __device__ void store_rest(prefix<T> running) const {
    const auto boundary = scan_.boundary(scan_.out.data);
    const int place = warp_index() * rows * warp_size + rest_place_;
#pragma unroll 1
    for (int i = 0; i < scan_.rest_items; ++i) {
      *scan_.rest_item(boundary, i) =
          vectors_.scan_item(scan_, memory_.rest[i], running, place * vector_items + i);
    }
    scan_.write_end(running);
  }

  const Problem& scan_;
  shared& memory_;
  vectors vectors_;
  vector_index first_;  // the warp's first vector
  int count_;           // the warp's vectors, without the rest
  int rest_place_;      // among the warp's vectors, of what fills none; or -1
  typename in_rows::vector share_[rows];
  runs runs_;
  warps_scan<T> warps_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
