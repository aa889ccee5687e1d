// A slice as the kernels scan it: what precedes it is read when it is known, on the device.
#ifndef SCAN_DEVICE_SLICE_PROBLEM_CUH
#define SCAN_DEVICE_SLICE_PROBLEM_CUH

#include <type_traits>

#include "scan/device/slice_message.hpp"
#include "scan/host_device.hpp"
#include "scan/protocol/prefix.hpp"

namespace scan::device {

/// What the ranks before have told.
template <class T>
struct slice_start {
  prefix<T> before;  // the fold of init and of all slices before this one
  bool is_refused;   // then nothing is to be written
};
inline constexpr int most_start_bytes = 256;

/// Marks problems that may turn out not to be scanned: see left_alone.
struct refusable {};

/// `Problem` as a slice of a longer one.
template <class Problem>
struct slice_problem : Problem, refusable {
  using typename Problem::T;
  static_assert(sizeof(slice_start<T>) <= most_start_bytes);
  const slice_start<T>* slice;

  slice_problem(const Problem& scan, const slice_start<T>* from) : Problem(scan), slice(from) {}
  SCAN_HOST_DEVICE prefix<T> start() const { return slice->before; }
  SCAN_HOST_DEVICE bool is_refused() const { return slice->is_refused; }
};

/// Whether a kernel is to end without having done anything; after await_earlier_kernels. All blocks
/// are told the same, so no ticket is drawn and the tile states stay as they are.
template <class Problem>
__device__ bool left_alone(const Problem& scan) {
  if constexpr (std::is_base_of_v<refusable, Problem>) {
    return scan.is_refused();
  } else {
    return false;
  }
}

}  // namespace scan::device

#endif
