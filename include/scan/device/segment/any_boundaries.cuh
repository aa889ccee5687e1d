// The offsets of a call by number, whatever their type: for those who look at a few of them.
#ifndef SCAN_DEVICE_SEGMENT_ANY_BOUNDARIES_CUH
#define SCAN_DEVICE_SEGMENT_ANY_BOUNDARIES_CUH

#include <cstdint>

#include "scan/device/segment/head_sources.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The offsets of a call, in scan order: see boundaries. How wide they are is known when the kernel
/// runs, and reading them takes no branch, which would wait for each of several loads.
template <bool reversed>
struct any_boundaries {
  const std::uint32_t* words;
  bool wide;
  std::int64_t num_segments;
  item_range range{};

  /// One that is read now and needed later: nobody waits for it in between.
  struct pending {
    std::uint32_t low = 0, high = 0;
    __device__ std::int64_t raw() const {
      return static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
    }
  };
  __device__ pending ask(std::int64_t j) const {
    const std::uint32_t* const at = words + (wide ? 2 * j : j);
    pending asked;
    asked.low = at[0];
    if (wide) asked.high = at[1];
    return asked;
  }
  __device__ std::int64_t raw(std::int64_t j) const { return ask(j).raw(); }
  __device__ std::int64_t offset(std::int64_t j) const {
    return raw(offset_index<reversed>(j, num_segments));
  }
  __device__ std::int64_t place_of(std::int64_t offset) const {
    return item_at<reversed>(offset, range.first, range.count);
  }
  __device__ std::int64_t operator()(std::int64_t j) const { return place_of(offset(j)); }
  __device__ pending ask_boundary(std::int64_t j) const {
    return ask(offset_index<reversed>(j, num_segments));
  }
  /// Of segment j in scan order its number among the caller's.
  __device__ std::int64_t segment(std::int64_t j) const {
    return reversed ? num_segments - 1 - j : j;
  }

  /// The last boundary that is not behind `item`, from `first` on, which is not; but not the end.
  __device__ std::int64_t last_at(std::int64_t item, std::int64_t first) const {
    std::int64_t step = 1;
    while (first + step < num_segments && (*this)(first + step) <= item) {
      first += step;
      step *= 2;
    }
    for (; step > 0; step /= 2) {
      if (first + step < num_segments && (*this)(first + step) <= item) first += step;
    }
    return first;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
