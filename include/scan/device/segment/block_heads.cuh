// Where segments begin in a tile of a block without a ring: bits in its stage, which all of its
// warps make, of what says so in memory.
#ifndef SCAN_DEVICE_SEGMENT_BLOCK_HEADS_CUH
#define SCAN_DEVICE_SEGMENT_BLOCK_HEADS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/segment/boundary_search.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/head_sources.cuh"
#include "scan/device/segment/head_words.cuh"
#include "scan/device/sequence/ring_stage.cuh"
#include "scan/protocol/shared_words.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Sets the bits of the lanes' places, of lanes that have one. Those that are side by side in one
/// word are set at once: where segments are short a word is wanted by all lanes.
__device__ inline void set_bits_of_lanes(unsigned* bits, unsigned place, bool has_place) {
  const unsigned word = has_place ? place / 32 : UINT32_MAX;
  unsigned mask = 1u << place % 32;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const int after = min(lane_index() + distance, warp_size - 1);
    const unsigned other = shuffle(word, after), others = shuffle(mask, after);
    if (other == word) mask |= others;
  }
  const unsigned before = shuffle_up(word, 1);
  if (has_place && (lane_index() == 0 || before != word)) set_bits(bits + word, mask);
}

/// `Problem` is a segment_cut. All threads of a block call.
template <class Problem>
struct block_heads {
  static constexpr int num_chunks = Problem::num_chunks, warp_items = Problem::warp_items;
  static constexpr int tile_items = Problem::tile_items;
  static constexpr bool reversed = Problem::reversed;
  struct shared {
    std::conditional_t<Problem::has_numbers, boundary_samples, char> samples;
  };
  const Problem& scan;
  ring_stage<Problem>& stage;
  shared& memory;

  /// Once, before a barrier.
  __device__ static void sample(const Problem& scan, shared& memory) {
    if constexpr (Problem::has_numbers) {
      if (!scan.by_offsets()) return;
      const auto boundary = scan.boundaries();
      const int thread = static_cast<int>(threadIdx.x);
      memory.samples.ask(boundary, thread, Problem::num_threads);
      memory.samples.take(boundary, thread, Problem::num_threads);
    }
  }

  /// Before the tile from item `tile_first` on is loaded; warp `c`.
  __device__ void begin(std::int64_t tile_first, int c) const {
    constexpr int words = warp_items / 32;
    unsigned* const own = stage.bits + c * words;
    for (int i = lane_index(); i < words; i += warp_size) own[i] = 0;
    if (c != num_chunks - 1) return;
    if (lane_index() == 0) own[words] = 0;
    if constexpr (Problem::is_valued) stage.edges.clear(lane_index());
    if constexpr (Problem::has_numbers) {
      if (!scan.by_offsets()) return;
      const boundary_range found = boundaries_between(scan.boundaries(), memory.samples, tile_first,
                                                      tile_first + Problem::wanted_items);
      if (lane_index() == 0) stage.range = found;
    }
  }

  /// Makes the bits, before a barrier; the warp's chunk has `num_valid` items from `first` on.
  __device__ void mark(std::int64_t tile_first, std::int64_t first, int num_valid, int c) const {
    if (scan.by_offsets()) {
      __syncthreads();  // bits are clear, and it is known which boundaries there are
      if constexpr (Problem::has_numbers) mark_boundaries(tile_first, c);
    } else if constexpr (!Problem::is_valued) {
      __syncwarp();
      scan.visit_source([&](const auto& source) {
        if constexpr (!is_boundaries<std::decay_t<decltype(source)>>) {
          if (num_valid > 0) mark_items(source, first, num_valid, c);
        }
      });
    }
  }

 private:
  /// By keys and flags: those of the warp's own chunk.
  template <class Marks>
  __device__ void mark_items(const Marks& source, std::int64_t first, int num_valid, int c) const {
    // Of marks that are not of two, reversed, the item before has the one that counts.
    constexpr int own = Marks::of_two || !reversed ? 1 : 0;
    const std::int64_t behind = scan.num_items - first;
    const std::int64_t lowest = reversed ? behind - num_valid : max(first - 1, std::int64_t{0});
    const std::int64_t element = lowest / Marks::items_per_element;
    const auto base =
        static_cast<int>((reversed ? behind - own : first) - element * Marks::items_per_element);
    const head_words_maker<Marks, reversed, false> maker{source.with(source.array + element), base,
                                                         num_valid, first == 0};
    unsigned* const to = stage.bits + c * (warp_items / 32);
    if constexpr (Marks::items_per_element == 1) {
      if (uniform(num_valid == warp_items && first > 0)) {
        return maker.template make_inside<warp_items / 32>(to);
      }
    }
    maker.make(to);
  }

  /// By offsets: some of the tile's boundaries each warp.
  __device__ void mark_boundaries(std::int64_t tile_first, int c) const {
    constexpr int at_once = 4, of_warp = at_once * warp_size;
    const auto boundary = scan.boundaries();
    const boundary_range range = stage.range;
    const int num_valid = scan.valid_items(tile_first, tile_items);
    const int wanted = num_valid == tile_items ? Problem::wanted_items : num_valid;
    if (tile_first == 0 && threadIdx.x == 0) set_bit(stage.bits, 0);
    for (std::int64_t j = range.first; j < range.last;) {
      const std::int64_t own = j + c * of_warp + lane_index();
      std::int64_t place[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const std::int64_t mine = own + k * warp_size;
        place[k] = mine < range.last ? boundary(mine) - tile_first : INT64_MAX;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const std::int64_t mine = own + k * warp_size;
        if (uniform(mine - lane_index() >= range.last)) break;
        if constexpr (Problem::is_valued) find_edges(mine, place[k]);
        set_bits_of_lanes(stage.bits, static_cast<unsigned>(place[k]),
                          place[k] >= 0 && place[k] < wanted);
      }
      j += num_chunks * of_warp;
      // Many boundaries for few items: empty segments begin at one.
      if (uniform(range.last - j > 2 * tile_items && boundary(j - 1) == boundary(j))) {
        j = lower_bound(boundary, j, range.last, boundary(j) + 1);
      }
    }
  }
  /// Lowers the edges between chunks that lie before boundary `j`, at item `place` of the tile, and
  /// not before the neighbour's; what is before the first lane's others have lowered further.
  __device__ void find_edges(std::int64_t j, std::int64_t place) const {
    std::int64_t before = shuffle_up(place, 1);
    if (lane_index() == 0) before = 0;
    if (j >= stage.range.last) return;
    for (int edge = edges_before(before); edge < edges_before(place); ++edge) {
      lower_to(stage.edges.of + edge, j);
    }
  }
  __device__ static int edges_before(std::int64_t place) {
    if (place <= 0) return 0;
    return place > tile_items ? num_chunks + 1 : static_cast<int>(place - 1) / warp_items + 1;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
