// A tile in a block of the ring kernel: where its items lie in shared memory, and how they come
// there.
#ifndef SCAN_DEVICE_SEQUENCE_RING_STAGE_CUH
#define SCAN_DEVICE_SEQUENCE_RING_STAGE_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/sequence/ring_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a block holds of one tile; in dynamic shared memory.
template <class Problem>
struct ring_stage : Problem::stage_heads {
  using slot = typename Problem::in_slot;
  using place = typename Problem::place;
  static constexpr int num_chunks = Problem::ring.scan_warps;
  slot slots[Problem::num_inputs][num_chunks];
  /// Fold of the chunk's items before each lane's run; means nothing for lane 0.
  shared_array<typename Problem::runs::lane_value, warp_size> before_lane[num_chunks];

  /// Chunk `c` of an array, where chunks are `apart` bytes apart: see chunks_apart.
  __device__ slot& chunk(int which, int c, int apart) {
    if constexpr (!Problem::packs_tiles) return slots[which][c];
    const int at = Problem::reversed ? num_chunks - 1 - c : c;  // in memory's order
    return *reinterpret_cast<slot*>(reinterpret_cast<unsigned char*>(slots[which]) + at * apart);
  }
  /// Chunks have a slot each, with room for granules that they share with others; or, where those
  /// of `scan` share none, lie one behind the other as in memory.
  __device__ static int chunks_apart(const Problem& scan) {
    if constexpr (Problem::packs_tiles) {
      if (scan.is_packed()) return slot::most_bytes;
    }
    return sizeof(slot);
  }

  /// Folds chunk `c` of a tile of `scan`, `num_valid` items at `items`, and keeps what is before
  /// each lane's. Returns the fold up to the lane's, of lanes that have any. All lanes of a warp.
  template <class Scan>
  __device__ auto fold_chunk(const Scan& scan, std::int64_t tile, int c, const unsigned char* items,
                             int num_valid) {
    using runs = typename Problem::runs;
    const int num_lanes = lanes_of(num_valid);
    const auto heads = runs::heads_to_fold(scan, tile, *this, c);
    const auto folded = runs::fold(scan, items, num_valid, heads);
    const auto scanned = warp_inclusive_scan(folded, num_lanes, scan.op);
    before_lane[c][lane_index()] = runs::kept(shuffle_up(scanned, 1));
    return scanned;
  }
  /// Scans it, which has items, after `before_chunk`; the results may take the items' place.
  /// Returns the fold up to the lane's items and of what is before them.
  template <class Scan, class Before, class Heads>
  __device__ Before scan_chunk(const Scan& scan, std::int64_t tile, int c,
                               const unsigned char* items, unsigned char* results, int num_valid,
                               const Before& before_chunk, const Heads& heads) {
    using runs = typename Problem::runs;
    // (Lanes without items have no fold before them, and no use for one.)
    const bool has_earlier = lane_index() > 0 && lane_index() * Problem::run_items < num_valid;
    const Before before = join(
        before_chunk, {runs::restored(before_lane[c][lane_index()], heads), has_earlier}, scan.op);
    const Before end = runs::scan_items(scan, items, results, num_valid, before, heads);
    runs::finish(scan, tile, *this, c, results, num_valid, end, heads);
    return end;
  }
  /// Lanes that have items of a chunk.
  __device__ static int lanes_of(int num_valid) {
    return (num_valid + Problem::run_items - 1) / Problem::run_items;
  }

  __device__ static std::int64_t first_item(const place& at, int chunk) {
    return at.tile * Problem::tile_items + chunk * Problem::warp_items;
  }
  __device__ static auto input_chunk(const place& at, int which, int chunk) {
    return at.scan.chunk_of(at.scan.input(which), first_item(at, chunk));
  }

  /// Loads a tile's items of one array, by a warp; `done` tells when they are there. One copy if
  /// that can be: lanes start theirs one after another, which tiles would wait for.
  __device__ void load(const place& from, int which, int apart, phase_barrier& done) {
    if constexpr (Problem::packs_tiles) {
      constexpr int num_bytes = num_chunks * slot::most_bytes;
      const std::int64_t first = first_item(from, 0);
      const bool is_whole = from.scan.num_items - first >= Problem::tile_items;
      if (is_whole && apart == slot::most_bytes) {
        if (lane_index() == 0) {
          done.expect(num_bytes);
          load_bulk(slots[which], from.scan.whole_tile(which, first), num_bytes, done);
        }
        return;
      }
    }
    load_chunks(from, which, apart, done);
  }

 private:
  __device__ void load_chunks(const place& from, int which, int apart, phase_barrier& done) {
    const auto* const array = from.scan.input(which);
    const auto* begin = parts_at(array);
    const auto* end = parts_at(array + from.scan.num_items);
    bool has_rest = false;
    for (int c = lane_index(); c < num_chunks; c += warp_size) {
      const auto mine = input_chunk(from, which, c);
      chunk(which, c, apart).load(mine, begin, end, done);
      has_rest = has_rest || slot::has_rest(mine, begin, end);
    }
    if (__any_sync(all_lanes, has_rest)) {  // the first or the last tile
      for (int c = 0; c < num_chunks; ++c) {
        chunk(which, c, apart).load_rest(input_chunk(from, which, c), begin, end);
      }
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
