// Which boundaries of segments lie in a tile: searched for by warps, beginning with samples of them
// in shared memory.
#ifndef SCAN_DEVICE_SEGMENT_BOUNDARY_SEARCH_CUH
#define SCAN_DEVICE_SEGMENT_BOUNDARY_SEARCH_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/segment_plan.hpp"
#include "scan/device/segment/head_sources.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Boundaries [first, last) of a tile: all that lie in it, and a few besides.
struct boundary_range {
  std::int64_t first, last;
};

/// The first of the boundaries [first, last) that is not less than `item`, else `last`; of such as
/// do not rise something in between. By a warp, of which a trip to memory leaves one of 33 parts.
template <class Boundaries>
__device__ std::int64_t lower_bound(const Boundaries& boundary, std::int64_t first,
                                    std::int64_t last, std::int64_t item) {
  while (uniform(first < last)) {
    const std::int64_t step = (last - first + warp_size) / (warp_size + 1);
    const std::int64_t probe = first + (lane_index() + 1) * step - 1;
    const bool less = probe < last && boundary(probe) < item;
    const int num_less = __popc(__ballot_sync(all_lanes, less));
    const std::int64_t begin = first + num_less * step;
    if (num_less < warp_size) last = min(begin + step - 1, last);
    first = min(begin, last);
  }
  return first;
}

/// The lower or the upper half of a warp. Each searches for an item of its own, by one code: what a
/// tile's warps run has to fit a cache of instructions. (bench/NOTES.md, "What instruction caches
/// hold")
struct half_warp {
  static constexpr int lanes = warp_size / 2;
  __device__ static int lane() { return lane_index() % lanes; }
  __device__ static bool is_upper() { return lane_index() >= lanes; }
  /// Of how many of its lanes; here and below, all lanes of the warp call.
  __device__ static int count(bool says) {
    const unsigned of_warp = __ballot_sync(all_lanes, says);
    return __popc(is_upper() ? of_warp >> lanes : of_warp & ((1u << lanes) - 1));
  }
  /// The greatest of its lanes, of numbers that are not negative.
  __device__ static int greatest(int of_lane) {
    const int lower = warp_max(is_upper() ? 0 : of_lane);
    const int upper = warp_max(is_upper() ? of_lane : 0);
    return is_upper() ? upper : lower;
  }
};
/// One of the `length` boundaries from `first` on is the first that is not less than an item, or
/// the one behind them is. (They are short of 2^31: 512 times as many are all there are.)
struct boundary_bracket {
  std::int64_t first;
  int length;

  /// Until no more than `slack` are left; by half a warp.
  template <int slack, class Boundaries>
  __device__ void narrow(const Boundaries& boundary, std::int64_t item) {
    while (__any_sync(all_lanes, length > slack)) {
      constexpr int lanes = half_warp::lanes;
      const int step = length > slack ? (length + lanes) / (lanes + 1) : 0;  // 17 parts, or none
      const int probe = (half_warp::lane() + 1) * step - 1;
      const bool less = step > 0 && probe < length && boundary(first + probe) < item;
      const int num_less = half_warp::count(less), begin = num_less * step;
      if (step > 0 && num_less < lanes) length = min(begin + step - 1, length);
      leave_out(begin);
    }
  }
  __device__ void leave_out(int num_first) {
    const int fewer = min(num_first, length);
    first += fewer;
    length -= fewer;
  }
};

/// Boundaries as far apart as each other; beyond the last INT64_MAX.
struct boundary_samples {
  static constexpr int groups = num_sample_groups, count = groups * warp_size;
  std::int64_t of[count];

  __device__ static std::int64_t apart(std::int64_t num_boundaries) {
    return (num_boundaries + count - 1) / count;
  }
  /// Asks for them, where `boundary` need not know its range yet; by `num_threads` threads, of
  /// which this is `index`, here and below.
  template <class Boundaries>
  __device__ void ask(const Boundaries& boundary, int index, int num_threads) {
    const std::int64_t step = apart(boundary.num_segments);
    for (int i = index; i < count && i * step < boundary.num_segments; i += num_threads) {
      const auto* const from = boundary.address_of(i * step);
      if (boundary.wide != 0) {
        __pipeline_memcpy_async(of + i, from, 8);
      } else {
        __pipeline_memcpy_async(of + i, from, 4);
      }
    }
  }
  /// Has what this thread has asked for.
  template <class Boundaries>
  __device__ void take(const Boundaries& boundary, int index, int num_threads) {
    const std::int64_t step = apart(boundary.num_segments);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = index; i < count; i += num_threads) {
      const std::int64_t asked = boundary.wide != 0 ? of[i] : static_cast<std::uint32_t>(of[i]);
      of[i] = i * step < boundary.num_segments ? boundary.place_of(asked) : INT64_MAX;
    }
  }

  /// Where the first boundary is that is not less than `item`, by half a warp. Looks once besides
  /// where there are many: some lanes around a guess, for where segments are about as long as each
  /// other, the others divide what is left evenly.
  template <class Boundaries>
  __device__ boundary_bracket bracket(const Boundaries& boundary, std::int64_t item) const {
    constexpr int guessing = 4, others = half_warp::lanes - guessing, near = search_slack / 2;
    const int sample = first_not_less(item), lane = half_warp::lane();
    const std::int64_t step = apart(boundary.num_segments);
    const std::int64_t from = sample == 0 ? 0 : min((sample - 1) * step + 1, boundary.num_segments);
    boundary_bracket found{from,
                           static_cast<int>(min(sample * step, boundary.num_segments) - from)};
    const bool looks = found.length > search_slack;
    if (!__any_sync(all_lanes, looks)) return found;
    const int away = (lane < 2 ? near : 8 * near) * (lane % 2 == 0 ? -1 : 1);
    const int part = found.length / (others + 1) * (lane - guessing + 1);
    const int place = lane < guessing ? guess_of(item, sample, found.length) + away : part;
    const int probe = min(max(place, 0), found.length - 1);
    const bool less = looks && boundary(found.first + probe) < item;
    const int begin = half_warp::greatest(less ? probe + 1 : 0);
    const int behind = half_warp::greatest(looks && !less ? found.length - probe : 0);
    found.length -= behind;
    found.leave_out(begin);
    return found;
  }

 private:
  /// By half a warp, whose lanes are as many as groups.
  __device__ int first_not_less(std::int64_t item) const {
    static_assert(groups == half_warp::lanes);
    const int lane = half_warp::lane();
    const int group = half_warp::count(of[lane * warp_size + warp_size - 1] < item);
    const std::int64_t* const its = of + min(group, groups - 1) * warp_size + lane;
    // (Behind all groups: as many as there are samples.)
    const int before =
        half_warp::count(its[0] < item) + half_warp::count(its[half_warp::lanes] < item);
    return group * warp_size + (group < groups ? before : 0);
  }
  /// Of `length` boundaries before that sample the one at `item`, if they are as far apart as each
  /// other. Any guess will do.
  __device__ int guess_of(std::int64_t item, int sample, int length) const {
    const std::int64_t low = of[max(sample - 1, 0)], high = of[min(sample, count - 1)];
    const float part = __fdividef(static_cast<float>(item - low), static_cast<float>(high - low));
    return static_cast<int>(fminf(fmaxf(part, 0), 1) * static_cast<float>(length));
  }
};

/// The boundaries of the items [first, end): by a warp, of which each half looks for one end.
template <class Boundaries>
__device__ boundary_range boundaries_between(const Boundaries& source,
                                             const boundary_samples& samples, std::int64_t first,
                                             std::int64_t end) {
  const std::int64_t item = half_warp::is_upper() ? end : first;
  boundary_bracket at = samples.bracket(source, item);
  at.template narrow<search_slack>(source, item);
  return {shuffle(at.first, 0), shuffle(at.first + at.length, half_warp::lanes)};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
