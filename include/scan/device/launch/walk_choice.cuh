// The launches of what goes along its sequences whatever is asked for: recurrences along rows, and
// columns that are walked.
#ifndef SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_WALK_CHOICE_CUH

#include <cstdint>

#include "scan/device/launch/column_choice.cuh"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/round_choice.cuh"
#include "scan/device/launch/row_choice.cuh"
#include "scan/device/walk/walk_vectors.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class Launch, class Tensor>
status choose_walked_rows(Launch& to, const Tensor& scan, bool extra_output,
                          const device_limits& limits) {
  constexpr int short_bytes = short_row_cut<Tensor>::element_bytes;
  const std::int64_t short_vectors = vectors_of(scan.shape.length, short_bytes);
  if (short_vectors > short_row_vectors) return choose_long_rows(to, scan, limits);
  if constexpr (Tensor::num_outputs > 1) {
    if (!short_row_walk_cut<Tensor>::takes(scan, extra_output)) {
      return choose_row_rounds<1, short_bytes>(to, scan, {1, 1, 1}, limits);  // (the same order)
    }
  }
  return choose_short_rows(to, scan, extra_output, limits);
}

/// The kernel of a tensor of sequences that are there, which goes along each of them; rows are
/// those of a recurrence.
template <class Launch, class Tensor>
status choose_walk(Launch& to, const Tensor& scan, bool extra_output, const device_limits& limits) {
  if constexpr (Tensor::is_recurrence) {
    if (scan.shape.inner == 1) return choose_walked_rows(to, scan, extra_output, limits);
  }
  if (scan.shape.length > most_walked_rows) {
    return {cudaErrorNotSupported, "options.algorithm: walk takes columns of less than 2^30 steps"};
  }
  const std::int64_t strips = walk_strips_of(scan.shape.inner, walked_bytes<Tensor>, 1).per_slab;
  if (scan.shape.outer > INT32_MAX / strips) {
    return {cudaErrorInvalidValue, "extents: more strips than a kernel has blocks"};
  }
  // (One kernel for both directions, if the operator is the same.)
  return choose_walked_columns(to, scan.forwards(), Tensor::reversed, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
