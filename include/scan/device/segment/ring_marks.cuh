// What says where segments begin, on its way through a ring block: pieces of keys, flags or offsets
// come into slots of shared memory by bulk copies, and warps make the bits of heads of them.
#ifndef SCAN_DEVICE_SEGMENT_RING_MARKS_CUH
#define SCAN_DEVICE_SEGMENT_RING_MARKS_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/plan/segment_plan.hpp"
#include "scan/device/segment/boundary_search.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/head_sources.cuh"
#include "scan/device/sequence/ring_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Elements [first, first + count) of the marks; `last` of its tile; of boundaries, whether the
/// tile has only a `few`.
struct mark_piece {
  std::int64_t first;
  int count;
  bool last;
  bool few = false;
};

/// What says where segments begin, as bytes.
struct mark_array {
  const unsigned char* begin;
  std::int64_t num_elements;
  int element_bytes, items_per_element;  // 1, or 32

  /// Which has an item's mark.
  __device__ std::int64_t element_of(std::int64_t item) const {
    return items_per_element == 1 ? item : item / 32;
  }
};
template <class Heads>
__device__ mark_array marks_of(const Heads& heads, std::int64_t num_items) {
  const auto* const begin = static_cast<const unsigned char*>(data_of(heads));
  const int bytes = element_bytes_of(heads), items = items_per_element_of(heads);
  if (has_offsets(heads)) return {begin, num_segments_of(heads) + 1, bytes, items};
  return {begin, items == 1 ? num_items : (num_items - 1) / 32 + 1, bytes, items};
}

/// The slots of a block: of each marking warp its own, `depth` of them, used in turn. A set of
/// pieces, one for each of these warps, is loaded together; all of a tile's last set are `last`.
template <int mark_warps>
struct mark_slots {
  static constexpr int least_bytes = least_slot_bytes, most_bytes = most_slot_bytes;
  static constexpr int depth = mark_slot_depth;
  struct alignas(granule) shared {
    mark_piece pieces[mark_warps][depth];
    phase_barrier full[depth], empty[depth];  // of a set
  };
  shared& memory;
  unsigned char* bytes;
  int slot_bytes;  // of elements; a multiple of 16

  /// Slots for tiles with so many bytes of marks. What they do not take is left for stages, of
  /// which the more the better.
  static constexpr int bytes_for(double tile_bytes) {
    const double of_warp = tile_bytes / mark_warps;
    if (of_warp >= most_bytes) return most_bytes;
    return of_warp <= least_bytes
               ? least_bytes
               : std::min((static_cast<int>(of_warp) + 63) / 16 * 16, most_bytes);
  }
  static constexpr int required_bytes(int slot_bytes) {
    return mark_warps * depth * (slot_bytes + granule) + 2 * granule;  // see byte_marks
  }
  __device__ void initialise() const {
    for (int i = threadIdx.x; i < depth; i += blockDim.x) {
      memory.full[i].initialise(warp_size);
      memory.empty[i].initialise(mark_warps * warp_size);
    }
  }

  /// Loads a set, by a warp, of whose lanes the first have a piece each of `marks`. All wait,
  /// before any loads: bulk copies of lanes that have parted go wrong; and all arrive, for what
  /// they have read to know their pieces.
  __device__ void load(const ring_position& at, const mark_array& marks,
                       const mark_piece& piece) const {
    const int lane = lane_index();
    const byte* const end = marks.begin + marks.num_elements * marks.element_bytes;
    const chunk<const byte> mine{marks.begin + piece.first * marks.element_bytes,
                                 piece.count * marks.element_bytes, 0};
    bool has_rest = false;
    memory.empty[at.stage].wait(at.parity ^ 1);
    if (lane < mark_warps) {
      memory.pieces[lane][at.stage] = piece;
      auto& own = slot(lane, at);
      has_rest = own.has_rest(mine, own.load(mine, marks.begin, end, memory.full[at.stage]));
    }
    // Where the array begins or ends, all of them.
    for (unsigned left = __ballot_sync(all_lanes, has_rest); left != 0; left &= left - 1) {
      const int of = __ffs(static_cast<int>(left)) - 1;
      slot(of, at).load_rest(shuffle(mine, of), marks.begin, end);
    }
    __syncwarp();
    memory.full[at.stage].arrive();
  }
  /// Waits for the piece of a marking warp.
  __device__ mark_piece await(int warp, const ring_position& at) const {
    memory.full[at.stage].wait(at.parity);
    return memory.pieces[warp][at.stage];
  }
  /// Its elements.
  template <class Element>
  __device__ const Element* elements(int warp, const ring_position& at,
                                     const Element* array) const {
    const auto place =
        reinterpret_cast<std::uintptr_t>(array + memory.pieces[warp][at.stage].first);
    return reinterpret_cast<const Element*>(slot(warp, at).bytes + place % granule);
  }
  /// Has its slot free for another; all lanes.
  __device__ void pass(const ring_position& at) const {
    // A bulk copy will load where lanes have read; and into the stage, where they have put inits.
    publish_to_bulk();
    memory.empty[at.stage].arrive();
  }

 private:
  using byte = unsigned char;
  using slot_type = chunk_slot<most_bytes>;
  __device__ slot_type& slot(int warp, const ring_position& at) const {
    unsigned char* const first = bytes + (at.stage * mark_warps + warp) * (slot_bytes + granule);
    return *reinterpret_cast<slot_type*>(first);
  }
};

/// What a block holds for finding heads; the slots' bytes follow it, or, where nothing is searched,
/// the first of it.
template <int wanted_items, int mark_warps>
struct ring_heads_shared {
  typename mark_slots<mark_warps>::shared slots;
  boundary_samples samples;
  head_bytes<wanted_items> heads;
};

// ---- A tile's offsets on their way through a ring block: which pieces of them come into the
// slots, and the warps that search for them.

/// The sets of pieces of a tile's boundaries; by a warp, whose first lanes have a piece each.
template <class Boundaries, int mark_warps>
class boundary_sets {
 public:
  /// `room`: for boundaries, in a slot. `keeps_last`: of segments that are left out because they
  /// are empty, at one item, the next one, which is not.
  __device__ boundary_sets(const Boundaries& source, boundary_range range, int room, int tile_items,
                           bool keeps_last)
      : source_(source),
        range_(range),
        many_(2 * tile_items),
        keeps_last_(keeps_last),
        few_(range.last - range.first <= few_boundaries) {
    // As many for each warp, if they are fewer than there is room for.
    const std::int64_t room_of_all = std::int64_t{room} * mark_warps;
    const std::int64_t wanted = max(range.last - range.first, std::int64_t{0});
    const auto count = static_cast<int>(min(wanted, room_of_all));
    most_ = min((count / mark_warps / 32 + 1) * 32, room);
  }
  __device__ mark_piece next() {
    const int of_set = most_ * mark_warps;
    std::int64_t after = range_.first + of_set;
    if (range_.last - range_.first > max(many_, std::int64_t{of_set}) &&
        source_(range_.first) == source_(after - 1)) {
      // Many are empty, and maybe at one item.
      const std::int64_t behind =
          lower_bound(source_, after - 1, range_.last, source_(after - 1) + 1);
      after = keeps_last_ ? max(after, behind - 1) : behind;
    }
    const std::int64_t begin = range_.first + min(lane_index(), mark_warps) * most_;
    const int count =
        static_cast<int>(max(min(range_.last - begin, std::int64_t{most_}), std::int64_t{0}));
    const std::int64_t element = source_.first_element(begin, count);
    is_last_ = after >= range_.last;
    range_.first = after;
    return {count == 0 ? 0 : element, count, is_last_, few_};
  }
  /// Whether that was the last set.
  __device__ bool is_last() const { return is_last_; }

 private:
  const Boundaries& source_;
  boundary_range range_;
  std::int64_t many_;
  bool keeps_last_;
  int most_;  // of a piece
  bool few_, is_last_ = false;
};

/// What search warps do, of which `warp` is one. `Block` is a ring_block.
template <class Block, class Boundaries>
struct boundary_searcher {
  static constexpr int num_warps = std::decay_t<decltype(Block::scan)>::search_warps;
  static constexpr int num_threads = num_warps * warp_size;
  const Block& block;
  const Boundaries& source;
  int warp;

  __device__ int thread() const { return warp * warp_size + lane_index(); }

  /// All search warps see every ticket, or a phase could pass one of them by. `wanted`: items of a
  /// tile of which boundaries are wanted, from the tile's first one on.
  __device__ void search_tiles(boundary_samples& samples, int tile_items, int wanted) const {
    samples.take(source, thread(), num_threads);
    named_barrier<2>{num_threads}.meet();
    ring_position at;
    for (int turn = 0;; turn = (turn + 1) % num_warps, at.advance(block.num_stages)) {
      const ticket drawn = block.await_ticket(at);
      if (!block.is_tile(drawn)) return;
      auto& stage = block.stages[at.stage];
      const std::int64_t first = drawn.tile * tile_items;
      boundary_range found{};
      if (turn == warp) {
        found = boundaries_between(source, samples, first, first + wanted);
        if (lane_index() == 0) stage.range = found;
      }
      stage.searched.arrive();
      // (What is in the stage may be the next tile's by now.)
      if (turn == warp) block.scan.bring_inits(found);
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
