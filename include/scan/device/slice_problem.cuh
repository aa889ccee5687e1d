// A slice as the kernels scan it: what precedes it is read when it is known, on the device.
#ifndef SCAN_DEVICE_SLICE_PROBLEM_CUH
#define SCAN_DEVICE_SLICE_PROBLEM_CUH

#include <type_traits>

#include "scan/device/slice_message.hpp"
#include "scan/host_device.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/slice_part.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What the ranks before have told.
template <class T>
struct slice_start {
  prefix<T> before;  // the fold of init and of all slices before this one
  bool is_refused;   // then nothing is to be written
};
inline constexpr int most_start_bytes = 256;

/// Marks problems that are loaded and reduced while it is found out what precedes them, and whether
/// they are scanned. The kernel that finds that out has let in theirs when all before it had ended:
/// when its blocks begin, the input is there, and the tile states, and nothing else.
struct loaded_early {};
template <class Problem>
inline constexpr bool is_loaded_early = std::is_base_of_v<loaded_early, Problem>;

/// `Problem` as a slice of a longer one.
template <class Problem>
struct slice_problem : Problem, refusable, loaded_early {
  using typename Problem::T;
  static_assert(sizeof(slice_start<T>) <= most_start_bytes);
  const slice_start<T>* slice;

  slice_problem(const Problem& scan, const slice_start<T>* from) : Problem(scan), slice(from) {}
  SCAN_HOST_DEVICE prefix<T> start() const { return slice->before; }
  SCAN_HOST_DEVICE bool is_refused() const { return slice->is_refused; }
};

/// Whether nothing is to be written; after await_earlier_kernels. All blocks are told the same.
template <class Problem>
__device__ bool left_alone(const Problem& scan) {
  if constexpr (std::is_base_of_v<refusable, Problem>) {
    return scan.is_refused();
  } else {
    return false;
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
