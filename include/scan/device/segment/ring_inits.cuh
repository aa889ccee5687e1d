// Inits of segments on their way into the ring: who marks where a segment begins puts its init into
// the element there, so that who folds and scans finds elements alone.
#ifndef SCAN_DEVICE_SEGMENT_RING_INITS_CUH
#define SCAN_DEVICE_SEGMENT_RING_INITS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/segment/head_bits.cuh"
#include "scan/device/segment/ring_marks.cuh"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether an element can hold its fold with an init, to the bit, and begin a segment with the
/// identity.
template <class Segments>
constexpr bool can_hold_inits() {
  using in_type = typename Segments::in_type;
  if constexpr (Segments::has_start && Segments::num_inputs == 1) {
    return std::is_same_v<typename Segments::V, in_type> &&
           std::is_same_v<typename Segments::value_type, in_type> &&
           std::is_same_v<std::decay_t<decltype(Segments::in.function)>, as_is>;
  } else {
    return false;
  }
}

/// What else a warp does that has searched for the boundaries of a tile: asks for the inits of the
/// segments that begin there.
template <class Problem>
__device__ void prefetch_inits(const Problem& scan, const boundary_range& range) {
  if (scan.init_pointer == nullptr || range.first >= range.last) return;
  const std::int64_t last = min(range.last, range.first + 2 * Problem::tile_items) - 1;
  const auto boundary = scan.boundaries();
  const std::int64_t ends[] = {boundary.segment(range.first), boundary.segment(last)};
  const auto* const from = scan.init_pointer + min(ends[0], ends[1]);
  const auto num_bytes = static_cast<int>((last - range.first + 1) * sizeof(*from));
  prefetch_bytes(from, num_bytes, lane_index(), warp_size);
}

/// Of the tile that begins at item `first`, in a stage. `Problem` is a segment_ring whose elements
/// can hold inits. Short code, without branches: it is run between the scanning warps' own, and
/// what instruction caches lose costs more than steps.
template <class Problem, class Stage>
struct ring_inits {
  using in_type = typename Problem::in_type;
  static constexpr int at_once = 4;  // of a lane, so that the loads overlap
  const Problem& scan;
  Stage& stage;
  std::int64_t first;

  /// Those of the segments that begin at the boundaries of `piece`, which are at `here`, of all
  /// that `source` knows; by a warp, when the items are there. An item gets one init: that of the
  /// last segment that begins there, and has it.
  template <class Boundaries>
  __device__ void put(const Boundaries& source, const Boundaries& here,
                      const mark_piece& piece) const {
    const tile_places<Boundaries> place_of(here, first,
                                           scan.valid_items(first, Problem::tile_items));
    // In scan order: the boundary behind the piece, and without that at which the last one ends.
    const std::int64_t begin =
        Problem::reversed ? source.element_of(piece.first + piece.count - 1) : piece.first;
    const int count = static_cast<int>(min(piece.count + begin, source.num_segments) - begin);
    const auto behind =
        source.array[source.element_of(min(begin + piece.count, source.num_segments))];
    unsigned char* const items =
        stage.slots[0][0].bytes + scan.chunk_of(scan.in.data, first).shift();
#pragma unroll 1
    for (int lead = lane_index(); lead < count; lead += at_once * warp_size) {
      typename Problem::V init[at_once];
      in_type* item[at_once];
      bool begins[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int j = lead + i * warp_size, last = piece.count - 1;
        const auto offset = here.array[held(min(j, last), last)];
        const auto inner = here.array[held(min(j + 1, last), last)];
        const auto next = j < last ? inner : behind;
        begins[i] = (j < count) & (place_of(offset) < place_of.num_valid) & (next != offset);
        item[i] = item_at(items, begins[i] ? static_cast<unsigned>(place_of(offset)) : 0);
        if (begins[i]) {
          init[i] = scan.as_operand(scan.init_pointer[scan.boundaries().segment(begin + j)]);
        }
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (begins[i]) *item[i] = scan.as_value(scan.op.op(init[i], scan.taken(*item[i])));
      }
    }
  }

 private:
  /// Where boundary j of a piece lies, in scan order.
  __device__ static int held(int j, int last) { return Problem::reversed ? last - j : j; }
  /// Not yet moved to its place in the chunk.
  __device__ static in_type* item_at(unsigned char* items, unsigned place) {
    constexpr unsigned chunk_items = Problem::warp_items;
    const unsigned chunk = place / chunk_items, item = place % chunk_items;
    items += chunk * static_cast<unsigned>(sizeof(stage.slots[0][0]));
    return reinterpret_cast<in_type*>(items) + (Problem::reversed ? chunk_items - 1 - item : item);
  }
};

/// What a marking warp does with a piece of a tile's boundaries, where elements hold inits; before
/// it passes the piece's slot on. (It has one of every tile, if it is empty: so no tile counts as
/// loaded before its items are there.)
template <class Problem, class Block, class Boundaries>
__device__ void put_inits(const Problem& scan, const Block& block, const ring_position& at,
                          std::int64_t first, const Boundaries& source, const Boundaries& here,
                          const mark_piece& piece) {
  if constexpr (Problem::heads_change_items) {
    if (!scan.has_inits_in_items()) return;
    block.memory.landed[at.stage].wait(at.parity);
    auto& stage = block.stages[at.stage];
    ring_inits<Problem, std::decay_t<decltype(stage)>>{scan, stage, first}.put(source, here, piece);
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
