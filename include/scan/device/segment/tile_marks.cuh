// Where segments begin in the tiles of a ring block: one warp loads what says so, while the tile is
// on its way, others make bits of heads of it. Loads know their marks as bytes, whatever they are:
// code that is there for each kind is what instruction caches pay for. (bench/NOTES.md, "One way to
// load marks")
#ifndef SCAN_DEVICE_SEGMENT_TILE_MARKS_CUH
#define SCAN_DEVICE_SEGMENT_TILE_MARKS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/named_barrier.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/head_sources.cuh"
#include "scan/device/segment/head_words.cuh"
#include "scan/device/segment/ring_inits.cuh"
#include "scan/device/segment/ring_marks.cuh"
#include "scan/device/sequence/ring_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a segment_ring, `Block` its ring_block.
template <class Problem, class Block>
class tile_marks {
  static constexpr int tile_items = Problem::tile_items, mark_warps = Problem::mark_warps;
  static constexpr int num_mark_threads = mark_warps * warp_size;
  static constexpr bool reversed = Problem::reversed;
  using slots_type = typename Problem::slots_type;
  using heads_type = decltype(Problem::heads_shared::heads);

 public:
  __device__ tile_marks(const Problem& scan, const Block& block, const slots_type& slots)
      : scan_(scan), block_(block), slots_(slots), marks_(marks_of(scan.heads, scan.num_items)) {}

  /// One warp.
  __device__ void load() const {
    const int of_whole = scan_.by_offsets() ? 0 : piece_items(tile_items);
    const int room = slots_.slot_bytes / marks_.element_bytes;
    ring_position set;
    for (ring_position at;; at.advance(block_.num_stages)) {
      const ticket drawn = block_.await_ticket(at);
      if (!block_.is_tile(drawn)) return;
      if (scan_.by_offsets()) {
        if constexpr (Problem::has_numbers) load_boundaries(at, set, room);
      } else {
        const std::int64_t first = drawn.tile * tile_items;
        const int num_valid = scan_.valid_items(first, tile_items);
        const int items = num_valid == tile_items ? of_whole : piece_items(num_valid);
        for (int i = 0; i < num_valid; set.advance(slots_type::depth)) {
          const int begin = i + min(lane_index(), mark_warps) * items;
          const int count = min(max(num_valid - begin, 0), items);
          i += items * mark_warps;
          slots_.load(set, marks_, piece_of(first + begin, count, i >= num_valid));
        }
      }
    }
  }

  /// Marking warp `warp`. `heads`: the block's.
  template <class Source>
  __device__ void mark(heads_type& heads, const Source& source, int warp) const {
    constexpr bool of_boundaries = is_boundaries<Source>;
    const int thread = warp * warp_size + lane_index();
    const int of_whole = of_boundaries ? 0 : piece_items(tile_items);
    ring_position set;
    if constexpr (of_boundaries) heads.clear(thread, num_mark_threads);
    for (ring_position at;; at.advance(block_.num_stages)) {
      const ticket drawn = block_.await_ticket(at);
      if (!block_.is_tile(drawn)) return;
      auto& stage = block_.stages[at.stage];
      const std::int64_t first = drawn.tile * tile_items;
      const int num_valid = scan_.valid_items(first, tile_items);
      if constexpr (of_boundaries) {
        for (int i = thread; i < head_words(tile_items); i += num_mark_threads) stage.bits[i] = 0;
        if constexpr (Problem::is_valued) stage.edges.clear(thread);
        meet();
      }
      const int items =
          of_boundaries || num_valid == tile_items ? of_whole : piece_items(num_valid);
      mark_piece piece{};
      for (int from = warp * items; !piece.last; set.advance(slots_type::depth)) {
        piece = slots_.await(warp, set);
        const auto here = source.with(slots_.elements(warp, set, source.array));
        if constexpr (of_boundaries) {
          mark_boundaries(heads, at, {first, num_valid}, source, here, piece);
        } else if (piece.count > 0) {
          mark_items(here, piece.first, first, from, min(num_valid, from + items), stage.bits);
        }
        from += items * mark_warps;
        slots_.pass(set);
      }
      if constexpr (of_boundaries) {
        const bool is_first = first == 0 && thread == 0;
        if (piece.few) {
          if (is_first) set_bit(stage.bits, 0);
        } else {
          if (is_first) heads.of[0] = 1;
          meet();
          heads.gather(stage.bits, thread, num_mark_threads);
        }
      }
      block_.memory.loaded[at.stage].arrive();
    }
  }

 private:
  struct tile_place {
    std::int64_t first;
    int num_valid;
  };
  __device__ static void meet() { named_barrier<1>{num_mark_threads}.meet(); }

  /// Items of a piece of marks, of a tile with `num_valid`: whole words of bits. (Of whole tiles
  /// they are worked out once: what lone warps do takes its time.)
  __device__ int piece_items(int num_valid) const {
    const int most = (slots_.slot_bytes / marks_.element_bytes - 2) * marks_.items_per_element / 32;
    const int words = (num_valid + 31) / 32, sets = (words - 1) / (most * mark_warps) + 1;
    return ((words - 1) / (sets * mark_warps) + 1) * 32;
  }
  /// The marks of `count` items from item `item` on, and of the one before.
  __device__ mark_piece piece_of(std::int64_t item, int count, bool last) const {
    if (count == 0) return {0, 0, last};
    const std::int64_t behind = scan_.num_items - item;
    const std::int64_t begin = reversed ? behind - count : item - (item > 0);
    const std::int64_t end = reversed ? behind + (item > 0) : item + count;
    const std::int64_t element = marks_.element_of(begin);
    return {element, static_cast<int>(marks_.element_of(end - 1) + 1 - element), last};
  }
  /// `room`: for boundaries, in a slot.
  __device__ void load_boundaries(const ring_position& at, ring_position& set, int room) const {
    auto& stage = block_.stages[at.stage];
    stage.searched.wait(at.parity);
    const auto source = scan_.boundaries();
    boundary_sets<std::decay_t<decltype(source)>, mark_warps> sets(
        source, stage.range, room, tile_items, scan_.has_inits_in_items());
    for (; !sets.is_last(); set.advance(slots_type::depth)) slots_.load(set, marks_, sets.next());
  }

  /// Of the tile at `place`: the boundaries of `piece`, which are at `here`, of all that `source`
  /// knows.
  template <class Boundaries>
  __device__ void mark_boundaries(heads_type& heads, const ring_position& at,
                                  const tile_place& place, const Boundaries& source,
                                  const Boundaries& here, const mark_piece& piece) const {
    auto& stage = block_.stages[at.stage];
    const bool is_whole = place.num_valid == tile_items;
    const tile_places<Boundaries> places(here, place.first,
                                         is_whole ? Problem::wanted_items : place.num_valid);
    if constexpr (Problem::is_valued) {
      if (scan_.needs_numbers()) {
        const std::int64_t begin =
            reversed ? here.element_of(piece.first + piece.count - 1) : piece.first;
        stage.edges.find(here, begin, piece.count, place.first, Problem::warp_items);
      }
    }
    if (piece.few) {
      mark_bits(here, piece.count, places, stage.bits);
    } else {
      heads.mark(here, piece.count, places);
    }
    put_inits(scan_, block_, at, place.first, source, here, piece);
  }
  /// Items [from, to) of the tile that begins at item `first`; `here` begins with the array's
  /// element `element`.
  template <class Marks>
  __device__ void mark_items(const Marks& here, std::int64_t element, std::int64_t first, int from,
                             int to, unsigned* bits) const {
    const std::int64_t item = first + from;
    // Of marks that are not of two, reversed, the item before has the one that counts.
    constexpr int own = Marks::of_two || !reversed ? 1 : 0;
    const int base = static_cast<int>((reversed ? scan_.num_items - own - item : item) -
                                      element * Marks::items_per_element);
    const head_words_maker<Marks, reversed> maker{here, base, to - from, item == 0};
    maker.make(bits + from / 32);
  }

  const Problem& scan_;
  const Block& block_;
  slots_type slots_;
  mark_array marks_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
