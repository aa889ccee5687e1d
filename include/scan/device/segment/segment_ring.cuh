// A segmented scan as the ring kernel takes it, and the warps that find a tile's heads: some search
// the offsets as soon as it is claimed, others mark its heads while the tile is on its way.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_RING_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_RING_CUH

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/segment/chunk_numbers.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/head_words.cuh"
#include "scan/device/segment/ring_inits.cuh"
#include "scan/device/segment/ring_marks.cuh"
#include "scan/device/segment/segment_items.cuh"
#include "scan/device/segment/segment_problem.cuh"
#include "scan/device/segment/valued_runs.cuh"
#include "scan/device/sequence/ring_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// (Of recurrences the order is that of segments with values, whatever is asked for.)
template <class Tuned, class Segments, bool valued>
struct tuned_for_segments : Tuned {
  static constexpr segment_ring_tuning segments = segment_ring_tuning_for(
      Tuned::element_bytes, Segments::num_inputs, valued || Segments::is_recurrence);
  static constexpr ring_tuning ring = segments.ring;
};

/// `Segments` is a segment_problem; `valued`: of offsets, and each segment has an init of its own,
/// or a total.
template <class Tuned, class Segments, bool valued = false>
struct segment_ring : ring_cut<tuned_for_segments<Tuned, Segments, valued>, Segments> {
  using tuned_ring = tuned_for_segments<Tuned, Segments, valued>;
  using base = ring_cut<tuned_ring, Segments>;
  using base::reversed;
  using base::tile_items;
  using typename base::T;
  using row = segment_ring;
  using runs = std::conditional_t<valued, valued_runs<segment_ring>, segment_runs<segment_ring>>;
  static constexpr bool has_rows = false;
  static constexpr bool has_loops = Segments::is_recurrence || (valued && Tuned::element_bytes < 4);
  static constexpr int mark_warps = tuned_ring::segments.mark_warps;
  static constexpr int search_warps = tuned_ring::segments.search_warps;
  static constexpr int head_warps = mark_warps;  // who arrives for a tile's heads
  using slots_type = mark_slots<mark_warps>;
  static constexpr bool heads_change_items = valued && can_hold_inits<Segments>();
  using stage_heads = ring_stage_heads<tile_items, base::warp_items, valued, search_warps>;
  /// Where segments have values, also whether one begins behind a tile's last item: there another
  /// ends.
  static constexpr int wanted_items = tile_items + (valued ? 1 : 0);
  using heads_shared = ring_heads_shared<wanted_items, mark_warps>;
  SCAN_HOST_DEVICE static constexpr int threads_per_block() {
    return tuned_ring::segments.threads_per_block();
  }

  int slot_bytes;  // see mark_slots
  bool inits_in_items;

  __host__ __device__ segment_ring(const Segments& scan, int slot_bytes, bool inits_in_items)
      : base(scan), slot_bytes(slot_bytes), inits_in_items(inits_in_items) {}
  /// (Of an exclusive scan an init is seen by itself, too; and where segments are short, who marks
  /// them has no time.)
  explicit segment_ring(const Segments& scan)
      : segment_ring(scan, slots_type::bytes_for(mark_bytes(scan.heads) * tile_items),
                     scan.init_pointer != nullptr && !scan.exclusive &&
                         scan.num_items / 3 >= num_segments_of(scan.heads)) {}

  std::size_t heads_bytes() const {
    return (has_offsets(this->heads) ? sizeof(heads_shared) : sizeof(typename slots_type::shared)) +
           slots_type::required_bytes(slot_bytes);
  }
  /// Gives what is left of shared memory to the slots.
  void widen_slots(std::size_t num_bytes) {
    const std::size_t each = num_bytes / (mark_warps * slots_type::depth) / granule * granule;
    const std::size_t most = slots_type::most_bytes - slot_bytes;
    slot_bytes += static_cast<int>(std::min(each, most));
  }
  __device__ void initialise(heads_shared& memory) const {
    slots_type{memory.slots, nullptr, slot_bytes}.initialise();
  }

  /// Asks for what the search begins with, before it is known where the items are.
  __device__ void ask_for_heads(heads_shared& memory, int warp) const {
    if (warp <= mark_warps) return;
    visit_source(item_range{}, [&](const auto& source) {
      if constexpr (is_boundaries<std::decay_t<decltype(source)>>) {
        constexpr int num_threads = search_warps * warp_size;
        const int thread = (warp - mark_warps - 1) * warp_size + lane_index();
        memory.samples.ask(source, thread, num_threads);
      }
    });
  }

  /// Tiles are those of the items that there are.
  __device__ segment_ring resolved() const {
    segment_ring here(Segments::resolved(), slot_bytes, inits_in_items);
    if (here.num_items == 0) here.num_tiles = 0;
    return here;
  }

  struct place {
    const segment_ring& scan;
    std::int64_t tile, first;
  };
  __device__ place tile_at(std::int64_t tile) const { return {*this, tile, 0}; }

  /// Warp `warp` of those that do nothing else.
  template <class Block>
  __device__ void find_heads(const Block& block, heads_shared& memory, int warp) const {
    const item_range range{this->origin, this->num_items};
    visit_source(range, [&](const auto& source) {
      using source_type = std::decay_t<decltype(source)>;
      const slots_type slots = slots_in<is_boundaries<source_type>>(memory);
      if (warp < mark_warps) {
        mark_tiles(block, memory, slots, source, warp);
      } else if (warp == mark_warps) {
        load_marks(block, slots, source);
      } else if constexpr (is_boundaries<source_type>) {
        const int searcher = warp - mark_warps - 1;
        boundary_searcher<Block, source_type>{block, source, searcher}.search_tiles(
            memory.samples, base::tile_items, wanted_items);
        if constexpr (valued) {
          write_empty_windows(*this, std::int64_t{blockIdx.x} * search_warps + searcher,
                              std::int64_t{gridDim.x} * search_warps);
        }
      }
    });
  }
  /// Whether elements that begin segments hold their inits when they are loaded.
  __device__ bool has_inits_in_items() const { return heads_change_items && inits_in_items; }
  /// Whether who scans looks for inits.
  __device__ bool looks_for_inits() const {
    return this->init_pointer != nullptr && !has_inits_in_items();
  }
  /// Whether who scans has to know the numbers of segments, which have values.
  __device__ bool needs_numbers() const {
    return !heads_change_items || this->total != nullptr || looks_for_inits();
  }
  __device__ void bring_inits(const boundary_range& range) const {
    if constexpr (valued) prefetch_inits(*this, range);
  }

 private:
  template <class Visit>
  __device__ void visit_source(const item_range& range, Visit visit) const {
    if constexpr (valued) {
      with_boundaries<Segments::reversed>(this->heads, range, visit);
    } else {
      with_source<Segments::reversed>(this->heads, range, visit);
    }
  }

  static constexpr int num_mark_threads = mark_warps * warp_size;

  template <bool searches>
  __device__ slots_type slots_in(heads_shared& memory) const {
    void* const bytes = searches ? static_cast<void*>(&memory + 1) : &memory.slots + 1;
    return {memory.slots, static_cast<unsigned char*>(bytes), slot_bytes};
  }

  /// Items of a piece, of a tile with `num_valid`: whole words of bits.
  template <class Marks>
  __device__ int piece_items(int num_valid) const {
    const int most = (slot_bytes / static_cast<int>(sizeof(typename Marks::element)) - 2) *
                     Marks::items_per_element / 32;
    const int words = (num_valid + 31) / 32, sets = (words - 1) / (most * mark_warps) + 1;
    return ((words - 1) / (sets * mark_warps) + 1) * 32;
  }

  /// One warp.
  template <class Block, class Source>
  __device__ void load_marks(const Block& block, const slots_type& slots,
                             const Source& source) const {
    ring_position set;
    for (ring_position at;; at.advance(block.num_stages)) {
      const ticket drawn = block.await_ticket(at);
      if (!block.is_tile(drawn)) return;
      if constexpr (is_boundaries<Source>) {
        auto& stage = block.stages[at.stage];
        stage.searched.wait(at.parity);
        boundary_sets<Source, mark_warps> sets(source, stage.range, slots, tile_items,
                                               has_inits_in_items());
        for (; !sets.is_last(); set.advance(slots_type::depth)) {
          slots.load(set, source.array, source.num_segments + 1, sets.next());
        }
      } else {
        const std::int64_t first = drawn.tile * tile_items;
        const int num_valid = this->valid_items(first, tile_items);
        const int items = piece_items<Source>(num_valid), of_set = items * mark_warps;
        for (int i = 0; i < num_valid; i += of_set, set.advance(slots_type::depth)) {
          const int begin = i + min(lane_index(), mark_warps) * items;
          slots.load(set, source.array, (this->num_items - 1) / Source::items_per_element + 1,
                     piece_of<Source>(first + begin, min(max(num_valid - begin, 0), items),
                                      i + of_set >= num_valid));
        }
      }
    }
  }
  /// The marks of `count` items from item `item` on, and of the one before.
  template <class Marks>
  __device__ mark_piece piece_of(std::int64_t item, int count, bool last) const {
    constexpr int per_element = Marks::items_per_element;
    if (count == 0) return {0, 0, last};
    const std::int64_t begin = reversed ? this->num_items - item - count : item - (item > 0);
    const std::int64_t end = reversed ? this->num_items - item + (item > 0) : item + count;
    const std::int64_t element = begin / per_element;
    return {element, static_cast<int>((end - 1) / per_element + 1 - element), last};
  }

  /// Marking warp `warp`.
  template <class Block, class Source>
  __device__ void mark_tiles(const Block& block, heads_shared& memory, const slots_type& slots,
                             const Source& source, int warp) const {
    ring_position set;
    const int thread = warp * warp_size + lane_index();
    if constexpr (is_boundaries<Source>) memory.heads.clear(thread, num_mark_threads);
    for (ring_position at;; at.advance(block.num_stages)) {
      const ticket drawn = block.await_ticket(at);
      if (!block.is_tile(drawn)) return;
      unsigned* const bits = block.stages[at.stage].bits;
      const std::int64_t first = drawn.tile * tile_items;
      const int num_valid = this->valid_items(first, tile_items);
      if constexpr (is_boundaries<Source>) {
        for (int i = thread; i < head_words(tile_items); i += num_mark_threads) bits[i] = 0;
        if constexpr (valued) block.stages[at.stage].edges.clear(thread);
        meet();
      }
      int item = 0;
      bool few = false;
      for (bool last = false; !last; set.advance(slots_type::depth)) {
        const mark_piece piece = slots.await(warp, set);
        last = piece.last;
        const auto here = source.with(slots.elements(warp, set, source.array));
        if constexpr (is_boundaries<Source>) {
          const tile_places<Source> places(here, first,
                                           num_valid == tile_items ? wanted_items : num_valid);
          if constexpr (valued) {
            const std::int64_t end = piece.first + piece.count - 1;
            if (needs_numbers()) {
              block.stages[at.stage].edges.find(here, reversed ? here.element_of(end) : piece.first,
                                                piece.count, first, base::warp_items);
            }
          }
          few = piece.few;
          if (few) {
            mark_bits(here, piece.count, places, bits);
          } else {
            memory.heads.mark(here, piece.count, places);
          }
          put_inits(*this, block, at, first, source, here, piece);
        } else {
          const int items = piece_items<Source>(num_valid), from = item + warp * items;
          if (piece.count > 0) {
            mark_items(here, piece.first, first, from, min(num_valid, from + items), bits);
          }
          item += items * mark_warps;
        }
        slots.pass(set);
      }
      if constexpr (is_boundaries<Source>) {
        const bool is_first = first == 0 && thread == 0;
        if (few) {
          if (is_first) set_bit(bits, 0);
        } else {
          if (is_first) memory.heads.of[0] = 1;
          meet();
          memory.heads.gather(bits, thread, num_mark_threads);
        }
      }
      block.memory.loaded[at.stage].arrive();
    }
  }
  __device__ static void meet() { named_barrier<1>{num_mark_threads}.meet(); }

  /// Items [from, to) of the tile; `here` begins with the array's element `element`.
  template <class Marks>
  __device__ void mark_items(const Marks& here, std::int64_t element, std::int64_t first, int from,
                             int to, unsigned* bits) const {
    const std::int64_t item = first + from;
    // Of marks that are not of two, reversed, the item before has the one that counts.
    constexpr int own = Marks::of_two || !reversed ? 1 : 0;
    const int base = static_cast<int>((reversed ? this->num_items - own - item : item) -
                                      element * Marks::items_per_element);
    const head_words_maker<Marks, reversed> maker{here, base, to - from, item == 0};
    maker.make(bits + from / 32);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
