// Where segments begin in the tile that a block holds in registers: a bit an item of each thread's
// own vectors; and, where segments have values of their own, these.
//
// By keys and flags a thread reads those of its own items, beside which they lie. By offsets the
// block marks a byte an item in shared memory. As many offsets as there are threads are read before
// the block knows its tile, so that what is in a tile is known, a little generously, without
// another trip to memory; or at once, where there are no more. Who reads an offset brings the init
// of the segment that begins there.
#ifndef SCAN_DEVICE_SEGMENT_TILE_HEADS_CUH
#define SCAN_DEVICE_SEGMENT_TILE_HEADS_CUH

#include <cstdint>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/segment/boundary_search.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/vector_marks.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A thread's, of a block's. `Problem` is a segment_tiles.
template <class Problem>
class tile_heads {
  static constexpr int stripes = Problem::stripes, vector_items = Problem::vector_items;
  static constexpr bool numbered = Problem::has_numbers;
  static constexpr bool has_values = numbered && Problem::has_values;
  static constexpr int vector_bytes = numbered ? vector_items : 1;
  using boundaries = typename Problem::boundaries_type;
  using offset = decltype(std::declval<const boundaries&>().offset(0));
  using index = int;
  using V = typename Problem::V;
  using mark_word = memory_word<vector_bytes>;

 public:
  struct shared {
    /// A byte an item.
    alignas(16) unsigned char marks[numbered ? Problem::tile_items : 16];
    /// Of offsets: boundaries [begin, end] may be in the tile, or right behind it.
    std::int64_t begin, end;
    /// Of an item: where a segment begins its init, until its thread has scanned it; then the fold
    /// of the segment up to there.
    alignas(alignof(V) > 16 ? alignof(V)
                            : 16) shared_array<V, has_values ? Problem::tile_items : 1> values;
  };

  __device__ explicit tile_heads(shared& memory) : memory_(memory) {}

  /// Before a tile, and a barrier.
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
    const auto item = static_cast<index>(first);
    bool by_offsets = false;
    if constexpr (numbered) by_offsets = has_offsets(scan.heads);
    if (by_offsets) {
      if constexpr (numbered) mark_boundaries(scan, item, num_items);
    } else {
      const auto all = static_cast<index>(scan.num_items);
      with_source<Problem::reversed>(scan.heads, {}, [&](const auto& marks) {
        using marks_type = std::decay_t<decltype(marks)>;
        if constexpr (!is_boundaries<marks_type>) {
          vector_marks<marks_type, stripes, vector_items, Problem::reversed, index>{marks, all,
                                                                                    item, num_items}
              .bits(bits_, rest_);
        }
      });
    }
  }

  /// What begins the segment at item `place` of the tile, if one does.
  __device__ V start_at(const Problem& scan, int place) const {
    if constexpr (has_values) {
      if (scan.init_pointer != nullptr) return memory_.values[place];
    }
    return scan.first_output;
  }
  /// The thread has scanned item `place`, up to which its segment folds to `value`.
  __device__ void keep(const Problem& scan, int place, const V& value) const {
    if constexpr (has_values) {
      if (scan.total != nullptr) memory_.values[place] = value;
    }
  }
  /// The same of the items of vector `vector` of the tile.
  using vector_values = vector_elements<V, vector_items, false>;
  __device__ vector_values starts_of(const Problem& scan, int vector) const {
    if constexpr (has_values) {
      if (scan.init_pointer != nullptr) return values_of().get(vector);
    }
    vector_values same;
#pragma unroll
    for (int i = 0; i < vector_items; ++i) same[i] = scan.first_output;
    return same;
  }
  __device__ void keep(const Problem& scan, int vector, const vector_values& values) const {
    if constexpr (has_values) {
      if (scan.total != nullptr) values_of().put(vector, values);
    }
  }

  /// Where totals are wanted, writes those of the segments that end in tile `tile`. All threads,
  /// when they have stored results.
  __device__ void write_totals(const Problem& scan, index tile) const {
    if constexpr (Problem::has_totals) {
      if (scan.total == nullptr) return;
      const boundaries boundary = scan.boundaries();
      __syncthreads();  // all results are in memory, or values
      const int own_items = scan.tile_vectors * vector_items;
      const index first = tile * own_items;
      const index behind = min(first + own_items, static_cast<index>(scan.num_items));
      for (std::int64_t lead = max(memory_.begin, std::int64_t{1}); lead <= memory_.end;) {
        const std::int64_t j = lead + threadIdx.x;
        if (j <= memory_.end) {
          const index begun = boundary(j - 1), ended = boundary(j);
          if (begun < ended && ended > first && ended <= behind) {
            write_total_of(scan, boundary.segment(j - 1), begun, ended, first);
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
  __device__ own_heads of(int stripe) const {
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
  __device__ vector_array<V, vector_items> values_of() const { return {&memory_.values[0]}; }
  __device__ mark_word& marks_of(int vector) const {
    return reinterpret_cast<mark_word*>(memory_.marks)[vector];
  }

  /// Of the segment of items [begun, ended), which ends in the tile that begins at `first`.
  __device__ void write_total_of(const Problem& scan, std::int64_t segment, index begun,
                                 index ended, index first) const {
    if constexpr (Problem::has_values) {
      const int halo_items = scan.halo_warps * stripes * warp_size * vector_items;
      scan.write_total(segment, memory_.values[static_cast<int>(ended - 1 - first) + halo_items]);
    } else {
      scan.write_total_of(segment, begun, ended);
    }
  }

  /// Where an item is in the tile from item `first` on; not less than its items where it is not.
  __device__ static auto place_in(index item, index first) {
    using word = std::make_unsigned_t<index>;
    return static_cast<word>(item) - static_cast<word>(first);
  }

  __device__ void mark_boundaries(const Problem& scan, index first, int num_items) {
    hold(first);
    const boundaries boundary = scan.boundaries();
    const std::int64_t step = scan.sample_step;
    const index mine = boundary.place_of(sample_);
    const index end = first + num_items;
    if (threadIdx.x == 0) memory_.begin = 0, memory_.end = boundary.num_segments;
    const auto set = [&](index item, bool is_there) {
      const auto place = place_in(item, first);
      if (is_there & (place < static_cast<unsigned>(num_items))) memory_.marks[place] = 1;
    };
    if (step == 1) {
      set(mine, has_sample_);
      bring_inits(scan, 0, boundary.num_segments, first, num_items);
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
        offset asked[at_once];
        const std::int64_t own = j + threadIdx.x;
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (own + i * blockDim.x < to[1]) asked[i] = boundary.offset(own + i * blockDim.x);
        }
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          set(boundary.place_of(asked[i]), own + i * blockDim.x < to[1]);
        }
        bring_inits(scan, j, min(j + batch, to[1]), first, num_items);
        j += batch;
        // Empty segments begin at one item; with them the one whose init is wanted, the last.
        if (uniform(j < to[1] && boundary(j - batch) == boundary(j))) {
          j = lower_bound(boundary, j, to[1], std::int64_t{boundary(j)} + 1);
          if (Problem::has_values) --j;
        }
      }
    }
    if (first <= 0 && first + num_items > 0 && threadIdx.x == 0) {
      memory_.marks[static_cast<int>(-first)] = 1;
    }
    __syncthreads();
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe)
      bits_[stripe] = bits_of(marks_of(place_of(stripe)));
    rest_ =
        bits_of(marks_of(min(num_items / vector_items, Problem::tile_items / vector_items - 1)));
  }
  /// Brings the inits of the segments that begin in the tile, of those at boundaries [begin, end).
  __device__ void bring_inits(const Problem& scan, std::int64_t begin, std::int64_t end,
                              index first, int num_items) const {
    if constexpr (Problem::has_values) {
      if (scan.init_pointer == nullptr) return;
      const boundaries boundary = scan.boundaries();
#pragma unroll 1
      for (std::int64_t j = begin + threadIdx.x; j < end; j += blockDim.x) {
        const index item = boundary(j), next = boundary(j + 1);
        const auto place = place_in(item, first);
        if (place < static_cast<unsigned>(num_items) && next != item) {
          memory_.values[static_cast<int>(place)] = scan.init_of(boundary.segment(j));
        }
      }
    }
  }

  shared& memory_;
  unsigned bits_[stripes];
  unsigned rest_ = 0;  // of the items after the tile's last whole vector
  offset sample_ = 0;  // offset of boundary (threadIdx.x + 1) * step - 1
  bool has_sample_ = false;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
