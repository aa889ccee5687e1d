// A segmented scan as the kernel takes it whose blocks hold one tile after another in registers.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_PERSISTENT_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_PERSISTENT_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/segment/any_boundaries.cuh"
#include "scan/device/segment/segment_items.cuh"
#include "scan/device/segment/segment_problem.cuh"
#include "scan/device/segment/tile_heads.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The first and the last offset, or those of all items.
struct offset_ends {
  std::int64_t begin, end;
};

/// One scan in tiles of `tile_vectors` vectors; `Tuning` is a segment_tuning. On the host it knows
/// how many there may be; resolved() knows the rest.
template <class Tuning, class Segments>
struct segment_persistent : Segments {
  using typename Segments::T;
  using typename Segments::V;
  static constexpr int stripes = Tuning::stripes;
  static constexpr int vector_items = Tuning::vector_items;
  static constexpr int most_threads = Tuning::most_threads;
  static constexpr int lone_bytes = Tuning::lone_bytes;
  static constexpr int valued_items = Tuning::valued_items;
  static constexpr int tile_items = most_threads * stripes * vector_items;  // at most
  /// Whether the kernel serves segments with values of their own.
  static constexpr bool has_values = std::is_same_v<typename Segments::Heads, segment_heads>;
  using heads_type = tile_heads<segment_persistent>;
  using vectors = segment_vectors<segment_persistent>;
  using vector_index = std::int64_t;
  static constexpr int halo_warps = 0;
  using typename Segments::boundaries_type;

  /// Those who hold a tile are all threads but the last warp's.
  __device__ static int num_holders() { return static_cast<int>(blockDim.x) - warp_size; }
  __device__ static named_barrier<1> holders() { return {num_holders()}; }
  __device__ static void meet() { holders().meet(); }

  int tile_vectors;
  std::int64_t num_tiles;
  std::int64_t whole_vectors = 0;
  int rest_items = 0;  // at the end, fewer than a vector
  bool in_aligned = false, out_aligned = false;

  segment_persistent(const Segments& scan, int tile_vectors, std::int64_t num_tiles)
      : Segments(scan), tile_vectors(tile_vectors), num_tiles(num_tiles) {}

  /// (Who uses what it returns waits for it.)
  __device__ device::offset_ends offset_ends() const {
    if (!has_offsets(this->heads)) return {0, items_of(this->heads)};
    const boundaries_type boundary = this->boundaries();
    return {boundary.raw(0), boundary.raw(boundary.num_segments)};
  }
  __device__ segment_persistent resolved(const device::offset_ends& ends) const {
    segment_persistent here = *this;
    const item_range range = range_between(ends.begin, ends.end, this->num_items);
    here.move_by(range.first);
    here.num_items = range.count;
    here.origin = range.first;
    here.whole_vectors = range.count / vector_items;
    here.rest_items = static_cast<int>(range.count % vector_items);
    here.in_aligned = vector_aligned(here.boundary(here.in.data), vector_items);
    here.out_aligned = vector_aligned(here.boundary(here.out.data), vector_items);
    const std::int64_t vectors = here.whole_vectors + (here.rest_items > 0 ? 1 : 0);
    here.num_tiles = (vectors + tile_vectors - 1) / tile_vectors;
    return here;
  }

  /// Whether each segment has an init or a total of its own.
  __device__ bool valued() const { return this->init_pointer != nullptr || this->total != nullptr; }
  // As a wave_cut.
  template <class Data>
  __device__ Data boundary(Data data) const {
    return Segments::reversed ? data + this->num_items : data;
  }
  template <class Data>
  __device__ Data rest_item(Data boundary, int i) const {
    const std::int64_t item = whole_vectors * vector_items + i;
    return Segments::reversed ? boundary - 1 - item : boundary + item;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
