// A segmented scan as the ring kernel takes it: what its blocks hold besides, and which warps find
// a tile's heads.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_RING_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_RING_CUH

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/segment/chunk_numbers.cuh"
#include "scan/device/segment/ring_inits.cuh"
#include "scan/device/segment/ring_marks.cuh"
#include "scan/device/segment/segment_items.cuh"
#include "scan/device/segment/segment_problem.cuh"
#include "scan/device/segment/tile_marks.cuh"
#include "scan/device/segment/valued_runs.cuh"
#include "scan/device/sequence/ring_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether the ring takes segments of these types, where there is one; with values of their own,
/// if giving_totals() says the types.
template <class Segments>
inline constexpr bool in_segment_ring =
    in_ring<typename Segments::Values>&& are_in_array<typename Segments::Heads> &&
    (!is_unrounded<typename Segments::Values> || Segments::is_recurrence);

/// A segmented scan in tiles whose chunks a warp each has in shared memory. `Tuned` has a `ring`;
/// `Segments` is a segment_problem; `valued`: of offsets, and each segment has an init of its own,
/// or a total.
template <class Tuned, class Segments, bool valued>
struct segment_chunks : ring_cut<Tuned, Segments> {
  using runs =
      std::conditional_t<valued, valued_runs<segment_chunks>, segment_runs<segment_chunks>>;
  static constexpr bool packs_tiles = false;  // (slower: bench/NOTES.md, "A tile is one copy")
  static constexpr bool is_valued = valued;
  static constexpr bool has_loops = Tuned::has_loops;  // see segment_runs
  static constexpr bool heads_change_items = valued && can_hold_inits<Segments>();
  /// Where segments have values, also whether one begins behind a tile's last item: there another
  /// ends.
  static constexpr int wanted_items = segment_chunks::tile_items + (valued ? 1 : 0);

  bool inits_in_items;

  __host__ __device__ segment_chunks(const Segments& scan, bool inits_in_items)
      : ring_cut<Tuned, Segments>(scan), inits_in_items(inits_in_items) {}
  __device__ bool by_offsets() const { return valued || has_offsets(this->heads); }
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
  /// visit(what says where segments begin).
  template <class Visit>
  __device__ void visit_source(Visit visit) const {
    const item_range range{this->origin, this->num_items};
    if constexpr (valued) {
      with_boundaries<Segments::reversed>(this->heads, range, visit);
    } else {
      with_source<Segments::reversed>(this->heads, range, visit);
    }
  }
};

/// (Of recurrences the order is one, whatever is asked for.)
template <class Tuned, class Segments, bool valued>
struct tuned_for_segments : Tuned {
  static constexpr segment_ring_tuning segments = segment_ring_tuning_for(
      Tuned::element_bytes, Segments::num_inputs, Segments::is_recurrence, valued);
  static constexpr ring_tuning ring = segments.ring;
  static constexpr bool has_loops = Segments::is_recurrence || valued;
};

/// The same as the ring kernel takes it.
template <class Tuned, class Segments, bool valued = false>
struct segment_ring
    : segment_chunks<tuned_for_segments<Tuned, Segments, valued>, Segments, valued> {
  using tuned_ring = tuned_for_segments<Tuned, Segments, valued>;
  using base = segment_chunks<tuned_ring, Segments, valued>;
  using base::by_offsets;
  using base::reversed;
  using base::tile_items;
  using base::wanted_items;
  using typename base::T;
  using row = segment_ring;
  static constexpr int mark_warps = tuned_ring::segments.mark_warps;
  static constexpr int search_warps = tuned_ring::segments.search_warps;
  static constexpr int head_warps = mark_warps;  // who arrives for a tile's heads
  using slots_type = mark_slots<mark_warps>;
  using stage_heads = ring_stage_heads<tile_items, base::warp_items, valued, search_warps>;
  using heads_shared = ring_heads_shared<wanted_items, mark_warps>;
  SCAN_HOST_DEVICE static constexpr int threads_per_block() {
    return tuned_ring::segments.threads_per_block();
  }

  int slot_bytes;  // see mark_slots

  __host__ __device__ segment_ring(const Segments& scan, int slot_bytes, bool inits_in_items)
      : base(scan, inits_in_items), slot_bytes(slot_bytes) {}
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
    if (warp <= mark_warps || !by_offsets()) return;
    if constexpr (Segments::has_numbers) {
      constexpr int num_threads = search_warps * warp_size;
      const int thread = (warp - mark_warps - 1) * warp_size + lane_index();
      memory.samples.ask(this->boundaries(), thread, num_threads);
    }
  }

  /// Tiles are those of the items that there are.
  __device__ segment_ring resolved() const {
    segment_ring here(Segments::resolved(), slot_bytes, this->inits_in_items);
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
    void* const bytes = by_offsets() ? static_cast<void*>(&memory + 1) : &memory.slots + 1;
    const slots_type slots{memory.slots, static_cast<unsigned char*>(bytes), slot_bytes};
    const tile_marks<segment_ring, Block> marks(*this, block, slots);
    if (warp < mark_warps) {
      this->visit_source([&](const auto& source) { marks.mark(memory.heads, source, warp); });
    } else if (warp == mark_warps) {
      marks.load();
    } else if (by_offsets()) {
      if constexpr (Segments::has_numbers) {
        const int searcher = warp - mark_warps - 1;
        const auto source = this->boundaries();
        boundary_searcher<Block, std::decay_t<decltype(source)>>{block, source, searcher}
            .search_tiles(memory.samples, base::tile_items, wanted_items);
        if constexpr (valued) {
          write_empty_windows(*this, std::int64_t{blockIdx.x} * search_warps + searcher,
                              std::int64_t{gridDim.x} * search_warps);
        }
      }
    }
  }
  __device__ void bring_inits(const boundary_range& range) const {
    if constexpr (valued) prefetch_inits(*this, range);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
