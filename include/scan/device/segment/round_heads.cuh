// Where segments begin in a block's only tile: a bit an item of each thread's own vectors.
//
// By keys and flags a thread reads those of its own items, beside which they lie. By offsets the
// block marks a byte an item in shared memory. As many offsets as there are threads are read before
// the block knows its tile, so that what is in a tile is known, a little generously, without
// another trip to memory; or at once, where there are no more.
#ifndef SCAN_DEVICE_SEGMENT_ROUND_HEADS_CUH
#define SCAN_DEVICE_SEGMENT_ROUND_HEADS_CUH

#include <cstdint>

#include "scan/device/segment/boundary_search.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/round_marks.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A thread's, of a block's. `Problem` is a segment_round.
template <class Problem>
class round_heads {
  static constexpr int stripes = Problem::stripes, vector_items = Problem::vector_items;
  static constexpr bool numbered = std::is_same_v<typename Problem::Heads, segment_heads>;
  static constexpr int vector_bytes = numbered ? vector_items : 1;
  using boundaries = typename Problem::boundaries_type;
  using vector_marks = memory_word<vector_bytes>;

 public:
  struct shared {
    /// A byte an item.
    alignas(16) unsigned char marks[numbered ? Problem::tile_items : 16];
    /// Of offsets: boundaries [begin, end] may be in the tile, or right behind it.
    std::int64_t begin, end;
  };

  __device__ explicit round_heads(shared& memory) : memory_(memory) {}

  /// Before all else, and a barrier.
  __device__ void clear() const {
    if constexpr (numbered) {
#pragma unroll
      for (int stripe = 0; stripe < stripes; ++stripe) marks_of(place_of(stripe)) = {};
    }
  }
  /// Reads the thread's sample of `boundary`, of which it is not known yet where items begin.
  __device__ void sample(const boundaries& boundary, std::int64_t step) {
    const std::int64_t j = (std::int64_t{threadIdx.x} + 1) * step - 1;
    has_sample_ = j < boundary.num_segments;
    if (has_sample_) sample_ = boundary.offset(j);
  }

  /// Finds the heads of the items [first, first + num_items), which may begin before the first. All
  /// threads.
  __device__ void mark(const Problem& scan, std::int64_t first, int num_items) {
    const int item = static_cast<int>(first);
    bool by_offsets = false;
    if constexpr (numbered) by_offsets = has_offsets(scan.heads);
    if (by_offsets) {
      if constexpr (numbered) mark_boundaries(scan, item, num_items);
    } else {
      with_source<Problem::reversed>(scan.heads, {}, [&](const auto& marks) {
        if constexpr (!is_boundaries<std::decay_t<decltype(marks)>>) {
          round_marks<std::decay_t<decltype(marks)>, stripes, vector_items, Problem::reversed>{
              marks, static_cast<int>(scan.num_items), item, num_items}
              .bits(bits_, rest_);
        }
      });
    }
  }

  /// Where totals are wanted, writes those of the segments that end in tile `tile`, and the block's
  /// share of those of empty segments. All threads, when they have stored results.
  __device__ void write_totals(const Problem& scan, int tile) const {
    if constexpr (Problem::has_totals) {
      if (scan.total == nullptr) return;
      const boundaries boundary = scan.boundaries();
      scan.write_empty_totals(boundary, blockDim.x);
      __syncthreads();  // all results are in memory
      const int own_items = scan.tile_vectors * vector_items, first = tile * own_items;
      const int behind = min(first + own_items, static_cast<int>(scan.num_items));
      if (first >= behind) return;
      for (std::int64_t lead = max(memory_.begin, std::int64_t{1}); lead <= memory_.end;) {
        const std::int64_t j = lead + threadIdx.x;
        if (j <= memory_.end) {
          const int begun = boundary(j - 1), ended = boundary(j);
          if (begun < ended && ended > first && ended <= behind) {
            scan.write_total_of(boundary.segment(j - 1), begun, ended);
          }
        }
        lead += blockDim.x;
        if (lead + at_once * blockDim.x <= memory_.end && boundary(lead - 1) == boundary(lead)) {
          lead = lower_bound(boundary, lead, memory_.end, std::int64_t{boundary(lead)} + 1);
        }
      }
    }
  }

  template <int count>
  __device__ own_heads of(int stripe, int) const {
    return {bits_[stripe]};
  }
  /// Of an item that is in no whole vector; its warp's business.
  __device__ bool is_head(int place) const { return (rest_ >> place % vector_items & 1) != 0; }
  /// Whether item `place` is a head; where heads are told by offsets, and by any thread.
  __device__ bool is_marked(int place) const { return numbered && memory_.marks[place] != 0; }
  /// Whether the first warp's first item is a head, which is in a whole vector or not; its
  /// business.
  __device__ bool begin(bool has_whole) const {
    return (shuffle(has_whole ? bits_[0] : rest_, 0) & 1) != 0;
  }

 private:
  static constexpr int at_once = stripes == 1 ? 4 : 8;

  __device__ static int place_of(int stripe) { return own_vector<stripes>(stripe); }
  __device__ vector_marks& marks_of(int vector) const {
    return reinterpret_cast<vector_marks*>(memory_.marks)[vector];
  }

  __device__ void mark_boundaries(const Problem& scan, int first, int num_items) {
    const boundaries boundary = scan.boundaries();
    const std::int64_t step = scan.sample_step;
    const int mine = boundary.place_of(sample_);
    const int end = first + num_items;
    if (threadIdx.x == 0) memory_.begin = 0, memory_.end = boundary.num_segments;
    const auto set = [&](int item) {
      const auto place = static_cast<unsigned>(item) - static_cast<unsigned>(first);
      if (place < static_cast<unsigned>(num_items)) memory_.marks[place] = 1;
    };
    if (step == 1) {
      if (has_sample_) set(mine);
    } else {
      // Where the first boundaries are that are not before the tile, and not before the next.
      std::int64_t from[2] = {step * __syncthreads_count(has_sample_ && mine < first),
                              step * __syncthreads_count(has_sample_ && mine < end)};
      std::int64_t to[2] = {min(from[0] + step - 1, boundary.num_segments),
                            min(from[1] + step - 1, boundary.num_segments)};
      if (step > 4 * blockDim.x) {
        from[0] = lower_bound(boundary, from[0], to[0], first);
        to[1] = lower_bound(boundary, from[1], to[1], end);
      }
      if (threadIdx.x == 0) memory_.begin = from[0], memory_.end = to[1];
      const int batch = static_cast<int>(blockDim.x) * at_once;
      for (std::int64_t j = from[0]; j < to[1];) {
        std::uint32_t offset[at_once];
        const std::int64_t own = j + threadIdx.x;
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (own + i * blockDim.x < to[1]) offset[i] = boundary.offset(own + i * blockDim.x);
        }
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (own + i * blockDim.x < to[1]) set(boundary.place_of(offset[i]));
        }
        j += batch;
        // Empty segments begin at one item.
        if (j < to[1] && boundary(j - batch) == boundary(j)) {
          j = lower_bound(boundary, j, to[1], std::int64_t{boundary(j)} + 1);
        }
      }
    }
    if (first <= 0 && first + num_items > 0 && threadIdx.x == 0) memory_.marks[-first] = 1;
    __syncthreads();
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe)
      bits_[stripe] = bits_of(marks_of(place_of(stripe)));
    rest_ =
        bits_of(marks_of(min(num_items / vector_items, Problem::tile_items / vector_items - 1)));
  }

  __device__ static unsigned bits_of(const memory_word<16>& marks) {
    return bits_of_bytes(uint4{marks.data[0], marks.data[1], marks.data[2], marks.data[3]});
  }
  __device__ static unsigned bits_of(const memory_word<8>& marks) {
    return bits_of_bytes(marks.data[0]) | bits_of_bytes(marks.data[1]) << 4;
  }
  __device__ static unsigned bits_of(const memory_word<4>& marks) {
    return bits_of_bytes(marks.data[0]);
  }
  __device__ static unsigned bits_of(const memory_word<2>& marks) {
    return (marks.data | marks.data >> 7) & 3u;
  }
  __device__ static unsigned bits_of(const memory_word<1>& marks) { return marks.data; }

  shared& memory_;
  unsigned bits_[stripes];
  unsigned rest_ = 0;         // of the items after the tile's last whole vector
  std::uint32_t sample_ = 0;  // offset of boundary (threadIdx.x + 1) * step - 1
  bool has_sample_ = false;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
