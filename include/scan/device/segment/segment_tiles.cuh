// A segmented scan as the kernel of one round takes it: a tile a block, which holds it in
// registers.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_TILES_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_TILES_CUH

#include <cstdint>

#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/segment/any_boundaries.cuh"
#include "scan/device/segment/segment_items.cuh"
#include "scan/device/segment/segment_problem.cuh"
#include "scan/device/segment/tile_heads.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Bytes of an array of which some blocks ask for as many each.
struct shared_bytes {
  static constexpr unsigned line = 128;
  unsigned all, each;

  shared_bytes(std::int64_t num_bytes, std::int64_t num_blocks)
      : all(static_cast<unsigned>(num_bytes)),
        each(static_cast<unsigned>(num_bytes / line / num_blocks + 1) * line) {}
};

/// `Tuning` is a segment_tuning. On the host it knows how many items there may be; resolved() knows
/// the rest.
template <class Tuning, class Segments>
struct segment_tiles : Segments {
  using typename Segments::T;
  using typename Segments::V;
  static constexpr int stripes = Tuning::stripes;
  static constexpr int vector_items = Tuning::vector_items;
  static constexpr int most_threads = Tuning::most_threads;
  static constexpr int lone_bytes = Tuning::lone_bytes;
  static constexpr int tile_items =
      most_threads * stripes * vector_items;  // at most, halo included
  /// Whether blocks keep a value of each item in shared memory: the init of the segment that begins
  /// there, then the fold that a total is.
  static constexpr bool has_values = Tuning::has_values;
  using Segments::has_numbers;
  static constexpr bool has_totals = has_values ? has_numbers : gives_totals<Segments>;
  using heads_type = tile_heads<segment_tiles>;
  using vectors = segment_vectors<segment_tiles>;
  using vector_index = int;  // there are fewer than 2^31 items
  using boundaries_type = any_boundaries<Segments::reversed, std::uint32_t>;
  __device__ static void meet() { __syncthreads(); }

  int tile_vectors;
  int halo_warps;  // see wave_tile
  vector_index whole_vectors = 0;
  int rest_items = 0;  // at the end, fewer than a vector
  bool in_aligned = false, out_aligned = false;
  std::int64_t sample_step;               // of offsets
  shared_bytes items, head_words, inits;  // to prefetch

  segment_tiles(const Segments& scan, int tile_vectors, int halo_warps, std::int64_t sample_step,
                shared_bytes items, shared_bytes head_words, shared_bytes inits)
      : Segments(scan),
        tile_vectors(tile_vectors),
        halo_warps(halo_warps),
        sample_step(sample_step),
        items(items),
        head_words(head_words),
        inits(inits) {}

  /// Of offsets; before it is known where they begin.
  __device__ boundaries_type boundaries() const {
    if constexpr (!has_numbers) {
      return {};
    } else {
      int wide = are_wide_offsets(this->heads.kind) ? 1 : 0;
      hold(wide);
      return {
          static_cast<const std::uint32_t*>(this->heads.data),
          wide,
          this->heads.num_segments,
          {static_cast<std::uint32_t>(this->origin), static_cast<std::uint32_t>(this->num_items)}};
    }
  }
  /// From the first to the last offset, or of all items. (Who uses what it returns waits for it.)
  struct offset_ends {
    vector_index begin, end;
  };
  __device__ offset_ends ends() const {
    if (!has_offsets(this->heads)) return {0, static_cast<vector_index>(items_of(this->heads))};
    const boundaries_type all = boundaries();
    return {static_cast<vector_index>(all.raw(0)),
            static_cast<vector_index>(all.raw(all.num_segments))};
  }
  /// `ends`: whatever they are.
  __device__ segment_tiles resolved(const offset_ends& ends) const {
    segment_tiles here = *this;
    const auto [first, count] =
        range_between(ends.begin, ends.end, static_cast<vector_index>(this->num_items));
    here.move_by(first);
    here.num_items = count;
    here.origin = first;
    here.whole_vectors = count / vector_items;
    here.rest_items = static_cast<int>(count % vector_items);
    here.in_aligned = vector_aligned(here.boundary(here.in.data), vector_items);
    here.out_aligned = vector_aligned(here.boundary(here.out.data), vector_items);
    return here;
  }
  /// Asks the L2 for what of all that is read will about be the block's own tile. All threads, at
  /// any time: what others write meanwhile is what they will find.
  __device__ void prefetch() const {
    if constexpr (in_arrays<typename Segments::Values>) {
#pragma unroll
      for (int i = 0; i < Segments::num_inputs; ++i) prefetch_own(this->input(i), items);
    }
    if constexpr (are_in_array<typename Segments::Heads>) {
      prefetch_own(data_of(this->heads), head_words);
    }
    if constexpr (has_values) {
      if (this->init_pointer != nullptr) prefetch_own(this->init_pointer, inits);
    }
  }
  __device__ vector_index num_vectors() const { return whole_vectors + (rest_items > 0 ? 1 : 0); }

  /// The total of the segment of items [begin, end) where no values are kept: the result of its
  /// last one, or, of an exclusive scan, that and the element, by the operation that an inclusive
  /// one has there.
  __device__ void write_total_of(std::int64_t segment, int begin, int end) const {
    const auto last = Segments::reversed ? this->num_items - end : end - 1;
    typename Segments::V folded = this->as_operand(this->out.data[last]);
    if (this->exclusive) {
      folded = this->follow(folded, this->taken(this->in.data[last]), begin == end - 1);
    }
    this->write_total(segment, folded);
  }

  // As a wave_cut.
  template <class Data>
  __device__ Data boundary(Data data) const {
    return Segments::reversed ? data + this->num_items : data;
  }
  template <class Data>
  __device__ Data rest_item(Data boundary, int i) const {
    const vector_index item = whole_vectors * vector_items + i;
    return Segments::reversed ? boundary - 1 - item : boundary + item;
  }

 private:
  __device__ static void prefetch_own(const void* array, const shared_bytes& of) {
    const unsigned block = Segments::reversed ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const unsigned begin = of.each * block, end = min(begin + of.each, of.all);
    for (unsigned at = begin + threadIdx.x * shared_bytes::line; at < end;
         at += blockDim.x * shared_bytes::line) {
      prefetch_line(static_cast<const unsigned char*>(array) + at);
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
