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

/// Launches with the states that the tiles need.
template <class Problem, class Launch>
status with_column_states(const Problem& tiled, workspace* space, cudaStream_t stream,
                          Launch launch) noexcept {
  const std::size_t num_bytes = tiled.cut.states_bytes(Problem::sizes.value);
  if (num_bytes == 0) return launch(static_cast<void*>(nullptr), std::size_t{0});
  const call_memory states(space, num_bytes, stream);
  if (!states.error().ok()) return states.error();
  return launch(states.data(), states.num_bytes());
}

/// Whether misaligned lines are better copied by granules, which takes room. Words of 4 bytes are
/// as good for short lines, and whole tiles that are one long line begin and end in few granules.
template <class Problem>
constexpr bool gains_by_room(const Problem& tiled) noexcept {
  if (tiled.cut.strips == 1) return tiled.cut.groups == 1;
  return std::min(Problem::sizes.in, Problem::sizes.out) < 4 ||
         tiled.cut.width * Problem::sizes.in > 128;
}

/// A tile a block.
template <class Problem>
status launch_column_blocks(Problem tiled, workspace* space, cudaStream_t stream,
                            const device_limits& limits) noexcept {
  using prepared = prepared_shared<column_kernel<Problem>>;
  // With room a tile may take more than CUDA grants unasked.
  constexpr std::size_t most_bytes = 80 * 1024;
  Problem roomy = tiled;
  if (gains_by_room(tiled) && limits.ring_bytes_of_block > 0 && roomy.make_room() &&
      roomy.shared_bytes() <= most_bytes && prepared::allow(limits, most_bytes) == cudaSuccess) {
    tiled = roomy;
  }
  grid blocks{tiled.cut.num_tiles(), Problem::threads, tiled.shared_bytes()};
  blocks.overlaps = is_compiled_for_90<column_kernel<Problem>>(limits);
  return with_column_states(tiled, space, stream, [&](void* states, std::size_t num_bytes) {
    const auto once = [&] {
      return enqueue(column_kernel<Problem>, blocks, stream, tiled, states, num_bytes);
    };
    const status launched = once();
    if (launched != cudaErrorInvalidValue) return launched;
    // Its preparation may be lost: see launch_ring.
    prepared::forget(limits);
    return prepared::allow(limits, most_bytes) == cudaSuccess ? once() : launched;
  });
}

/// Scans the sequences of a tensor whose arguments have been checked and whose extents are
/// positive, inner 2 or more. `scan` is a tensor_problem.
template <class Tensor>
status launch_columns(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                      const device_limits& limits) noexcept {
  using problem = column_problem<Tensor>;
  problem tiled(scan, limits.sm_count);
  if (tiled.cut.num_tiles() > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  return launch_column_blocks(tiled, opts.workspace, opts.stream, limits);
}

}  // namespace scan::device

#endif
