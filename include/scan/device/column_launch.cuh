// Launches scans along an axis that is not the last.
#ifndef SCAN_DEVICE_COLUMN_LAUNCH_CUH
#define SCAN_DEVICE_COLUMN_LAUNCH_CUH

#include <cstdint>

#include "scan/device/call_memory.hpp"
#include "scan/device/column_kernel.cuh"
#include "scan/device/device_limits.hpp"
#include "scan/device/enqueue.cuh"
#include "scan/device/prepared.cuh"
#include "scan/options.hpp"
#include "scan/status.hpp"

namespace scan::device {

/// Scans the sequences of a tensor whose arguments have been checked and whose extents are
/// positive, inner 2 or more. `scan` is a tensor_problem.
template <class Tensor>
status launch_columns(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                      const device_limits& limits) noexcept {
  using problem = column_problem<Tensor>;
  const problem tiled(scan);
  if (tiled.cut.num_tiles() > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  const std::size_t num_bytes = tiled.cut.states_bytes(problem::sizes.value);
  grid blocks{tiled.cut.num_tiles(), problem::threads};
  blocks.overlaps = is_compiled_for_90<column_kernel<problem>>(limits);
  if (num_bytes == 0) {
    return enqueue(column_kernel<problem>, blocks, opts.stream, tiled, static_cast<void*>(nullptr),
                   std::size_t{0});
  }
  const call_memory states(opts.workspace, num_bytes, opts.stream);
  if (!states.error().ok()) return states.error();
  return enqueue(column_kernel<problem>, blocks, opts.stream, tiled, states.data(),
                 states.num_bytes());
}

}  // namespace scan::device

#endif
