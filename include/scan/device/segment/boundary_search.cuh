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

/// For each `item`, has the first of the boundaries [from, to) that is not less, else `to`, in
/// between still, `slack` apart at most; by a warp. Of boundaries that do not rise something in
/// between. All at once, so that the loads overlap.
template <int slack, int count, class Boundaries>
__device__ void lower_bounds(const Boundaries& boundary, std::int64_t (&from)[count],
                             std::int64_t (&to)[count], const std::int64_t (&item)[count]) {
  for (;;) {
    bool more = false, less[count];
    std::int64_t step[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const std::int64_t left = to[i] - from[i];
      step[i] = left <= slack ? 0 : (left + warp_size) / (warp_size + 1);  // 33 parts, or none
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
  lower_bounds<0>(boundary, from, to, {item});
  return from[0];
}

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

  /// For each `item`, between which boundaries the first is that is not less; by a warp. Looks once
  /// besides where there are many: half of the lanes divide what is left evenly, half look around a
  /// guess, at distances that grow, for where segments are about as long as each other.
  template <int num, class Boundaries>
  __device__ void narrow(const Boundaries& boundary, const std::int64_t (&item)[num],
                         std::int64_t (&from)[num], std::int64_t (&to)[num]) const {
    const int lane = lane_index(), half = warp_size / 2, quarter = half / 2;
    const int away =
        lane < quarter ? -(1 << 2 * (quarter - 1 - lane)) : (1 << 2 * (lane - quarter)) - 1;
    int place[num], length[num];
    bool less[num], looks[num];
#pragma unroll
    for (int i = 0; i < num; ++i) {
      const int sample = enclose(boundary.num_segments, item[i], from[i], to[i]);
      length[i] = static_cast<int>(to[i] - from[i]);
      looks[i] = length[i] > search_slack;
      if (!looks[i]) continue;
      const int guess = guess_of(item[i], sample, length[i]);
      place[i] = lane < half ? guess + away : length[i] / (half + 1) * (lane - half + 1);
      place[i] = min(max(place[i], 0), length[i] - 1);
      less[i] = boundary(from[i] + place[i]) < item[i];
    }
#pragma unroll
    for (int i = 0; i < num; ++i) {
      if (!looks[i]) continue;
      const int begin = __reduce_max_sync(all_lanes, less[i] ? place[i] + 1 : 0);
      const int end = __reduce_min_sync(all_lanes, less[i] ? length[i] : place[i]);
      to[i] = from[i] + end;
      from[i] += min(begin, end);
    }
  }

 private:
  /// By the samples alone; returns which of them is the first that is not less. (Brackets are short
  /// of 2^31: 512 of them are all boundaries there are.)
  __device__ int enclose(std::int64_t num_boundaries, std::int64_t item, std::int64_t& from,
                         std::int64_t& to) const {
    const auto less = [&](int i) { return __popc(__ballot_sync(all_lanes, of[i] < item)); };
    const int lane = lane_index();
    const int group = less(min(lane, groups - 1) * warp_size + warp_size - 1);
    const int sample = group >= groups ? count : group * warp_size + less(group * warp_size + lane);
    const std::int64_t step = apart(num_boundaries);
    from = sample == 0 ? 0 : min((sample - 1) * step + 1, num_boundaries);
    to = min(sample * step, num_boundaries);
    return sample;
  }
  /// Of `length` boundaries before that sample the one at `item`, if they are as far apart as each
  /// other. Any guess will do.
  __device__ int guess_of(std::int64_t item, int sample, int length) const {
    const std::int64_t low = of[max(sample - 1, 0)], high = of[min(sample, count - 1)];
    const float part = __fdividef(static_cast<float>(item - low), static_cast<float>(high - low));
    return static_cast<int>(fminf(fmaxf(part, 0), 1) * static_cast<float>(length));
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
