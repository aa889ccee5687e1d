// Makes the head bits of a tile, by a team of warps of a block.
#ifndef SCAN_DEVICE_MARK_HEADS_CUH
#define SCAN_DEVICE_MARK_HEADS_CUH

#include <cstdint>

#include "scan/device/head_bits.cuh"
#include "scan/device/head_sources.cuh"

namespace scan::device {

/// Boundaries [first, last) of a tile: those that may lie in it, and none besides that is not equal
/// to one of them.
struct boundary_range {
  std::int64_t first, last;
};

/// For each `item`, the first of the boundaries [from, to) that is not less, else `to`; by a warp.
/// Of boundaries that do not rise something in between. All at once, so that the loads overlap.
template <int count, class Boundaries>
__device__ void lower_bounds(const Boundaries& boundary, std::int64_t (&from)[count],
                             std::int64_t (&to)[count], const std::int64_t (&item)[count]) {
  for (;;) {
    bool more = false, less[count];
    std::int64_t step[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      step[i] = (to[i] - from[i] + warp_size) / (warp_size + 1);  // 33 parts, or none
      const std::int64_t probe = from[i] + (lane_index() + 1) * step[i] - 1;
      less[i] = step[i] > 0 && probe < to[i] && boundary(probe) < item[i];
      more = more || step[i] > 0;
    }
    if (!more) return;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const int num_less = __popc(__ballot_sync(all_lanes, less[i]));
      const std::int64_t begin = from[i] + num_less * step[i];
      if (num_less < warp_size && step[i] > 0) to[i] = min(begin + step[i] - 1, to[i]);
      from[i] = min(begin, to[i]);
    }
  }
}
template <class Boundaries>
__device__ std::int64_t lower_bound(const Boundaries& boundary, std::int64_t first,
                                    std::int64_t last, std::int64_t item) {
  std::int64_t from[1] = {first}, to[1] = {last};
  lower_bounds(boundary, from, to, {item});
  return from[0];
}

/// `Team` has the number of its threads, `count`, a thread's `index` in it, and meet(), its
/// barrier. `bytes`: as many as the tile has items, rounded up to 16, all 0, before and after.
template <int tile_items, class Team>
struct head_marker {
  static constexpr int num_words = head_words(tile_items);
  static constexpr int num_groups = (tile_items + 15) / 16;
  static constexpr int at_once = 8;

  struct shared {
    alignas(16) unsigned char bytes[num_groups * 16];
  };

  Team team;
  shared& memory;

  /// All threads of the team, and then a barrier of its.
  __device__ void clear() const {
    for (int i = team.index; i < num_groups; i += team.count) group(i) = {};
  }

  // Both mark the items [first, first + num_valid) in `bits`; the bits of items beyond are 0. A
  // barrier has to follow.

  /// By marks. Warps take words in turn.
  template <bool reversed, class Marks>
  __device__ void mark(const Marks& marks, std::int64_t num_items, std::int64_t first,
                       int num_valid, unsigned* bits) const {
    using mark_type = typename Marks::mark;
    constexpr int words = sizeof(mark_type) <= 4 ? at_once : sizeof(mark_type) == 8 ? 4 : 2;
    const int warp = team.index / warp_size, num_warps = team.count / warp_size;
    const auto read = [&](std::int64_t item) {
      constexpr int own =
          Marks::of_two ? 1 : 0;  // else that of the item before, in memory behind it
      return marks.read(reversed ? num_items - own - item : item);
    };
    for (int word = warp; word < num_words; word += num_warps * words) {
      mark_type own[words], before[words];
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const int at = (word + i * num_warps) * 32 + lane_index();
        // (Item 0 has no mark of one: where the scan is reversed that would lie behind the array.)
        if (at < num_valid && (Marks::of_two || first + at > 0)) own[i] = read(first + at);
        if (Marks::of_two && lane_index() == 0 && at < num_valid && first + at > 0) {
          before[i] = read(first + at - 1);
        }
      }
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const int at = (word + i * num_warps) * 32 + lane_index();
        mark_type previous = own[i];
        if constexpr (Marks::of_two) {
          previous = shuffle_up(own[i], 1);
          if (lane_index() == 0) previous = before[i];
        }
        const bool head = at < num_valid && (first + at == 0 || marks.begins(previous, own[i]));
        const unsigned of_word = __ballot_sync(all_lanes, head);
        if (lane_index() == 0 && word + i * num_warps < num_words)
          bits[word + i * num_warps] = of_word;
      }
    }
  }

  /// By boundaries, of which `range` are the tile's; the team's barrier twice.
  template <class Boundaries>
  __device__ void mark(const Boundaries& boundary, boundary_range range, std::int64_t first,
                       int num_valid, unsigned* bits) const {
    const int batch = team.count * at_once;
    while (range.first < range.last) {
      std::int64_t place[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const std::int64_t j = range.first + i * team.count + team.index;
        place[i] = j < range.last ? boundary(j) - first : -1;
      }
      const std::int64_t last = range.first + batch - 1;
      // Empty segments without number begin at one item.
      const bool all_one = last < range.last && boundary(range.first) == boundary(last);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (place[i] >= 0 && place[i] < num_valid) memory.bytes[place[i]] = 1;
      }
      range.first =
          all_one ? lower_bound(boundary, last, range.last, boundary(last) + 1) : last + 1;
    }
    if (first == 0 && team.index == 0) memory.bytes[0] = 1;
    team.meet();
    for (int i = team.index; i < num_groups; i += team.count) {
      const uint4 flags = group(i);
      group(i) = {};
      reinterpret_cast<std::uint16_t*>(bits)[i] =
          static_cast<std::uint16_t>(bits_of_bytes(flags.x) | bits_of_bytes(flags.y) << 4 |
                                     bits_of_bytes(flags.z) << 8 | bits_of_bytes(flags.w) << 12);
    }
    if (team.index < 2 * num_words - num_groups) {
      reinterpret_cast<std::uint16_t*>(bits)[num_groups + team.index] = 0;
    }
    team.meet();
  }

 private:
  __device__ uint4& group(int i) const { return reinterpret_cast<uint4*>(memory.bytes)[i]; }
};

}  // namespace scan::device

#endif
