// Where segments begin in the tile that a block holds, as bits in shared memory.
//
// By marks each warp finds the heads of its own items. By offsets the block does: as many of these
// as it has threads are read before it knows its tile, so that what is in a tile is known, a little
// generously, without another trip to memory; a byte is set for each that lies in it, and each warp
// makes bits of the bytes of its items.
#ifndef SCAN_DEVICE_SEGMENT_TILE_HEADS_CUH
#define SCAN_DEVICE_SEGMENT_TILE_HEADS_CUH

#include <cstdint>

#include "scan/device/plan/segment_plan.hpp"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/head_sources.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Marks the heads of a warp's `num_words` * 32 items from item `first` on, of which `num_valid`
/// are.
template <bool reversed, int num_words, class Marks>
__device__ void mark_warp(const Marks& marks, std::int64_t num_items, std::int64_t first,
                          int num_valid, unsigned* bits) {
  using mark_type = typename Marks::mark;
  constexpr int most = sizeof(mark_type) <= 4 ? 8 : sizeof(mark_type) == 8 ? 4 : 2;
  constexpr int at_once = num_words < most ? num_words : most;
  const auto read = [&](std::int64_t item) {
    return marks.read(reversed ? num_items - (Marks::of_two ? 1 : 0) - item : item);
  };
#pragma unroll 1
  for (int word = 0; word < num_words && word * 32 < num_valid; word += at_once) {
    mark_type own[at_once], before{};
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int at = (word + i) * 32 + lane_index();
      // (Item 0 has no mark of one: where the scan is reversed that would lie behind the array.)
      if (at < num_valid && (Marks::of_two || first + at > 0)) own[i] = read(first + at);
    }
    const std::int64_t begin = first + word * 32;
    if (Marks::of_two && lane_index() == 0 && begin > 0) before = read(begin - 1);
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int at = (word + i) * 32 + lane_index();
      mark_type previous = own[i];
      if constexpr (Marks::of_two) {
        previous = shuffle_up(own[i], 1);
        if (lane_index() == 0) previous = before;
        before = shuffle(own[i], warp_size - 1);
      }
      const bool head = at < num_valid && (first + at == 0 || marks.begins(previous, own[i]));
      const unsigned of_word = __ballot_sync(all_lanes, head);
      if (lane_index() == 0 && word + i < num_words) bits[word + i] = of_word;
    }
  }
}

/// A block's, from tile to tile. `Problem` is a segment_persistent.
template <class Problem>
class tile_heads {
  static constexpr int warp_items = Problem::stripes * warp_size * Problem::vector_items;
  static constexpr int num_warps = Problem::most_threads / warp_size;
  static constexpr bool numbered = std::is_same_v<typename Problem::Heads, segment_heads>;
  static constexpr bool reversed = Problem::reversed;
  using boundaries = typename Problem::boundaries_type;

 public:
  struct shared {
    unsigned bits[head_words(num_warps * warp_items)];
    /// A byte an item, 0 but while heads are marked.
    alignas(16) unsigned char marks[numbered ? num_warps * warp_items : 16];
    /// Of heads, if segments have values: the first boundary there.
    std::int64_t boundary[Problem::has_values ? Problem::valued_items : 1];
    /// Then also what begins behind the tile's last item, or -1: who scans that writes the total.
    int num_items;
    std::int64_t boundary_behind;
  };

  __device__ explicit tile_heads(shared& memory) : memory_(memory) {}

  /// All threads, before the first tile; later ones leave it as it is.
  __device__ void clear() const {
    if constexpr (numbered) {
      for (int i = lane_index(); i < warp_items / 16; i += warp_size) groups()[i] = {};
    }
  }
  /// Reads the samples of `boundary`, of which it is not known yet where items begin.
  __device__ void sample(const boundaries& boundary) {
    step_ = parts_of(boundary.num_segments + 1);
    const std::int64_t j = (static_cast<std::int64_t>(threadIdx.x) + 1) * step_ - 1;
    has_sample_ = j < boundary.num_segments;
    if (has_sample_) sample_ = boundary.offset(j);
  }

  /// Marks the items [first, first + num_items). All threads; each warp may read the bits of its
  /// own items then.
  __device__ void mark(const Problem& scan, std::int64_t first, int num_items) {
    bool by_offsets = false;
    if constexpr (numbered) by_offsets = has_offsets(scan.heads);
    if (by_offsets) {
      if constexpr (numbered) mark_boundaries(scan, first, num_items);
    } else {
      const int before = warp_index() * warp_items;
      with_source<reversed>(scan.heads, {}, [&](const auto& marks) {
        if constexpr (!is_boundaries<std::decay_t<decltype(marks)>>) {
          mark_warp<reversed, warp_items / 32>(marks, scan.num_items, first + before,
                                               max(num_items - before, 0),
                                               memory_.bits + before / 32);
        }
      });
    }
    __syncwarp();
  }

  template <int count>
  __device__ item_heads<count> of(int, int place) const {
    return {memory_.bits, place};
  }
  __device__ bool is_head(int place) const {
    return (memory_.bits[place / 32] >> place % 32 & 1) != 0;
  }

  /// The segment, of the caller's numbers, that begins at `place`, which is a head; those that are
  /// empty there begin before it.
  __device__ std::int64_t segment_at(const Problem& scan, int place) const {
    const boundaries boundary = scan.boundaries();
    std::int64_t j = boundary_at(place, boundary);
    if (scan.init_pointer != nullptr) j = boundary.last_at(boundary(j), j);
    return boundary.segment(j);
  }
  /// Writes the total of the segment that ends with the item at `place`, if one does.
  __device__ void write_total_of(const Problem& scan, int place,
                                 const typename Problem::V& value) const {
    const bool is_last = place + 1 == memory_.num_items;
    if (is_last ? memory_.boundary_behind < 0 : !is_head(place + 1)) return;
    const boundaries boundary = scan.boundaries();
    const std::int64_t j = is_last ? memory_.boundary_behind : boundary_at(place + 1, boundary);
    if (j > 0) scan.write_total(boundary.segment(j - 1), value);
  }

 private:
  static constexpr int at_once = 8;

  /// (Of offsets that do not rise it may be anything.)
  __device__ std::int64_t boundary_at(int place, const boundaries& boundary) const {
    return max(min(memory_.boundary[place], boundary.num_segments - 1), std::int64_t{0});
  }
  __device__ uint4* groups() const {
    return reinterpret_cast<uint4*>(memory_.marks + warp_index() * warp_items);
  }
  /// Of how many parts, one a thread and one more, each is.
  __device__ static std::int64_t parts_of(std::int64_t count) {
    return (count + Problem::num_holders()) / (Problem::num_holders() + 1);
  }

  /// What is known of where the first boundary is that is not less than an item: in [from, from +
  /// width).
  struct bounds {
    std::int64_t from, width;
  };
  /// Narrows them down to few. All threads.
  __device__ void narrow(const boundaries& boundary, std::int64_t item, bounds& of) const {
    while (of.width > 4 * std::int64_t{Problem::num_holders()}) {
      const std::int64_t part = parts_of(of.width);
      const std::int64_t j = of.from + (threadIdx.x + 1) * part - 1;
      const bool in = j < min(of.from + of.width - 1, boundary.num_segments);
      of = {of.from + part * Problem::holders().count(in && boundary(j) < item), part};
    }
  }

  __device__ void mark_boundaries(const Problem& scan, std::int64_t first, int num_items) const {
    const boundaries boundary = scan.boundaries();
    const bool with_numbers = Problem::has_values && scan.valued();
    if (threadIdx.x == 0) {
      memory_.num_items = num_items;
      memory_.boundary_behind = -1;
    }
    const std::int64_t mine = boundary.place_of(sample_);
    bounds begin{step_ * Problem::holders().count(has_sample_ && mine < first), step_};
    bounds end{step_ * Problem::holders().count(has_sample_ && mine < first + num_items), step_};
    narrow(boundary, first, begin);
    narrow(boundary, first + num_items, end);
    const std::int64_t past =
        min(end.from + end.width - 1, boundary.num_segments) + (with_numbers ? 1 : 0);
    const int batch = Problem::num_holders() * at_once;
    for (std::int64_t j = begin.from; j < past;) {
      set_marks(boundary, j, past, first, num_items, with_numbers);
      const std::int64_t next = j + batch;
      // Empty segments without number begin at one item.
      if (next < past && boundary(j) == boundary(next)) {
        bounds skipped{next, past - next + 1};
        narrow(boundary, boundary(next) + 1, skipped);
        j = skipped.from;
      } else {
        j = next;
      }
    }
    if (first == 0 && threadIdx.x == 0) {
      memory_.marks[0] = 1;
      if (with_numbers) memory_.boundary[0] = 0;
    }
    Problem::meet();
    make_bits();
  }
  /// Of the next batch of boundaries from `j` on.
  __device__ void set_marks(const boundaries& boundary, std::int64_t j, std::int64_t past,
                            std::int64_t first, int num_items, bool with_numbers) const {
    std::int64_t place[at_once];
    const std::int64_t mine = j + threadIdx.x;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      place[i] = -1;
      const std::int64_t at = mine + i * Problem::num_holders();
      if (at < past) place[i] = boundary(at) - first;
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (place[i] >= 0 && place[i] < num_items) memory_.marks[place[i]] = 1;
    }
    if (!with_numbers) return;
#pragma unroll 1
    for (std::int64_t at = mine; at < past && at < mine + at_once * Problem::num_holders();
         at += Problem::num_holders()) {
      const std::int64_t item = boundary(at), before = at == 0 ? -1 : boundary(at - 1);
      const std::int64_t in_tile = item - first;
      if (in_tile < 0 || in_tile > num_items || item == before) continue;
      (in_tile < num_items ? memory_.boundary[in_tile] : memory_.boundary_behind) = at;
    }
  }
  __device__ void make_bits() const {
    auto* const bits =
        reinterpret_cast<std::uint16_t*>(memory_.bits + warp_index() * (warp_items / 32));
    for (int i = lane_index(); i < warp_items / 16; i += warp_size) {
      const uint4 flags = groups()[i];
      groups()[i] = {};
      bits[i] = static_cast<std::uint16_t>(bits_of_bytes(flags));
    }
  }

  shared& memory_;
  std::int64_t step_ = 0;
  std::int64_t sample_ = 0;  // offset of boundary (threadIdx.x + 1) * step_ - 1
  bool has_sample_ = false;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
