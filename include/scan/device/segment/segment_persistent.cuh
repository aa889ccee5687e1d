// A segmented scan as the kernel takes it whose blocks hold one tile after another in registers.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_PERSISTENT_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_PERSISTENT_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/segment/segment_items.cuh"
#include "scan/device/segment/segment_problem.cuh"
#include "scan/device/segment/tile_heads.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The offsets of a call, in scan order: see boundaries. How wide they are is known when the kernel
/// runs, and reading them takes no branch, which would wait for each of several loads.
template <bool reversed>
struct any_boundaries {
  const std::uint32_t* words;
  bool wide;
  std::int64_t num_segments;
  item_range range{};

  __device__ std::int64_t raw(std::int64_t j) const {
    const std::uint32_t* const at = words + (wide ? 2 * j : j);
    const std::uint32_t low = at[0];
    std::uint32_t high = 0;
    if (wide) high = at[1];
    return static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
  }
  __device__ std::int64_t offset(std::int64_t j) const {
    return raw(offset_index<reversed>(j, num_segments));
  }
  __device__ std::int64_t place_of(std::int64_t offset) const {
    return item_at<reversed>(offset, range.first, range.count);
  }
  __device__ std::int64_t operator()(std::int64_t j) const { return place_of(offset(j)); }
  /// Of segment j in scan order its number among the caller's.
  __device__ std::int64_t segment(std::int64_t j) const {
    return reversed ? num_segments - 1 - j : j;
  }

  /// The last boundary that is not behind `item`, from `first` on, which is not; but not the end.
  __device__ std::int64_t last_at(std::int64_t item, std::int64_t first) const {
    std::int64_t step = 1;
    while (first + step < num_segments && (*this)(first + step) <= item) {
      first += step;
      step *= 2;
    }
    for (; step > 0; step /= 2) {
      if (first + step < num_segments && (*this)(first + step) <= item) first += step;
    }
    return first;
  }
};

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
  using boundaries_type = any_boundaries<Segments::reversed>;

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
    if (!has_offsets(this->heads)) return {0, this->num_items};
    const boundaries_type boundary = boundaries();
    return {boundary.raw(0), boundary.raw(boundary.num_segments)};
  }
  __device__ segment_persistent resolved(const device::offset_ends& ends) const {
    segment_persistent here = *this;
    const item_range range = range_between(ends.begin, ends.end, this->num_items);
    here.in.data = here.in.data + range.first;
    here.out.data = here.out.data + range.first;
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
  /// Of offsets.
  __device__ boundaries_type boundaries() const {
    if constexpr (std::is_same_v<typename Segments::Heads, segment_heads>) {
      return {static_cast<const std::uint32_t*>(this->heads.data),
              are_wide_offsets(this->heads.kind),
              this->heads.num_segments,
              {this->origin, this->num_items}};
    } else {
      return {};
    }
  }

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

  /// What begins segment j of those in scan order.
  __device__ V init_of(std::int64_t segment) const {
    return this->init_pointer == nullptr ? this->first_output
                                         : this->as_operand(this->init_pointer[segment]);
  }
  /// The fold of a segment's beginning and its first item.
  __device__ V begun(std::int64_t segment, const V& item) const {
    if (this->init_pointer == nullptr) return this->begin(item, true);
    return static_cast<V>(this->op.op(init_of(segment), item));
  }
  __device__ void write_total(std::int64_t segment, const V& value) const {
    if (this->total != nullptr) this->total[segment] = this->as_value(value);
  }
  /// The totals of segments without items, of as many offsets a block.
  __device__ void write_empty_totals() const {
    if (this->total == nullptr) return;
    const boundaries_type boundary = boundaries();
    const std::int64_t num_blocks = gridDim.x, all = boundary.num_segments;
    const std::int64_t each = (all + num_blocks - 1) / num_blocks, begin = blockIdx.x * each;
    const std::int64_t end = min(begin + each, all);
    for (std::int64_t s = begin + threadIdx.x; s < end; s += num_holders()) {
      if (boundary.raw(s) == boundary.raw(s + 1)) write_total(s, init_of(s));
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
