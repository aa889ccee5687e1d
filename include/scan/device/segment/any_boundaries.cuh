// The offsets of a call by number, whatever their type: for those who search, or look at a few.
#ifndef SCAN_DEVICE_SEGMENT_ANY_BOUNDARIES_CUH
#define SCAN_DEVICE_SEGMENT_ANY_BOUNDARIES_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/segment/head_sources.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Keeps a number in its register, where it would be computed again for each boundary.
__device__ inline void hold(int& number) { asm("" : "+r"(number)); }
__device__ inline void hold(std::int64_t& number) { asm("" : "+l"(number)); }

/// The offsets of a call, in scan order: see boundaries. How wide they are is known when the kernel
/// runs, and reading them takes no branch, which would wait for each of several loads. `Offset`: of
/// as many bits as are read; those that are as they should be in a call of fewer than 2^31 elements
/// fit 31 of them, so there of wide ones the lower half is read, whatever the upper one is.
template <bool reversed, class Offset = std::int64_t>
struct any_boundaries {
  using signed_offset = std::make_signed_t<Offset>;  // of items, too
  static constexpr bool reads_all = sizeof(Offset) == 8;
  const std::uint32_t* words;
  int wide;  // 1 or 0
  std::int64_t num_segments;
  range_in<Offset> range{};

  /// One that is read now and needed later: nobody waits for it in between.
  struct pending {
    std::uint32_t low = 0, high = 0;
    __device__ Offset raw() const {
      return static_cast<Offset>(reads_all ? std::uint64_t{high} << 32 | low : low);
    }
  };
  /// Where boundary `j` lies.
  __device__ const std::uint32_t* address_of(std::int64_t j) const {
    return words + (offset_index<reversed>(j, num_segments) << wide);
  }
  __device__ pending ask(std::int64_t j) const {
    const std::uint32_t* const at = words + (j << wide);
    pending asked;
    asked.low = at[0];
    if (reads_all && wide != 0) asked.high = at[1];
    return asked;
  }
  /// As it lies in memory.
  __device__ signed_offset raw(std::int64_t j) const {
    return static_cast<signed_offset>(ask(j).raw());
  }
  __device__ Offset offset(std::int64_t j) const {
    return ask(offset_index<reversed>(j, num_segments)).raw();
  }
  __device__ signed_offset place_of(Offset offset) const {
    return static_cast<signed_offset>(item_at<reversed>(offset, range.first, range.count));
  }
  __device__ signed_offset operator()(std::int64_t j) const { return place_of(offset(j)); }
  __device__ pending ask_boundary(std::int64_t j) const {
    return ask(offset_index<reversed>(j, num_segments));
  }
  /// In memory the first one of the `count` boundaries from `begin` on.
  __device__ std::int64_t first_element(std::int64_t begin, int count) const {
    return reversed ? num_segments - (begin + count - 1) : begin;
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
