// A segmented scan as the kernel takes it that scans all of it in one round of blocks, a tile each.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_ROUND_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_ROUND_CUH

#include <cstdint>

#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/segment/round_heads.cuh"
#include "scan/device/segment/segment_items.cuh"
#include "scan/device/segment/segment_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The offsets of a call of fewer than 2^31 elements, in scan order: see boundaries. Those that are
/// as they should be fit 31 bits, so of wide ones the lower half is read, whatever the upper one
/// is.
template <bool reversed>
struct round_boundaries {
  const std::uint32_t* words;
  int wide;  // 1 or 0
  std::int64_t num_segments;
  std::uint32_t first, count;  // the range of the items

  __device__ std::uint32_t offset(std::int64_t j) const {
    return words[offset_index<reversed>(j, num_segments) << wide];
  }
  __device__ int place_of(std::uint32_t offset) const {
    return static_cast<int>(item_at<reversed>(offset, first, count));
  }
  __device__ int operator()(std::int64_t j) const { return place_of(offset(j)); }
  /// Of segment j in scan order its number among the caller's.
  __device__ std::int64_t segment(std::int64_t j) const {
    return reversed ? num_segments - 1 - j : j;
  }
};

/// Bytes of an array of which some blocks ask for as many each.
struct shared_bytes {
  static constexpr unsigned line = 128;
  unsigned all, each;

  shared_bytes(std::int64_t num_bytes, std::int64_t num_blocks)
      : all(static_cast<unsigned>(num_bytes)),
        each(static_cast<unsigned>(num_bytes / line / num_blocks + 1) * line) {}
};

/// `Tuning` is a segment_round_tuning. On the host it knows how many items there may be; resolved()
/// knows the rest.
template <class Tuning, class Segments>
struct segment_round : Segments {
  using typename Segments::T;
  static constexpr int stripes = Tuning::stripes;
  static constexpr int vector_items = Tuning::vector_items;
  static constexpr int most_threads = Tuning::most_threads;
  static constexpr int lone_bytes = Tuning::lone_bytes;
  static constexpr int tile_items =
      most_threads * stripes * vector_items;  // at most, halo included
  static constexpr bool has_values = false;
  static constexpr bool has_totals = gives_totals<Segments>;
  using heads_type = round_heads<segment_round>;
  using vectors = segment_vectors<segment_round>;
  using vector_index = int;
  using boundaries_type = round_boundaries<Segments::reversed>;
  __device__ static void meet() { __syncthreads(); }

  int tile_vectors;
  int halo_warps;  // see wave_tile
  int whole_vectors = 0;
  int rest_items = 0;  // at the end, fewer than a vector
  bool in_aligned = false, out_aligned = false;
  std::int64_t sample_step;        // of offsets
  shared_bytes items, head_words;  // to prefetch

  segment_round(const Segments& scan, int tile_vectors, int halo_warps, std::int64_t sample_step,
                shared_bytes items, shared_bytes head_words)
      : Segments(scan),
        tile_vectors(tile_vectors),
        halo_warps(halo_warps),
        sample_step(sample_step),
        items(items),
        head_words(head_words) {}

  /// Of offsets; before it is known where they begin.
  __device__ boundaries_type boundaries() const {
    if constexpr (std::is_same_v<typename Segments::Heads, segment_heads>) {
      return {static_cast<const std::uint32_t*>(this->heads.data),
              are_wide_offsets(this->heads.kind) ? 1 : 0, this->heads.num_segments,
              static_cast<std::uint32_t>(this->origin),
              static_cast<std::uint32_t>(this->num_items)};
    } else {
      return {};
    }
  }
  /// (Who uses what it returns waits for it.)
  __device__ item_range offset_ends() const {
    if (!has_offsets(this->heads)) return {0, items_of(this->heads)};
    const boundaries_type all = boundaries();
    return {static_cast<std::int32_t>(all.words[0]),
            static_cast<std::int32_t>(all.words[all.num_segments << all.wide])};
  }
  /// `ends`: from one to the other, whatever they are.
  __device__ segment_round resolved(const item_range& ends) const {
    segment_round here = *this;
    const auto [first, count] =
        range_between(static_cast<int>(ends.first), static_cast<int>(ends.count),
                      static_cast<int>(this->num_items));
    here.move_by(first);
    here.num_items = count;
    here.origin = first;
    here.whole_vectors = count / vector_items;
    here.rest_items = count % vector_items;
    here.in_aligned = vector_aligned(here.boundary(here.in.data), vector_items);
    here.out_aligned = vector_aligned(here.boundary(here.out.data), vector_items);
    return here;
  }
  /// Asks the L2 for what of all that is read will about be the block's own tile. All threads, at
  /// any time: what others write meanwhile is what they will find.
  __device__ void prefetch() const {
    prefetch_own(this->in.data, items);
    prefetch_own(data_of(this->heads), head_words);
  }
  __device__ int num_vectors() const { return whole_vectors + (rest_items > 0 ? 1 : 0); }

  /// The total of the segment of items [begin, end): the result of its last one, or, of an
  /// exclusive scan, that and the element, by the operation that an inclusive one has there.
  __device__ void write_total_of(std::int64_t segment, int begin, int end) const {
    const auto last = Segments::reversed ? this->num_items - end : end - 1;
    typename Segments::V folded = this->as_operand(this->out.data[last]);
    if (this->exclusive) {
      folded = this->follow(folded, this->taken(this->in.data[last]), begin == end - 1);
    }
    this->write_total(segment, folded);
  }

  // As a wave_cut.
  template <class U>
  __device__ U* boundary(U* data) const {
    return Segments::reversed ? data + this->num_items : data;
  }
  template <class U>
  __device__ U* rest_item(U* boundary, int i) const {
    const int item = whole_vectors * vector_items + i;
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
