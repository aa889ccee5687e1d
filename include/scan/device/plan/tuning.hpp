// Tuning of the kernels: plain numbers, chosen by element size alone. Which kernel scans an input
// is in sequence_plan.hpp; numbers that a family has for itself are in its plan.
//
// All were measured on an H200, in November 2026. What they rest on is named beside them: the part
// of bench/NOTES.md, and the day.
#ifndef SCAN_DEVICE_PLAN_TUNING_HPP
#define SCAN_DEVICE_PLAN_TUNING_HPP

#include <cstddef>
#include <cstdint>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of the kernels that hold tiles in registers. A thread holds `stripes` vectors of `vector_items`
/// elements; a stripe is a warp's 32 vectors, contiguous in memory.
struct tuning {
  int threads_per_block;
  int blocks_per_sm;
  int stripes;
  int vector_items;

  SCAN_HOST_DEVICE constexpr int warps_per_block() const { return threads_per_block / 32; }
  SCAN_HOST_DEVICE constexpr int stripe_items() const { return 32 * vector_items; }
  SCAN_HOST_DEVICE constexpr int warp_items() const { return stripes * stripe_items(); }
  SCAN_HOST_DEVICE constexpr int tile_items() const { return warps_per_block() * warp_items(); }
};

/// Of the ring kernel. A tile is `scan_warps` chunks, each scanned by a warp of its own after
/// one of `reduce_warps` others has reduced it; a thread's run of a chunk is `vectors_per_thread`
/// consecutive vectors of `vector_items` elements.
struct ring_tuning {
  int scan_warps;
  int reduce_warps;
  int vectors_per_thread;  // odd: lanes that read their runs side by side meet different banks
  int vector_items;
  int look_delay_ns;  // from a tile's own aggregate to the look for the others'

  SCAN_HOST_DEVICE constexpr int run_items() const { return vectors_per_thread * vector_items; }
  SCAN_HOST_DEVICE constexpr int warp_items() const { return 32 * run_items(); }
  SCAN_HOST_DEVICE constexpr int tile_items() const { return scan_warps * warp_items(); }
  SCAN_HOST_DEVICE constexpr int threads_per_block() const {
    return 32 * (scan_warps + reduce_warps + 3);
  }
};

/// Elements of a 16-byte vector, at least one.
constexpr int vector_items_for(int element_bytes) {
  int items = 1;
  while (2 * items * element_bytes <= 16) items *= 2;
  return items;
}

/// The look-back kernel's for elements of at most `element_bytes` bytes (the larger of input
/// and output).
///
/// A tile is 32 KiB (16 KiB for elements of more than 32 bytes, whose prefixes would not fit shared
/// memory); a block has two of them in registers, two blocks an SM. More stripes or threads spill
/// registers, and lose on small inputs what they win on large ones; a number of stripes that is no
/// power of two makes every power of two end in a partial tile. (bench/NOTES.md)
constexpr tuning tuning_for(int element_bytes) {
  const int thread_bytes = element_bytes <= 32 ? 128 : 64;
  return {256, 2, thread_bytes / (element_bytes > 16 ? element_bytes : 16),
          vector_items_for(element_bytes)};
}

/// Stripes of the wave's and the cluster's blocks: one where the input is small, two, and as many
/// as registers have room for where it fills the chip: 8 (and 4 for 8-byte elements, whose scans
/// across lanes take twice the shuffles). (bench/NOTES.md)
constexpr int most_wave_stripes(int element_bytes) {
  return element_bytes > 16 ? 1 : element_bytes > 8 ? 2 : 8;
}
constexpr bool has_wave_stripes(int element_bytes, int stripes) {
  return stripes <= most_wave_stripes(element_bytes) && (stripes != 4 || element_bytes > 4);
}
/// Threads of such a block at most, one block a multiprocessor: as many as registers, and shared
/// memory for a value a stripe, have room for.
constexpr int most_wave_threads(int element_bytes, int stripes) {
  return element_bytes > 16 ? 256 : element_bytes > 4 && stripes == 8 ? 704 : 1024;
}

/// The ring kernel's: tiles of 35 KiB (16-byte elements: 42). Six of them fit shared memory;
/// smaller ones have more aggregates to look at than there is time for, with larger ones fewer are
/// under way. Tile and delay go together: the optimum is narrow (bench/NOTES.md). Where results are
/// wider than items (`widens`) a tile is less to load, and 49 KiB to store.
constexpr ring_tuning ring_tuning_for(int element_bytes, bool widens) {
  const int vector_items = vector_items_for(element_bytes);
  if (widens && element_bytes <= 8) return {14, 5, 7, vector_items, 100};
  if (element_bytes > 8) return {12, 4, 7, vector_items, 300};
  return {10, 5, 7, vector_items, 300};
}

/// The same for segments, whose blocks have warps and memory for heads besides: warps that make
/// bits of marks, and that search offsets, tile by tile in turn.
struct segment_ring_tuning {
  ring_tuning ring;
  int mark_warps, search_warps;

  SCAN_HOST_DEVICE constexpr int threads_per_block() const {
    return ring.threads_per_block() + 32 * (mark_warps + 1 + search_warps);
  }
};
/// Tiles of 32 KiB, so that five or six fit; where segments have values larger ones, of narrow
/// elements most, because what their numbers cost is a tile's. Of 28 warps a thread has as many
/// registers as of 25.
///
/// Who folds recurrences is the slowest of all: for each chunk there is a warp, and of marks and
/// searches less, as many as that leaves; those of 16 bits gain by shorter runs and more warps, in
/// spite of what they spill. (bench/NOTES.md, "Who folds recurrences by segments", H200,
/// 2026-11-27)
constexpr segment_ring_tuning segment_ring_tuning_for(int element_bytes, int num_inputs,
                                                      bool is_recurrence, bool valued) {
  const int vector_items = vector_items_for(element_bytes);
  const bool narrow = element_bytes < 4;
  if (is_recurrence && narrow) return {{12, 12, 3, vector_items, 300}, 3, 1};
  if (is_recurrence && num_inputs > 1) return {{9, 9, 5, vector_items, 300}, 4, 2};
  if (is_recurrence) return {{10, 10, 7, vector_items, 300}, 3, 1};
  if (valued && narrow) return {{12, 6, 7, vector_items, 300}, 4, 2};
  return {{valued ? 10 : 9, 5, 7, vector_items, 300}, 6, 3};
}

/// What travels through a block of segments without a ring, in bytes: elements, results as they are
/// kept, and as they are stored, and a thread's fold of values.
struct block_bytes {
  int in, kept, stored, fold;

  constexpr int result() const { return kept < stored ? stored : kept; }
  constexpr int widest() const { return in < result() ? result() : in; }
  /// Whether results take the place of elements, while others read theirs.
  constexpr bool one_slot() const { return in == kept && stored <= in; }
  /// Elements of a vector: those of 16 bytes, or so many that all fill words.
  constexpr int vector_items() const {
    int items = vector_items_for(widest());
    while (!fill_word(items * in) || !fill_word(items * kept) || !fill_word(items * stored)) {
      items *= 2;
    }
    return items;
  }
  static constexpr bool fill_word(int bytes) { return bytes <= 2 || bytes % 4 == 0; }
};

/// The kernel of segments that has no ring, a warp a chunk: tiles of 10 KiB, of which a
/// multiprocessor has several; of wide elements more, and of none more than 40 KiB with results and
/// a fold a thread. ("Segments without a ring", H200, 2026-11-29)
constexpr ring_tuning segment_block_tuning_for(const block_bytes& bytes, bool is_recurrence) {
  const int widest = bytes.widest(), items = bytes.vector_items();
  const int item_bytes =
      bytes.in * (is_recurrence ? 2 : 1) + (bytes.one_slot() ? 0 : bytes.result());
  int vectors = is_recurrence || widest > 16 ? 3 : 5;
  int warps = widest > 16 && widest <= 32 ? 8 : 4;
  const auto fit = [&] {
    return warps * 32 * (vectors * items * item_bytes + bytes.fold) <= 40 * 1024;
  };
  while (!fit() && vectors > 1) vectors -= 2;
  while (!fit() && warps > 1) warps /= 2;
  return {warps, 0, vectors, items, 0};
}
/// Its blocks on a multiprocessor: as many as registers have room for.
constexpr int segment_blocks_per_sm(const block_bytes& bytes) {
  return bytes.widest() > 16 || bytes.fold > 16 ? 2 : 7;
}

/// The same for recurrences along rows, of factors and offsets or of one factor, in one order.
/// Their operator is slow: of twice as many elements twice as many warps fold. (bench/NOTES.md,
/// "Walks", H100, 2026-11-25.)
constexpr ring_tuning recurrence_ring_tuning_for(int element_bytes, int num_inputs = 2) {
  return {10, element_bytes < 4 ? 10 : 5, 5, vector_items_for(element_bytes),
          num_inputs > 1 ? 300 : 0};
}

/// Whether the ring kernel takes elements of these sizes, computed with in `value_bytes`: vectors
/// of them have to fill granules of 16 bytes.
constexpr bool ring_takes(std::size_t in_bytes, std::size_t out_bytes, std::size_t value_bytes) {
  const std::size_t widest = in_bytes > out_bytes ? in_bytes : out_bytes;
  return (in_bytes & (in_bytes - 1)) == 0 && (out_bytes & (out_bytes - 1)) == 0 && widest <= 16 &&
         value_bytes <= 16;
}

/// These as types, for templates; a type with others is how they are tried out.
template <int element_bytes_, bool widens_ = false>
struct tuned {
  static constexpr int element_bytes = element_bytes_;
  static constexpr tuning tile = tuning_for(element_bytes);
  static constexpr bool widens = widens_;
  static constexpr ring_tuning ring = ring_tuning_for(element_bytes, widens);
  /// `lone_bytes`: misaligned elements of as many bytes or more are moved one by one.
  template <int stripes_, int lone_bytes_ = (stripes_ == 1 ? 4 : 8)>
  struct wave {
    static constexpr int stripes = stripes_;
    static constexpr int vector_items = vector_items_for(element_bytes);
    static constexpr int most_threads = most_wave_threads(element_bytes, stripes);
    static constexpr int lone_bytes = lone_bytes_;
  };
  template <int stripes>
  using cluster = wave<stripes, 4>;
};

// ---- looks ----

/// Warps of the look-back kernel's blocks that look back together, one tile a lane. ("The look-back
/// kernel", 11-21)
inline constexpr int look_back_warps = 8;
/// Batches of 32 tiles that a warp by itself looks at at once: of 6 nearly all that blocks have
/// under way; fewer take fewer registers. ("The ring", 11-21)
inline constexpr int most_warp_batches = 6, few_warp_batches = 2;
/// Of the ring's. Of recurrences' folds as many as registers last for: of double 6 took 196 bytes
/// of spills, and a tenth more time. ("Walks", H100, 2026-11-25) By segments they are of three
/// words, and two batches are the faster ones. ("Recurrences by segments", 2026-11-26) Likewise of
/// folds of segments of elements of 8 bytes. ("Segments with values in the ring", 2026-11-26)
constexpr int ring_look_batches(bool is_recurrence, bool has_heads, std::size_t fold_bytes) {
  if (is_recurrence) return fold_bytes < 16 && !has_heads ? 4 : few_warp_batches;
  return has_heads && fold_bytes >= 16 ? 4 : most_warp_batches;
}
/// How long those who have looked in vain leave the memory system to those they wait for: longer
/// the longer it lasts. (Shorter ones: "What fits the chip", 11-21; none, of columns: "Columns",
/// 11-22; neither made a difference.)
SCAN_HOST_DEVICE constexpr unsigned look_pause_ns(int attempt) {
  return attempt < 5 ? 20u << attempt : 320u;
}
/// Of a warp by itself.
SCAN_HOST_DEVICE constexpr unsigned warp_look_pause_ns(int attempt) {
  return attempt < 4 ? 20u << attempt : 200u;
}

// ---- other numbers that several kernels have in common ----

/// Stages of a ring at most: shared memory has room for fewer, but of the narrowest elements.
inline constexpr int most_ring_stages = 16;
/// Bytes of first tiles that are asked for before it is known which block will take them: of more,
/// the tickets wait behind what was asked for, by more than is won. ("The look-back kernel", 11-21:
/// what tickets wait for)
inline constexpr std::int64_t most_prefetched_bytes = std::int64_t{6} << 20;

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
