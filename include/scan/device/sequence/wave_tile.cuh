// A scan as the kernels take it whose blocks hold one tile each.
#ifndef SCAN_DEVICE_SEQUENCE_WAVE_TILE_CUH
#define SCAN_DEVICE_SEQUENCE_WAVE_TILE_CUH

#include <cstdint>

#include "scan/call/problem.hpp"
#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/fold/warp_scan.cuh"
#include "scan/device/move/stripe_io.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/plan/sequence_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block does with the vectors of a tile: of a single sequence wherever they are. They are
/// told a vector's stripe and which of the tile's it is, or of an item which.
template <class Problem>
struct wave_vectors : vector_scan<Problem, Problem::vector_items> {
  using base = vector_scan<Problem, Problem::vector_items>;
  using T = typename Problem::T;
  using in_vectors = typename base::vectors;

  __device__ void enter(const Problem&, std::int64_t, int) {}
  __device__ T fold(const Problem& scan, const in_vectors& from, bool exists, int, int) const {
    return base::fold(scan, from, exists);
  }
  __device__ prefix<T> scan(const Problem& scan, const in_vectors& from, const prefix<T>& before,
                            typename base::out_vector& results, int, int) const {
    return base::scan(scan, from, before, results);
  }
  __device__ auto scan_item(const Problem& scan, const typename base::item& item,
                            prefix<T>& running, int) const {
    return device::scan_item(scan, item, running);
  }
};

/// One scan in tiles of `tile_vectors` vectors; `Tuning` is a tuned::wave. Item numbers are those
/// of `problem`.
template <class Tuning, class Problem>
struct wave_cut : Problem {
  static constexpr int stripes = Tuning::stripes;
  static constexpr int vector_items = Tuning::vector_items;
  static constexpr int most_threads = Tuning::most_threads;
  static constexpr int lone_bytes = Tuning::lone_bytes;
  using lookers = block_lookers<typename Problem::T, most_threads / 32>;
  using vectors = wave_vectors<wave_cut>;
  using vector_index = int;
  static constexpr int halo_warps = 0;
  /// The barrier of those who hold a tile: all.
  __device__ static void meet() { __syncthreads(); }

  int tile_vectors;
  int whole_vectors;
  int rest_items;   // at the end, fewer than a vector
  bool in_aligned;  // see vector_aligned
  bool out_aligned;

  __host__ __device__ wave_cut(const Problem& scan, int tile_vectors)
      : Problem(scan),
        tile_vectors(tile_vectors),
        whole_vectors(static_cast<int>(scan.num_items / vector_items)),
        rest_items(static_cast<int>(scan.num_items % vector_items)),
        in_aligned(vector_aligned(boundary(scan.in.data), vector_items)),
        out_aligned(vector_aligned(boundary(scan.out.data), vector_items)) {}

  /// Vectors are counted from here.
  template <class Data>
  __host__ __device__ Data boundary(Data data) const {
    return Problem::reversed ? data + this->num_items : data;
  }
  /// Item `i` of those after the last whole vector.
  template <class Data>
  __device__ Data rest_item(Data boundary, int i) const {
    const std::int64_t item = static_cast<std::int64_t>(whole_vectors) * vector_items + i;
    return Problem::reversed ? boundary - 1 - item : boundary + item;
  }
};

// ---- A tile of the wave: a block holds it in registers from its one load to its one store.
//
// Tiles are as many vectors each, so none is smaller but the last. A thread holds `stripes`
// vectors: vector l of stripe r of warp w is the tile's vector (w * stripes + r) * 32 + l. What
// fills no vector at the end of the input is held by the thread whose vector it would be, and joins
// in no fold: nothing comes after it.
//
// A problem may want a halo: then the block's first warps hold vectors before the tile, and fold
// them, to see whether segments begin there.

/// `Problem` is a wave_cut or segment_tiles; blocks may have any whole number of warps up to its
/// most.
template <class Problem>
class wave_tile {
 public:
  using T = typename Problem::T;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  static constexpr int stripes = Problem::stripes, vector_items = Problem::vector_items;
  static constexpr int num_inputs = Problem::num_inputs;
  static constexpr int most_warps = Problem::most_threads / warp_size;
  static constexpr int warp_items = stripes * warp_size * vector_items;
  using in_stripes =
      stripe_io<in_type, vector_items, Problem::reversed, stripes, Problem::lone_bytes>;
  using out_stripes =
      stripe_io<out_type, vector_items, Problem::reversed, stripes, Problem::lone_bytes>;
  using runs = warp_runs<T, stripes>;
  using vectors = typename Problem::vectors;
  using vector_index = typename Problem::vector_index;
  struct shared {
    shared_array<T, most_warps> warp_aggregates;
    granule_ends ends[most_warps];
    shared_array<in_type, num_inputs * vector_items> rest;
    typename runs::shared warp_runs[most_warps];
  };

  /// Loads tile `tile` and scans inside it. All threads.
  __device__ wave_tile(const Problem& scan, vector_index tile, shared& memory,
                       const vectors& with = {})
      : scan_(scan), memory_(memory), vectors_(with), runs_(memory.warp_runs[warp_index()]) {
    const vector_index first = tile * scan.tile_vectors;
    const int num_whole =
        valid_of(max(scan.whole_vectors - first, vector_index{0}), scan.tile_vectors);
    const int warp_first = (warp_index() - scan.halo_warps) * stripes * warp_size;
    first_ = first + warp_first;
    count_ = max(min(num_whole - warp_first, stripes * warp_size), 0);
    if (scan.halo_warps > 0 && first_ < 0) count_ = 0;
    const int place = num_whole - warp_first;
    const bool in_tile = scan.rest_items > 0 && first + scan.tile_vectors > scan.whole_vectors;
    rest_place_ = in_tile && place >= 0 && place < stripes * warp_size ? place : -1;
    load();
    const int num_items = num_whole * vector_items + (in_tile ? scan.rest_items : 0);
    const int halo_items = scan.halo_warps * stripes * warp_size * vector_items;
    vectors_.enter(scan, static_cast<std::int64_t>(first) * vector_items - halo_items,
                   num_items + halo_items);
    scan_warp();
    Problem::meet();
    warps_ = scan_warp_aggregates<most_warps>(
        memory.warp_aggregates, (num_whole + stripes * warp_size - 1) / (stripes * warp_size),
        scan.op, scan.halo_warps);
  }

  /// The fold of the tile's whole vectors.
  __device__ const T& aggregate() const { return warps_.aggregate; }
  /// Whether what precedes the tile changes nothing of the warp's.
  __device__ bool absorbs() const {
    return warps_.before_warp.exists && absorbs_earlier(scan_.op, warps_.before_warp.value);
  }

  /// The fold of the halo of tile `tile`, if what comes before that changes nothing; else absent.
  __device__ prefix<T> halo(vector_index tile) const {
    const auto before = static_cast<int>(tile * scan_.tile_vectors / (stripes * warp_size));
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
    const auto before_vector = [&](int stripe) {
      return join(before_warp, {runs_.before(stripe), stripe > 0 || lane_index() > 0}, scan_.op);
    };
    const auto boundary = scan_.boundary(scan_.out.data);
    [[maybe_unused]] auto granules = granules_of(boundary);
    prefix<T> before_rest = before_warp;
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      typename out_stripes::vector results;
      if (out_stripes::exists(stripe, count_)) {
        const prefix<T> end = vectors_.scan(scan_, vectors_of(stripe), before_vector(stripe),
                                            results, stripe, place_of(stripe));
        const vector_index index = first_ + stripe * warp_size + lane_index();
        if (scan_.rest_items == 0 && index == scan_.whole_vectors - 1) scan_.write_end(end);
      }
      if constexpr (!to_array) {
        out_stripes::store_elements(boundary, first_, count_, stripe, results);
      } else if (scan_.out_aligned) {
        out_stripes::store(boundary, first_, count_, stripe, results);
      } else if constexpr (out_stripes::in_granules) {
        granules.store(stripe, results);
      } else {
        out_stripes::store_elements(boundary, first_, count_, stripe, results);
      }
      if (rest_place_ == stripe * warp_size + lane_index()) before_rest = before_vector(stripe);
    }
    if constexpr (to_array) {
      if (!scan_.out_aligned && out_stripes::in_granules) granules.store_ends();
    }
    if (rest_place_ >= 0 && rest_place_ % warp_size == lane_index()) store_rest(before_rest);
  }

 private:
  static constexpr bool from_array = is_array<decltype(Problem::in)>;
  static constexpr bool to_array = is_array<decltype(Problem::out)>;

  template <class Out>
  __device__ typename out_stripes::granule_store granules_of(Out* boundary) const {
    return {boundary, first_, count_, ends(), {}};
  }
  template <class Cursor>
  __device__ int granules_of(const Cursor&) const {  // nobody asks for any
    return 0;
  }
  __device__ granule_ends& ends() const { return memory_.ends[warp_index()]; }

  __device__ void load() {
    load_array<0>(scan_.in.data, scan_.in_aligned);
    if constexpr (num_inputs > 1) {
      __syncwarp();  // the ends of the first are read
      const in_type* const second = scan_.input(1);
      load_array<1>(second, vector_aligned(scan_.boundary(second), vector_items));
    }
  }
  template <int which, class Data>
  __device__ void load_array(const Data& data, bool aligned) {
    auto& part = part_[which];
    const auto boundary = scan_.boundary(data);
    if constexpr (!from_array) {
      in_stripes::load_elements(boundary, first_, count_, part);
    } else if (aligned) {
      in_stripes::load(boundary, first_, count_, part);
    } else if constexpr (in_stripes::in_granules) {
      in_stripes::load_granules(data, scan_.num_items, first_, count_, part, ends());
    } else {
      in_stripes::load_elements(boundary, first_, count_, part);
    }
    if (rest_place_ >= 0 && lane_index() < scan_.rest_items) {
      memory_.rest[which * vector_items + lane_index()] = *scan_.rest_item(boundary, lane_index());
    }
  }
  __device__ typename vectors::in_vectors vectors_of(int stripe) const {
    typename vectors::in_vectors of{{}, scan_.in_common()};
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) of.of[which] = part_[which][stripe];
    return of;
  }
  /// Item i of the rest.
  __device__ typename vectors::base::item rest_item(int i) const {
    typename vectors::base::item item{{}, scan_.in_common()};
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      item.elements[which] = memory_.rest[which * vector_items + i];
    }
    return item;
  }

  /// Folds the thread's vectors and scans these across the warp.
  __device__ void scan_warp() {
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) runs_.put(stripe, fold_vector(stripe));
    const T aggregate = runs_.scan(count_, scan_.op);
    if (lane_index() == 0) memory_.warp_aggregates[warp_index()] = aggregate;
  }
  __device__ T fold_vector(int stripe) const {
    return vectors_.fold(scan_, vectors_of(stripe), in_stripes::exists(stripe, count_), stripe,
                         place_of(stripe));
  }
  /// Of the lane's vector, among those of the tile.
  __device__ static int place_of(int stripe) {
    return (warp_index() * stripes + stripe) * warp_size + lane_index();
  }

  /// The items that fill no vector, after `running`. A loop, because code that comes cold costs
  /// more than its steps.
  __device__ void store_rest(prefix<T> running) const {
    const auto boundary = scan_.boundary(scan_.out.data);
    const int place = warp_index() * stripes * warp_size + rest_place_;
#pragma unroll 1
    for (int i = 0; i < scan_.rest_items; ++i) {
      *scan_.rest_item(boundary, i) =
          vectors_.scan_item(scan_, rest_item(i), running, place * vector_items + i);
    }
    scan_.write_end(running);
  }

  const Problem& scan_;
  shared& memory_;
  vectors vectors_;
  vector_index first_;  // the warp's first vector
  int count_;           // the warp's vectors, without the rest
  int rest_place_;      // among the warp's vectors, of what fills none; or -1
  typename in_stripes::vector part_[num_inputs][stripes];
  runs runs_;
  warps_scan<T> warps_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
